//! `loopwright test --write`: suites that cover what a search reaches.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value as Json;

use super::payments;
use crate::cli::{Desk, Ran, copy};

/// A loop in which an approval is used up by the payment that it was given for.
fn sound_payments() -> String {
    payments("", "", "", "approved = false")
}

/// A graph that asks a person again and again, very often.
const ENDLESS: &str = "\
graph: endless
budgets: {cups: 100000}
start: ask
nodes:
  ask:
    kind: human
    ask: \"'More?'\"
    options: [tea, coffee]
    do: spend cups
    next: [{to: tea, when: result == 'tea'}, {to: coffee}, {to: full, on: exhausted(cups)}]
  tea: {next: [ask]}
  coffee: {next: [ask]}
  full: {kind: final}
";

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("payments.yaml", &sound_payments());
    desk
}

fn json(ran: &Ran) -> Json {
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {}", ran.transcript()))
}

/// The parts in a list of a document: their kinds, names and places.
fn parts(list: &Json) -> BTreeSet<(String, String, String)> {
    let text = |own: &Json, key: &str| own[key].as_str().unwrap_or_default().to_owned();
    let all = list.as_array().expect("it is a list");
    all.iter().map(|own| (text(own, "part"), text(own, "name"), text(own, "at"))).collect()
}

/// Writes the suite of a graph without scenarios, and holds it to what is said of it.
fn write(desk: &Desk, graph: &str) {
    let suite = graph.replace(".yaml", ".scenarios.yaml");
    let written = desk.run(&format!("test --write {graph} --format json"));
    assert_eq!(written.code, Some(0), "{}", written.transcript());
    let written = json(&written);
    let uncovered = parts(&written["uncovered"]);
    let reached = written["uncovered"].as_array().expect("a list").iter().find(|own| own["reached"] == true);
    assert_eq!(reached, None, "{graph}");

    let played = desk.run(&format!("test {suite} --coverage --format json"));
    assert_eq!(played.code, Some(0), "{}", played.transcript());
    let missed = parts(&json(&played)["coverage"]["missed"]);
    assert_eq!(missed, uncovered, "{graph}: other parts are taken than was said");
    let explored = json(&desk.run(&format!("explore {graph} --format json")));
    let never = explored["missed"].as_array().expect("a list").len();
    assert_eq!(missed.len(), never, "{graph}: the suite takes all that the search took");

    let before = desk.text(&suite);
    let again = desk.run(&format!("test --write {graph} --format json"));
    assert_eq!(again.code, Some(0), "{}", again.transcript());
    assert_eq!(json(&again)["written"], Json::Array(Vec::new()), "{graph}");
    assert_eq!(desk.text(&suite), before, "{graph}: nothing changed");
}

#[test]
fn suites_of_tiny_graphs_take_all_that_is_reached_and_are_written_once() {
    let desk = Desk::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/explore/tiny");
    copy(&folder, &desk.folder.path().join("tiny"));
    let names = std::fs::read_dir(&folder).expect("the folder can be listed").flatten();
    let mut names: Vec<_> = names.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    assert!(names.len() > 10, "there are graphs");
    for name in names.iter().filter(|name| !name.starts_with("lane.") && !name.starts_with("lane-")) {
        write(&desk, &format!("tiny/{name}"));
    }
}

#[test]
fn suites_of_shipped_graphs_take_all_that_is_reached_and_are_written_once() {
    let desk = Desk::new();
    for graph in ["graphs/mini", "graphs/tour/02-errors", "graphs/tour/05-called-graphs"] {
        std::fs::remove_file(desk.folder.path().join(format!("{graph}.scenarios.yaml")))
            .expect("it is there");
        write(&desk, &format!("{graph}.yaml"));
    }
}

#[test]
fn a_suite_is_small_and_says_what_it_shows() {
    let desk = desk();
    let ran = desk.run("test --write payments.yaml");
    insta::assert_snapshot!(format!("{}{}", ran.transcript(), desk.text("payments.scenarios.yaml")));
}

#[test]
fn an_edited_graph_gets_only_what_is_new() {
    let desk = desk();
    assert_eq!(desk.run("test --write payments.yaml").code, Some(0));
    let before = desk.text("payments.scenarios.yaml");
    let edited = sound_payments()
        .replace("      - {to: ask}\n", "      - {to: large, when: amount == 5}\n      - {to: ask}\n")
        .replace("  ask:\n", "  large: {do: amount = 1, next: [ask]}\n  ask:\n");
    desk.write("payments.yaml", &edited);
    let ran = desk.run("test --write payments.yaml");
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    let added = desk.text("payments.scenarios.yaml");
    let added = added.strip_prefix(&before).expect("what was there stays");
    assert_eq!(added.matches("- name:").count(), 1, "{added}");
    assert!(added.contains("choose, when `amount == 5`, goes to large"), "{added}");
    assert_eq!(desk.run("test payments.scenarios.yaml").code, Some(0));
}

