//! Findings that are ignored or switched off, and what is left for the exit code.

use crate::cli::{Desk, Ran};

const IDLE: &str = "graph: idle
IGNORE
state: {idle: int = 0}
start: ask
nodes:
  ask: {kind: human, ask: \"'Go on?'\", next: end}
  end: {kind: final}
";

/// The graph in a folder of its own, with what it ignores and a configuration beside it.
fn beside(ignore: &str, configuration: &str) -> Desk {
    let desk = Desk::new();
    std::fs::create_dir(desk.folder.path().join("shop")).expect("a folder can be made");
    desk.write("shop/idle.yaml", &IDLE.replace("IGNORE\n", ignore));
    if !configuration.is_empty() {
        desk.write("shop/loopwright.toml", configuration);
    }
    desk
}

/// The last line and the exit code.
fn end(ran: &Ran) -> (&str, Option<i32>) {
    (ran.stdout.lines().last().unwrap_or_default(), ran.code)
}

#[test]
fn warnings_fail_only_a_strict_check() {
    let desk = beside("", "");
    assert_eq!(end(&desk.run("check shop/idle.yaml")), ("1 file: 1 warning, 1 note", Some(0)));
    assert_eq!(end(&desk.run("check --strict shop/idle.yaml")), ("1 file: 1 warning, 1 note", Some(1)));
    let noted = beside("ignore: {unused: It is read elsewhere.}\n", "");
    assert_eq!(end(&noted.run("check --strict shop/idle.yaml")), ("1 file: 1 note, 1 ignored", Some(0)));
}

#[test]
fn what_is_ignored_is_listed_with_its_reason_and_nowhere_else() {
    let desk = beside("ignore: {unused: It is read elsewhere., waits-for-ever: The desk is staffed.}\n", "");
    let json = desk.run("check --strict shop/idle.yaml --format json");
    assert_eq!(json.code, Some(0));
    insta::assert_snapshot!(json.stdout);
    assert_eq!(end(&desk.run("check shop/idle.yaml")).0, "1 file: no findings, 2 ignored");
    // It is no difference, and no warning before a run.
    desk.write("shop/plain.yaml", &IDLE.replace("IGNORE\n", ""));
    assert_eq!(desk.run("diff shop/idle.yaml shop/plain.yaml").stdout, "no difference\n");
    assert!(!desk.run("run shop/idle.yaml").stderr.contains("unused"));
    assert!(desk.run("run shop/plain.yaml").stderr.contains("warning[unused]"));
}

#[test]
fn a_configuration_sets_the_severity_of_a_rule() {
    for (configuration, last, code, strict) in [
        ("unused = \"error\"", "1 file: 1 error, 1 note", 1, 1),
        ("unused = \"note\"\nwaits-for-ever = \"warning\"", "1 file: 1 warning, 1 note", 0, 1),
        ("unused = \"off\"\nwaits-for-ever = \"off\"", "1 file: no findings, 2 switched off", 0, 0),
    ] {
        let desk = beside("", &format!("[check]\n{configuration}\n"));
        assert_eq!(end(&desk.run("check shop/idle.yaml")), (last, Some(code)), "{configuration}");
        assert_eq!(desk.run("check --strict shop/idle.yaml").code, Some(strict), "{configuration}");
        // A run is not refused for it.
        assert_eq!(desk.run("run shop/idle.yaml").code, Some(3), "{configuration}");
    }
}

#[test]
fn no_configuration_hides_an_error() {
    let desk = beside("", "[check]\nunknown-node = \"off\"\n");
    desk.write("shop/idle.yaml", "graph: idle\nstart: nowhere\nnodes: {end: {kind: final}}\n");
    let ran = desk.run("check shop/idle.yaml");
    insta::assert_snapshot!(ran.transcript());
}

#[test]
fn faults_of_the_table_are_told_in_their_places_whatever_else_is_wrong() {
    let desk = beside("", "[check]\nunsued = \"off\"\nunused = \"warn\"\n\n[tools.a]\nzzz = 1\n");
    let ran = desk.run("check shop/idle.yaml");
    assert_eq!(ran.code, Some(1));
    insta::assert_snapshot!(ran.transcript());
}

#[test]
fn inputs_give_the_bound_a_number() {
    let desk = Desk::new();
    let graph = "graphs/tour/03-composites.yaml";
    let formula = desk.run(&format!("check {graph} --bound-max 100"));
    assert_eq!(formula.code, Some(1), "{}", formula.transcript());
    let ran =
        desk.run_words(&["check", graph, "--input", "chapters=[\"a\",\"b\"]", "--bound-max", "100"], &[]);
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    insta::assert_snapshot!(ran.stdout);
    let low = desk.run_words(&["check", graph, "--input", "chapters=[\"a\"]", "--bound-max", "2"], &[]);
    assert_eq!(low.code, Some(1), "{}", low.transcript());
    for (words, said) in [
        (vec!["check", graph, "--input", "chapters=[]"], "does not meet its condition"),
        (vec!["check", graph, "--input", "chapter=[]"], "did you mean `chapters`?"),
        (vec!["check", graph, "--input", "min_words=3"], "lacks a required input"),
        (vec!["check", "graphs", "--input", "min_words=3"], "--input gives the inputs of one graph"),
    ] {
        let ran = desk.run_words(&words, &[]);
        assert!(ran.stderr.contains(said) && ran.code == Some(2), "{}", ran.transcript());
    }
}
