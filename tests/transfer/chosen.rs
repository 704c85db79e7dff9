//! Edits while lanes run graphs that were chosen, and while some have not begun.

use std::fmt::Write as _;

use loopwright::machine::Phase;
use loopwright::value::{List, Value};
use serde_json::json;

use super::{Stood, edited};

const EACH: &str = "
graph: all
input: {names: list<string>}
state: {found: any = null}
start: visit
nodes:
  visit:
    kind: each
    over: names
    as: name
    limit: 9
    graph_of: name
    graphs: {a: one.yaml, b: two.yaml}
    with: {name: name}
    into: found
    at_once: 2
    next: [{to: end}]
  end: {kind: final}
output:
  found: found.map(one, one.by)
";

const ONE: &str = "
graph: one
input: {name: string}
state: {got: any = null}
start: look
nodes:
  look: {kind: tool, tool: look, args: {name: name}, into: got, next: [{to: end}]}
  end: {kind: final}
output: {by: \"'one'\", got: got}
";

fn two() -> String {
    edited(ONE, &[("graph: one", "graph: two"), ("'one'", "'two'"), ("tool: look", "tool: mend")])
}

/// The first two of four lanes run, one of each graph.
fn four() -> Stood {
    let names: List = ["a", "b", "b", "a"].into_iter().map(Value::from).collect();
    Stood::start(
        &[("all.yaml", EACH), ("one.yaml", ONE), ("two.yaml", &two())],
        &[("names", Value::List(names))],
    )
}

/// The graphs that its lanes ran, once all of it is answered.
fn ended(mut stood: Stood) -> serde_json::Value {
    for answer in ["A", "B", "C", "D"] {
        stood.answer(answer);
    }
    stood.done().1["found"].clone()
}

#[test]
fn lanes_run_the_graphs_that_were_chosen() {
    assert_eq!(ended(four()), json!(["one", "two", "two", "one"]));
}

/// The state of a run is as it was before where nothing is chosen but the first graph, or nothing at all.
#[test]
fn choices_are_stored_where_there_are_any() {
    let choices = |stood: &Stood| match &stood.snapshot.root().expect("it has begun").phase {
        Phase::Joining(join) => serde_json::to_value(join).expect("it is stored")["choices"].clone(),
        other => panic!("it waits for lanes: {other:?}"),
    };
    assert_eq!(choices(&four()), json!([0, 1, 1, 0]));
    let files = [("all.yaml", EACH), ("one.yaml", ONE), ("two.yaml", &two())];
    let names: List = ["a", "a"].into_iter().map(Value::from).collect();
    assert_eq!(choices(&Stood::start(&files, &[("names", Value::List(names))])), json!(null));
}

/// They go on in the graph of that name, or in the same graph under another name.
#[test]
fn lanes_go_on_in_their_graphs() {
    let wanted = json!(["one", "two", "two", "one"]);
    for (graphs, name) in [
        ("{b: two.yaml, a: one.yaml}", "name"),
        ("{c: one.yaml, b: two.yaml, a: one.yaml}", "name"),
        ("{a: two.yaml, b: one.yaml}", "name == 'a' ? 'b' : 'a'"),
        ("{x: two.yaml, y: one.yaml}", "name == 'a' ? 'y' : 'x'"),
    ] {
        let all = edited(
            EACH,
            &[("{a: one.yaml, b: two.yaml}", graphs), ("graph_of: name", &format!("graph_of: \"{name}\""))],
        );
        let moved = four().moved(&[("all.yaml", &all), ("one.yaml", ONE), ("two.yaml", &two())]);
        assert_eq!(ended(moved), wanted, "{graphs}");
    }
}

#[test]
fn lanes_whose_graph_is_gone_are_named() {
    let mut said = String::new();
    let other = edited(&two(), &[("graph: two", "graph: three")]);
    for (graphs, name) in [
        ("graph_of: name\n    graphs: {a: one.yaml}", "one of the graphs is gone"),
        ("graph: one.yaml", "nothing is chosen any more"),
        ("graph_of: name\n    graphs: {a: one.yaml, b: three.yaml}", "the name means another graph"),
    ] {
        let all = edited(EACH, &[("graph_of: name\n    graphs: {a: one.yaml, b: two.yaml}", graphs)]);
        let refused = four().refused(&[("all.yaml", &all), ("one.yaml", ONE), ("three.yaml", &other)]);
        let _ = writeln!(said, "{name}:\n{refused}\n");
    }
    insta::assert_snapshot!(said);
}

/// A graph that was always the same one becomes one of several.
#[test]
fn a_fixed_graph_becomes_a_choice() {
    let choice = "graph_of: name\n    graphs: {a: one.yaml, b: two.yaml}";
    let fixed = edited(EACH, &[(choice, "graph: two.yaml")]);
    let names: List = ["a", "b", "b", "a"].into_iter().map(Value::from).collect();
    let stood = Stood::start(&[("all.yaml", &fixed), ("two.yaml", &two())], &[("names", Value::List(names))]);
    let moved = stood.moved(&[("all.yaml", EACH), ("one.yaml", ONE), ("two.yaml", &two())]);
    assert_eq!(ended(moved), json!(["two", "two", "two", "two"]));
}