#[test]
fn the_text_of_a_person_stays_as_it_is() {
    let desk = desk();
    let own = "# Mine.\ngraph: payments.yaml\ndefaults:\n  input: {most: 1}\n  human: [\"no\"]\n  tools: [{tool: pay, ok: paid}]\nscenarios:\n    # The first.\n    - {name: nothing to pay, model: [0],   expect: {outcome: done}}  # done\n\n    # Nothing comes after this.";
    for text in [own.to_owned(), format!("{own}\n"), own.replace('\n', "\r\n")] {
        desk.write("payments.scenarios.yaml", &text);
        let ran = desk.run("test --write payments.yaml");
        assert_eq!(ran.code, Some(0), "{}", ran.transcript());
        assert!(ran.stdout.contains("after the 1 that it has"), "{}", ran.stdout);
        let now = desk.text("payments.scenarios.yaml");
        let added = now.strip_prefix(&text).expect("it is the beginning");
        assert!(added.contains("\n    - name: "), "{added}");
        assert_eq!(added.matches('\n').count() - added.matches("\r\n").count() == 0, text.contains('\r'));
        let played = desk.run("test payments.scenarios.yaml --coverage");
        assert_eq!(played.code, Some(0), "{}", played.transcript());
        assert!(!played.stdout.contains("never taken"), "{}", played.stdout);
    }
}

/// Inputs that a graph need not have, each with an edge of its own.
const OPTIONS: &str = "\
graph: options
input: {fast: bool = true, note: string?}
start: look
nodes:
  look:
    kind: choice
    next: [{to: noted, when: note != null}, {to: quick, when: fast}, {to: slow}]
  noted: {kind: final}
  quick: {kind: final}
  slow: {kind: final}
";

#[test]
fn inputs_that_a_file_has_by_default_hold_unless_they_are_open() {
    for (inputs, words, wanted) in [
        ("{}", "", vec!["quick"]),
        ("{fast: false}", "", vec!["slow"]),
        ("{fast: false, note: hello}", "", vec!["noted"]),
        ("{note: hello}", "--open note", vec!["quick", "noted"]),
        ("{fast: false, note: hello}", "--open note --open fast", vec!["slow", "quick", "noted"]),
    ] {
        let desk = Desk::new();
        desk.write("options.yaml", OPTIONS);
        let head = format!("graph: options.yaml\ndefaults:\n  input: {inputs}\nscenarios:\n");
        desk.write("options.scenarios.yaml", &head);
        let ran = desk.run(&format!("test --write options.yaml {words}"));
        assert_eq!(ran.code, Some(0), "{}", ran.transcript());
        let text = desk.text("options.scenarios.yaml");
        let ends: BTreeSet<&str> =
            text.lines().filter_map(|line| line.trim().strip_prefix("outcome: ")).collect();
        assert_eq!(ends, wanted.into_iter().collect(), "{inputs} {words}: {text}");
    }
}

#[test]
fn names_in_use_are_not_used_again() {
    let desk = desk();
    assert_eq!(desk.run("test --write payments.yaml").code, Some(0));
    let names = |text: &str| -> Vec<String> {
        text.lines()
            .filter_map(|line| Some(line.trim().strip_prefix("- name: ")?.trim_matches('"').to_owned()))
            .collect()
    };
    let usual = names(&desk.text("payments.scenarios.yaml"));
    let mut text = "graph: payments.yaml\nscenarios:\n".to_owned();
    for name in &usual {
        let _ = writeln!(text, "  - name: \"{name}\"\n    model: [0]\n    expect: {{}}");
    }
    desk.write("payments.scenarios.yaml", &text);
    assert_eq!(desk.run("test --write payments.yaml").code, Some(0));
    let now = names(&desk.text("payments.scenarios.yaml"));
    let added = &now[usual.len()..];
    assert!(!added.is_empty() && added.iter().any(|name| name.ends_with(" (2)")), "{now:?}");
}

