//! Edits while called graphs and lanes are under way, and while calls are.

use std::fmt::Write as _;

use loopwright::value::{List, Value};

use super::{Stood, calls, edited};

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
    graph: one.yaml
    with: {name: name}
    into: found
    at_once: 2
    next: [{to: end}]
  end: {kind: final}
output: {found: found}
";

const ONE: &str = "
graph: one
input: {name: string}
state: {got: any = null, times: int = 0}
budgets: {looks: 3}
start: look
nodes:
  look:
    kind: tool
    tool: look
    args: {name: name}
    into: got
    do: |
      spend looks
      times += 1
    next: [{to: end}]
  end: {kind: final}
output: {got: got}
";

/// Two of four lanes run, one has ended, one has not begun.
fn four() -> Stood {
    let names: List = ["a", "b", "c", "d"].into_iter().map(Value::from).collect();
    let mut stood = Stood::start(&[("all.yaml", EACH), ("one.yaml", ONE)], &[("names", Value::List(names))]);
    stood.answer("A");
    assert_eq!(calls(&stood.snapshot), 2);
    stood
}

/// Lanes go on where they are, with what is new; those that have not begun get their inputs by name.
#[test]
fn lanes_go_on() {
    let one = edited(
        ONE,
        &[
            ("input: {name: string}", "input: {hint: \"string = 'none'\", name: string}"),
            (
                "state: {got: any = null, times: int = 0}",
                "state: {more: \"int = 7\", times: int = 0, got: any = null}",
            ),
            ("output: {got: got}", "output: {got: got}\ntitle: Another"),
        ],
    );
    let all = edited(
        EACH,
        &[("next: [{to: end}]\n  end:", "next: [{to: idle}]\n  idle: {next: [{to: end}]}\n  end:")],
    );
    let mut moved = four().moved(&[("all.yaml", &all), ("one.yaml", &one)]);
    let lane = moved.snapshot.lanes.iter().skip(1).position(Option::is_some).expect("a lane runs") + 1;
    let lane = u32::try_from(lane).expect("there are few");
    assert_eq!((moved.field(lane, "more"), moved.field(lane, "times")), (7.into(), 1.into()));
    assert_eq!(moved.field(lane, "hint"), "none");
    for answer in ["B", "C", "D"] {
        moved.answer(answer);
    }
    let found = moved.done().1["found"].clone();
    let got: Vec<&str> =
        found.as_array().expect("a list").iter().filter_map(|one| one["got"].as_str()).collect();
    assert_eq!(got.len(), 4);
    assert!(["A", "B", "C", "D"].iter().all(|letter| got.contains(letter)));
}

#[test]
fn lanes_that_do_not_fit_are_named() {
    let stood = four();
    let refused = |all: &str, one: &str| stood.refused(&[("all.yaml", all), ("one.yaml", one)]);
    let mut said = String::new();
    let renamed = edited(ONE, &[("start: look", "start: see"), ("  look:\n", "  see:\n")]);
    let _ = write!(said, "the node of the lanes has another name:\n{}\n\n", refused(EACH, &renamed));
    let needs = edited(ONE, &[("input: {name: string}", "input: {name: string, why: string}")]);
    let gives = edited(EACH, &[("with: {name: name}", "with: {name: name, why: \"'so'\"}")]);
    let _ = write!(said, "an input is needed:\n{}\n\n", refused(&gives, &needs));
    let more = edited(ONE, &[("output: {got: got}", "output: {got: got, times: times}")]);
    let _ = write!(said, "more is given:\n{}\n\n", refused(EACH, &more));
    let other = edited(ONE, &[("graph: one", "graph: two")]);
    let _ = write!(said, "another graph is called:\n{}\n\n", refused(EACH, &other));
    let inside =
        edited(EACH, &[("  visit:\n    kind: each", "  go:\n    kind: each"), ("start: visit", "start: go")]);
    let _ = write!(said, "the caller has another name:\n{}\n", refused(&inside, ONE));
    insta::assert_snapshot!(said);
}

const BOTH: &str = "
graph: both
state: {left: any = null, right: any = null}
start: both
nodes:
  both:
    kind: parallel
    branches:
      left: {graph: one.yaml, with: {name: \"'l'\"}, into: left}
      right: {graph: one.yaml, with: {name: \"'r'\"}, into: right}
    next: [{to: end}]
  end: {kind: final}
output: {left: left.got, right: right.got}
";

#[test]
fn branches_keep_their_order() {
    let mut stood = Stood::start(&[("both.yaml", BOTH), ("one.yaml", ONE)], &[]);
    stood.answer("first");
    let mut lines: Vec<&str> = BOTH.lines().collect();
    let left = lines.iter().position(|line| line.contains("left: {graph")).expect("it is there");
    lines.swap(left, left + 1);
    assert_eq!(
        stood.refused(&[("both.yaml", &lines.join("\n")), ("one.yaml", ONE)]),
        "`both` is under way, and has other branches now, or in another order"
    );
    let one = edited(ONE, &[("state: {got: any = null, ", "state: {more: 'int = 1', got: any = null, ")]);
    let mut moved = stood.moved(&[("both.yaml", BOTH), ("one.yaml", &one)]);
    moved.answer("second");
    assert_eq!(moved.done().1, serde_json::json!({"left": "first", "right": "second"}));
}

/// The request that is under way stays as it was made; its answer is read by the type it has now.
#[test]
fn a_call_under_way_is_answered() {
    let tell = "
graph: tell
state: {said: string?}
start: ask
nodes:
  ask: {kind: model, role: teller, prompt: \"'say a word'\", output: string(9), into: said, next: [{to: end}, {to: bad, on: error(invalid_output)}]}
  bad: {kind: final, ok: false}
  end: {kind: final}
output: {said: said}
";
    let stood = Stood::start(&[("tell.yaml", tell)], &[]);
    let before = stood.snapshot.calls().next().cloned();
    let other = edited(tell, &[("say a word", "say two words"), ("output: string(9)", "output: string(2)")]);
    let mut moved = stood.moved(&[("tell.yaml", &other)]);
    assert_eq!(moved.snapshot.calls().next().cloned(), before);
    moved.answer("four");
    assert_eq!(moved.done().0, "bad");
    let mut kept = stood.moved(&[("tell.yaml", &edited(tell, &[("say a word", "say two words")]))]);
    kept.answer("four");
    assert_eq!(kept.done(), ("end".to_owned(), serde_json::json!({"said": "four"})));
}
