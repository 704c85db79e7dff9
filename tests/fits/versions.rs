//! The further rules of the third version of the meaning: keys that are not there, slices.

use loopwright::program::Semantics;

use super::{compiled, ended};

/// The end of a graph that gives this value, by the newest version and by the one before.
fn ends(value: &str) -> [String; 2] {
    let text = format!(
        "graph: g\nstate: {{m: \"map<int> = {{'a': 1}}\", deep: \"map<map<int>> = {{}}\", any: \"any = {{}}\", xs: \"list<int> = []\", s: string = 'abcdef'}}\ntexts: {{t: \"{{{{ s[1:3] }}}}\"}}\nstart: a\nnodes:\n  a: {{next: [{{to: e}}]}}\n  e: {{kind: final}}\noutput: {{v: \"{value}\"}}\n"
    );
    let second = Semantics::all().nth(1).expect("there is a second version");
    [Semantics::NEWEST, second].map(|semantics| ended(&compiled(&[("g.yaml", text.clone())], semantics)))
}

#[test]
fn a_key_that_is_not_there_counts_as_null_on_the_left_of_coalescing() {
    for (value, now) in [
        ("m['b'] ?? 7", "7"),
        ("m.b ?? 7", "7"),
        ("m['a'] ?? 7", "1"),
        ("deep['a']['b'] ?? 7", "7"),
        ("deep.a.b ?? m['c'] ?? 7", "7"),
        ("any.x ?? 7", "7"),
    ] {
        let [newest, second] = ends(value);
        assert_eq!(newest, format!(r#"e {{"v":{now}}}"#), "{value}");
        assert!(value.contains("['a'] ??") || second.starts_with("evaluation "), "{value}: {second}");
    }
}

#[test]
fn other_faults_stay_faults() {
    for value in ["m['b']", "xs[0] ?? 7", "(m['b'] + 1) ?? 7", "any.x ?? m['b']"] {
        let [newest, second] = ends(value);
        assert_eq!(newest, second, "{value}");
    }
    assert!(ends("xs[0] ?? 7")[0].starts_with("evaluation "));
}

#[test]
fn a_text_cuts_slices_of_what_it_does_not_read_otherwise() {
    let [newest, second] = ends("render(t)");
    assert_eq!(newest, r#"e {"v":"bc"}"#);
    assert!(second.starts_with("evaluation "), "{second}");
}