#[test]
fn a_run_without_an_end_is_left_where_it_waits() {
    let desk = Desk::new();
    desk.write("endless.yaml", ENDLESS);
    desk.write("endless.scenarios.yaml", "graph: endless.yaml\ndefaults: {human: [tea]}\nscenarios:\n");
    let ran = desk.run("test --write endless.yaml --max-states 20 --walks 0");
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    let text = desk.text("endless.scenarios.yaml");
    assert!(text.contains("waiting: ask") && text.contains("and waits at `ask`"), "{text}");
    assert!(ran.stdout.contains("full: not reached before the search was cut"), "{}", ran.stdout);
    let played = desk.run("test endless.scenarios.yaml");
    assert_eq!(played.code, Some(0), "{}", played.transcript());
}

#[test]
fn any_number_of_threads_writes_the_same() {
    for words in ["", "--max-states 12 --walks 200 --seed 7", "--depth 3"] {
        let written = [1, 3].map(|threads| {
            let desk = desk();
            let ran = desk.run(&format!("test --write payments.yaml --threads {threads} {words}"));
            assert_eq!(ran.code, Some(0), "{}", ran.transcript());
            format!("{}{}", ran.stdout, desk.text("payments.scenarios.yaml"))
        });
        assert_eq!(written[0], written[1], "{words}");
    }
}

#[test]
fn what_is_known_of_a_part_that_no_run_takes_is_said() {
    let desk = Desk::new();
    let graph = sound_payments()
        .replace("      - {to: ask}\n", "      - {to: ask}\n      - {to: pay, when: amount > 3}\n");
    desk.write("payments.yaml", &graph);
    let whole = desk.run("test --write payments.yaml");
    assert_eq!(whole.code, Some(0), "{}", whole.transcript());
    let cut = Desk::new();
    cut.write("payments.yaml", &sound_payments());
    let cut = cut.run("test --write payments.yaml --depth 1");
    assert_eq!(cut.code, Some(0), "{}", cut.transcript());
    insta::assert_snapshot!(format!("{}\n{}", whole.transcript(), cut.transcript()));
}

#[test]
fn what_cannot_be_extended_is_refused_and_stays() {
    let desk = desk();
    desk.write("other.yaml", &sound_payments().replace("graph: payments", "graph: other"));
    let one = "{name: a, model: [0], expect: {outcome: done}}";
    let files = [
        format!("graph: payments.yaml\nscenarios: [{one}]\n"),
        "graph: payments.yaml\nscenarios: []\n".to_owned(),
        format!("scenarios:\n  - {one}\ngraph: payments.yaml\n"),
        format!("{{graph: payments.yaml, scenarios: [{one}]}}\n"),
        "graph: payments.yaml\n".to_owned(),
        format!("graph: other.yaml\nscenarios:\n  - {one}\n"),
        format!("graph: payments.yaml\ndefaults: {{given: {{at: ask}}, human: [\"no\"]}}\nscenarios:\n  - {one}\n"),
        format!("graph: payments.yaml\nscenarios:\n  - {}\n", one.replace("done", "failed")),
        "graph: [\n".to_owned(),
        "not a scenario file\n".to_owned(),
        "graph: payments.yaml\nscenarios:\n  - name: |+\n      a\n    expect: {}\n    model:\n      clerk:\n        - |+\n          0".to_owned(),
    ];
    let mut said = String::new();
    for text in &files {
        desk.write("payments.scenarios.yaml", text);
        let ran = desk.run("test --write payments.yaml");
        assert_ne!(ran.code, Some(0), "{text}: {}", ran.transcript());
        assert_eq!(desk.text("payments.scenarios.yaml"), *text, "nothing was changed");
        let _ = writeln!(said, "{text}{}", ran.transcript());
    }
    insta::assert_snapshot!(said);
}

#[test]
fn wrong_use_is_refused() {
    let desk = desk();
    let mut said = String::new();
    for words in [
        "--write payments.yaml --mutants",
        "--write payments.yaml --coverage",
        "--write payments.yaml --watch",
        "--write payments.yaml --format junit",
        "--write payments.yaml graphs/mini.yaml",
        "--write graphs",
        "--write -",
        "--write graphs/mini.scenarios.yaml",
        "--write nowhere.yaml",
        "--write payments.yaml --open least",
        "graphs/mini.scenarios.yaml --depth 3",
    ] {
        said += &desk.run(&format!("test {words}")).transcript();
        said.push('\n');
    }
    assert_eq!(desk.text("payments.scenarios.yaml"), "", "nothing was written");
    insta::assert_snapshot!(said);
}
