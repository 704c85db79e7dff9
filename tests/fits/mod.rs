//! Results are stored only where they fit: each place a node writes to, with each kind of value that does not fit.

mod answers;
mod versions;

use std::fmt::Write as _;

use loopwright::compile::compile_as;
use loopwright::machine::{Input, InputKind, Output, Snapshot, Start, step};
use loopwright::model::{Files, load};
use loopwright::program::{Program, Semantics};
use loopwright::source::Sources;

/// A value that does not fit: the wanted type, the type and value that the called graph gives, and what is said.
struct Unfit(&'static str, &'static str, &'static str, &'static str);

const UNFIT: &[Unfit] = &[
    Unfit("int", "any", "'str'", "wanted int, found \"str\""),
    Unfit("bool", "any", "1", "wanted bool, found 1"),
    Unfit("string", "any", "[1]", "wanted string, found a list of 1 item"),
    Unfit("map<int>", "any", "3", "wanted map<int>, found 3"),
    Unfit("int(0..3)", "int", "99", "wanted int(0..3), found 99"),
    Unfit("string(3)", "string", "'four'", "wanted string(3), found a string of 4 characters"),
    Unfit("list<int>(1)", "list<int>", "[1, 2]", "wanted list<int>(1), found a list of 2 items"),
    Unfit("enum(a, b)", "any", "'zz'", "wanted enum(a, b), found \"zz\""),
    Unfit("int", "any", "null", "wanted int, found null"),
];

/// A place that a node writes to: the state fields, the node, the shown place, the path of the value in the result.
struct Place {
    state: &'static str,
    node: &'static str,
    shown: &'static str,
    before: &'static str,
    path: &'static str,
}

const PLACES: &[Place] = &[
    Place {
        state: "o: R?",
        node: "{kind: call, graph: c.yaml, into: o",
        shown: "o",
        before: "null",
        path: "q",
    },
    Place {
        state: "o: R?\n  all: \"map<R> = {}\"",
        node: "{kind: call, graph: c.yaml, into: \"all['k']\"",
        shown: "all",
        before: "{}",
        path: "q",
    },
    Place {
        state: "m: \"map<T> = {}\"",
        node: "{kind: call, graph: c.yaml, merge: m",
        shown: "m",
        before: "{}",
        path: "m.k",
    },
    Place {
        state: "os: \"list<R> = []\"",
        node: "{kind: each, over: \"[1, 2]\", as: i, graph: c.yaml, into: os",
        shown: "os",
        before: "[]",
        path: "[0].q",
    },
    Place {
        state: "os: \"list<Tried> = []\"",
        node: "{kind: each, over: \"[1, 2]\", as: i, graph: c.yaml, into: os, on_error: collect",
        shown: "os",
        before: "[]",
        path: "[0].ok.q",
    },
    Place {
        state: "o: R?\n  other: any",
        node: "{kind: parallel, branches: {first: {graph: c.yaml, into: other}, left: {graph: c.yaml, into: o}}",
        shown: "[o, other]",
        before: "[null,null]",
        path: "left.q",
    },
    Place {
        state: "o: Tried?",
        node: "{kind: parallel, branches: {left: {graph: c.yaml, into: o}}, on_error: collect",
        shown: "o",
        before: "null",
        path: "left.ok.q",
    },
];

/// A graph with that place and the graph it calls.
fn caller(place: &Place, wanted: &str, more: &str, given: &str, value: &str) -> [(&'static str, String); 2] {
    let child = format!(
        "graph: c\nstate: {{fr: \"{given} = {value}\"}}\nstart: f\nnodes: {{f: {{kind: final}}}}\noutput: {{q: fr, m: \"{{'k': fr}}\"}}\n"
    );
    let mut caller = format!(
        "graph: g\ntypes:\n  T: \"{wanted}\"\n  open R: {{q: T, outcome: string{more}}}\n  Tried: {{ok: R?, error: any}}\n"
    );
    write!(
        caller,
        "state:\n  {}\n  why: any\n  ran: bool = false\nstart: a\nnodes:\n  a: {}, then: ran = true, next: [{{to: e}}, {{to: failed, on: error, do: \"why = [error.kind, error.message, error.class]\"}}]}}\n  e: {{kind: final}}\n  failed: {{kind: final, ok: false}}\noutput: {{shown: \"{}\", why: why, ran: ran}}\n",
        place.state, place.node, place.shown
    )
    .expect("a text can be written");
    [("g.yaml", caller), ("c.yaml", child)]
}

pub(super) fn compiled(files: &[(&str, String)], semantics: Semantics) -> Program {
    let mut texts = files.iter().fold(Files::new(), |all, (name, text)| all.with(*name, text.as_str()));
    let loaded = load(&mut Sources::new(), &mut texts, files[0].0);
    assert!(!loaded.has_errors(), "{:?}\n{}", loaded.findings, files[0].1);
    compile_as(&loaded.model.expect("a graph without errors has a model"), semantics).expect("it compiles")
}

/// The end of a run that needs nothing from outside.
pub(super) fn ended(program: &Program) -> String {
    let (mut snapshot, mut out) = (Snapshot::new(), Vec::<Output>::new());
    let start = Start { run: "r".into(), ..Start::default() };
    step(program, &mut snapshot, Input { at: 0, kind: InputKind::Started(Box::new(start)) }, &mut out);
    let done = snapshot.done.expect("the run ends");
    format!("{} {}", done.outcome, done.output.to_json())
}

#[test]
fn what_does_not_fit_its_place_is_invalid_output_and_is_not_written() {
    for place in PLACES {
        for Unfit(wanted, given, value, said) in UNFIT {
            let files = caller(place, wanted, "", given, value);
            let message = serde_json::Value::from(said_of(place, said));
            let expected = format!(
                r#"failed {{"shown":{},"why":["invalid_output",{message},"recoverable"],"ran":false}}"#,
                place.before
            );
            assert_eq!(ended(&compiled(&files, Semantics::NEWEST)), expected, "{}", files[0].1);
            // Runs of earlier versions store it as they did.
            let second = Semantics::all().nth(1).expect("there is a second version");
            assert!(ended(&compiled(&files, second)).starts_with("e "), "{}", files[0].1);
        }
    }
}

/// The message: each item of a list has its own.
fn said_of(place: &Place, said: &str) -> String {
    let one = format!("at {}: {said}", place.path);
    if place.path.starts_with("[0]") { format!("{one}; {}", one.replace("[0]", "[1]")) } else { one }
}

#[test]
fn fields_that_are_missing_have_their_defaults() {
    for place in PLACES.iter().filter(|place| !place.path.starts_with("m.")) {
        let files = caller(place, "float", ", extra: \"string = 'd'\"", "any", "1");
        let end = ended(&compiled(&files, Semantics::NEWEST));
        assert!(end.starts_with("e "), "{end}");
        assert!(end.contains(r#""extra":"d""#), "{end}\n{}", files[0].1);
        assert!(end.contains(r#""q":1.0"#), "{end}\n{}", files[0].1);
    }
}

#[test]
fn the_right_side_of_a_default_keeps_no_limits_of_the_left() {
    let text = "graph: g
state: {n: 'int(0..3)?', word: \"string = 'long word'\", x: int = 0}
let:
  length(of): \"of == '' ? 0 : size(of)\"
start: a
nodes:
  a: {kind: action, do: 'x = n ?? length(word)', next: [f]}
  f: {kind: final}
output: {x: x}
";
    assert_eq!(ended(&compiled(&[("g.yaml", text.to_owned())], Semantics::NEWEST)), r#"f {"x":9}"#);
}
