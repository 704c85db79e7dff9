//! A fault of a run is shown where it stands in the graph's text, and the journal knows nothing of places.

use loopwright::model::Loader;
use loopwright::scenario::{Report, Suite, print};
use loopwright::source::Sources;

use crate::cli::Desk;
use crate::rebuilt;

/// The graph; `count` is 0 when `WHERE` comes.
const GRAPH: &str = "\
graph: places
state:
  count: int = 0
  items: list<int> = []
budgets:
  tries: {limit: 1}
texts:
  ask: |
    How many?
    {{ 10 // count }}
start: begin
nodes:
  begin:
    kind: choice
    next:
      - {to: guard, when: \"size(items) == 1\"}
      - {to: pays, when: \"size(items) == 2\"}
      - {to: answered, when: \"size(items) == 3\"}
      - {to: work}
  answered:
    do: spend tries by 2
    next: [{to: end}, {to: stop, on: exhausted(tries)}]
  guard:
    kind: choice
    next:
      - {to: end, when: 10 / count > 3}
      - {to: end}
  work:
    do: |
      count = count + 0
      count = items[3]
    next: [{to: asks}]
  pays:
    do: |
      spend tries
      spend tries
    next: [{to: end}]
  asks: {kind: human, ask: ask, timeout: 1m, next: [{to: end}, {to: end, on: timeout}]}
  end: {kind: final}
  stop: {kind: final, ok: false}
";

const SCENARIOS: &str = "\
graph: places.yaml
scenarios:
  - {name: in a guard, given: {at: guard}, expect: {outcome: end}}
  - {name: in a statement, given: {at: work}, expect: {outcome: end}}
  - {name: in a spend, given: {at: pays}, expect: {outcome: end}}
  - {name: an edge answered, given: {at: answered}, expect: {outcome: end}}
  - {name: in a text, given: {at: asks}, expect: {outcome: end}}
";

struct Memory(String);

impl Loader for Memory {
    fn load(
        &mut self,
        _: Option<&str>,
        path: &str,
    ) -> Result<(String, String), loopwright::model::LoadError> {
        let text = if path == "places.yaml" { self.0.clone() } else { SCENARIOS.to_owned() };
        Ok((path.to_owned(), text))
    }
}

fn play(graph: &str) -> (Vec<Report>, Sources) {
    let mut sources = Sources::new();
    let loaded = Suite::load(&mut sources, &mut Memory(graph.to_owned()), "places.scenarios.yaml");
    let suite = loaded.suite.unwrap_or_else(|| panic!("the suite loads: {:?}", loaded.findings));
    (rebuilt::play_all(&suite).collect(), sources)
}

#[test]
fn a_failing_scenario_shows_the_place() {
    let (reports, sources) = play(GRAPH);
    let text: String = reports.iter().map(|report| print::text(report, &sources)).collect();
    insta::assert_snapshot!(text);
}

#[test]
fn a_failing_run_shows_the_place() {
    let desk = Desk::new();
    let mut all = String::new();
    for (name, start) in [
        ("guard", "start: guard"),
        ("statement", "start: work"),
        ("spend", "start: pays"),
        ("text", "start: asks"),
    ] {
        let file = format!("{name}.yaml");
        desk.write(&file, &GRAPH.replace("start: begin", start));
        let ran = desk.run(&format!("run {file}"));
        assert_eq!(ran.code, Some(1), "{}", ran.stderr);
        let said = ran.stderr.split("error[failed-run]").nth(1).unwrap_or_else(|| panic!("{}", ran.stderr));
        all.extend([ran.stdout.as_str(), "error[failed-run]", said]);
    }
    insta::assert_snapshot!(all);
}

#[test]
fn a_comment_moves_places_and_nothing_else() {
    let (before, _) = play(GRAPH);
    let (after, _) = play(&GRAPH.replace("state:", "# A comment.\nstate:"));
    for (before, after) in before.iter().zip(&after) {
        let journal = |report: &Report| serde_json::to_string(&report.run.events).expect("events are JSON");
        assert_eq!(journal(before), journal(after));
        assert_eq!(before.run.snapshot, after.run.snapshot);
        assert!(!before.run.origins.is_empty(), "{} has a place", before.name);
        assert_ne!(before.run.origins, after.run.origins);
    }
}

#[test]
fn a_refused_charge_has_not_the_place_of_a_spend_refused_before() {
    let desk = Desk::new();
    desk.write(
        "two.yaml",
        "\
graph: two
state: {x: string?}
budgets: {tries: {limit: 0}, asked: {limit: 0, charge: model.calls}}
roles: [porter]
texts: {ask: What now?}
start: begin
nodes:
  begin: {do: spend tries, next: [{to: asks}, {to: asks, on: exhausted(tries)}]}
  asks: {kind: model, role: porter, prompt: ask, output: string, into: x, timeout: 1m, next: [{to: end}]}
  end: {kind: final}
",
    );
    desk.write("two.script.yaml", "model: {porter: [go on]}\n");
    let ran = desk.run("run two.yaml --script two.script.yaml");
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(ran.stdout.contains("the budget asked is used up"), "{}", ran.stdout);
    assert!(!ran.stderr.contains("spend tries"), "{}", ran.stderr);
}

#[test]
fn a_spend_of_a_called_graph_is_answered_by_its_kind() {
    let desk = Desk::new();
    desk.write(
        "caller.yaml",
        "\
graph: caller
start: calls
nodes:
  calls: {kind: call, graph: child.yaml, next: [{to: end}]}
  end: {kind: final}
",
    );
    desk.write(
        "child.yaml",
        "\
graph: child
budgets: {tries: {limit: 0}}
start: pays
nodes:
  pays: {do: spend tries, next: [{to: end}]}
  end: {kind: final}
",
    );
    let ran = desk.run("run caller.yaml");
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    for words in ["child.yaml:5:14", "add an edge `on: error(budget_exhausted)` to `calls` to handle this"] {
        assert!(ran.stderr.contains(words), "{}", ran.stderr);
    }
}
