//! Edits of one graph, at one place of its run.

use std::fmt::Write;

use loopwright::machine::EventKind;
use loopwright::value::Value;

use super::{Stood, edited};

/// Counts rounds and asks a person in each.
const WORK: &str = "
graph: work
input:
  goal: string = 'all'
  most: int = 3
state:
  n: int = 0
  seen: list<string> = []
  word: string?
budgets:
  rounds: {limit: most}
  tries: {limit: 5}
start: first
nodes:
  first:
    do: |
      n += 1
      spend rounds
    next: [{to: ask}, {to: end, on: exhausted(rounds)}]
  ask:
    kind: human
    ask: \"'Round ' + string(n) + ' of ' + goal\"
    options: [yes, no]
    into: word
    then: seen += word ?? ''
    next: [{to: end, when: word == 'yes'}, {to: first}]
  end: {kind: final}
output: {n: n, seen: seen}
";

/// Asks for the second time.
fn second() -> Stood {
    let mut stood = Stood::start(&[("work.yaml", WORK)], &[("goal", Value::from("some"))]);
    stood.answer("no");
    stood
}

/// What becomes of the run in its second round, for edits that are small pieces put in the place of others.
const EDITS: &[(&str, &[(&str, &str)])] = &[
    ("nothing", &[]),
    ("another node has another name", &[("{to: end", "{to: over"), ("  end:", "  over:")]),
    ("its node has another name", &[("{to: ask}", "{to: put}"), ("  ask:\n", "  put:\n")]),
    (
        "its node is of another kind",
        &[
            ("kind: human", "kind: model\n    role: asker\n    output: string(9)"),
            ("    ask: ", "    prompt: "),
            ("    options: [yes, no]\n", ""),
        ],
    ),
    (
        "its node lies in a composite",
        &[
            (
                "  ask:\n",
                "  inner:\n    kind: composite\n    start: ask\n    next: [{to: first}]\n    nodes:\n      ask:\n",
            ),
            ("    kind: human\n    ask:", "        kind: human\n        ask:"),
            ("    options", "        options"),
            ("    into", "        into"),
            ("    then: seen", "        then: seen"),
            ("    next: [{to: end, when", "        next: [{to: end, when"),
            ("{to: ask}", "{to: inner}"),
        ],
    ),
    ("another graph", &[("graph: work", "graph: play")]),
    ("a field is new", &[("  n: int = 0", "  n: int = 0\n  tries_left: int = most + 1")]),
    ("a field is new that may be null", &[("  n: int = 0", "  n: int = 0\n  why: string?")]),
    (
        "a field is gone",
        &[("  seen: list<string> = []\n", ""), ("    then: seen += word ?? ''\n", ""), (", seen: seen", "")],
    ),
    ("a field has another name", &[("seen", "heard")]),
    ("a field has a narrower type that fits", &[("n: int = 0", "n: int(0..9) = 0")]),
    ("a field has a narrower type that does not", &[("n: int = 0", "n: int(0..1) = 0")]),
    ("a field has a wider type", &[("n: int = 0", "n: float = 0.0"), ("n += 1", "n += 1.0")]),
    ("a budget is new", &[("  tries:", "  words: {limit: most * 2}\n  tries:")]),
    ("a budget has another limit", &[("{limit: most}", "{limit: most + 7}")]),
    ("a budget has a limit that is reached", &[("{limit: most}", "{limit: 1}")]),
    ("a budget has another name", &[("rounds", "turns")]),
    (
        "a budget counts another thing",
        &[("{limit: most}", "{limit: most, charge: transitions}"), ("      spend rounds\n", "")],
    ),
    ("a budget is gone of which nothing was spent", &[("  tries: {limit: 5}\n", "")]),
    ("a guard is another one", &[("word == 'yes'", "word == 'no'")]),
    ("an input is new", &[("  most: int = 3", "  most: int = 3\n  least: int = 1")]),
    ("an input is new and has no default", &[("  most: int = 3", "  most: int = 3\n  least: int")]),
    ("an input is gone", &[("  goal: string = 'all'\n", ""), (" + ' of ' + goal", "")]),
    ("an input has another type", &[("goal: string = 'all'", "goal: enum(all, none) = 'all'")]),
    ("an input has a condition that holds", &[("  most: int = 3", "  most: int = 3 where most > 2")]),
    ("an input has a condition that does not", &[("  most: int = 3", "  most: int = 3 where most > 3")]),
    (
        "the question has other answers",
        &[("options: [yes, no]", "options: [yes, no, later]"), ("'Round '", "'Turn '")],
    ),
    (
        "much at once",
        &[
            ("  n: int = 0", "  n: int(0..1) = 0"),
            ("seen", "heard"),
            ("  goal: string = 'all'", "  goal: enum(all, none) = 'all'\n  least: int"),
            ("rounds", "turns"),
            ("{to: ask}", "{to: put}"),
            ("  ask:\n", "  put:\n"),
        ],
    ),
];

#[test]
fn edits_fit_or_are_told_why_not() {
    let stood = second();
    let mut all = String::new();
    for (what, edits) in EDITS {
        let text = edited(WORK, edits);
        let _ = writeln!(all, "{what}:");
        match stood.carried(&[("work.yaml", &text)]).1 {
            Err(_) => {
                for line in stood.refused(&[("work.yaml", &text)]).lines() {
                    let _ = writeln!(all, "  - {line}");
                }
            }
            Ok(moved) => {
                let asked = if moved.events.is_empty() { "" } else { ", asks anew" };
                let _ = writeln!(all, "  {} kept, new: {:?}{asked}", moved.retained, moved.added);
            }
        }
    }
    insta::assert_snapshot!(all);
}

#[test]
fn nothing_changes_where_nothing_was_edited() {
    let stood = second();
    let moved = stood.moved(&[("work.yaml", &format!("# a comment\n{WORK}"))]);
    assert_eq!(moved.snapshot, stood.snapshot);
}

/// What is new takes its default, what was spent stays spent, and the run goes the way of the edited graph.
#[test]
fn the_run_goes_on_by_the_edited_graph() {
    let text = edited(
        WORK,
        &[
            ("  n: int = 0", "  n: float = 0.0\n  extra: int = most * 10"),
            ("n += 1", "n += 0.5"),
            ("{limit: most}", "{limit: most + 1, grace: 1}"),
            ("  end: {kind: final}", "  end: {kind: final, do: seen += string(extra)}"),
        ],
    );
    let mut moved = second().moved(&[("work.yaml", &text)]);
    assert_eq!(moved.field(0, "n"), 2.0);
    assert_eq!(moved.field(0, "extra"), 30);
    assert_eq!(moved.budget("rounds"), (2, 4));
    for _ in 0..3 {
        moved.answer("no");
    }
    assert_eq!(moved.budget("rounds"), (5, 4));
    moved.answer("yes");
    let output = serde_json::json!({"n": 3.5, "seen": ["no", "no", "no", "no", "yes", "30"]});
    assert_eq!(moved.done(), ("end".to_owned(), output));
}

/// A limit below what was spent is no fault: the gate just stays shut.
#[test]
fn more_may_be_spent_than_the_new_limit() {
    let text = edited(WORK, &[("{limit: most}", "{limit: 1}")]);
    let mut moved = second().moved(&[("work.yaml", &text)]);
    assert_eq!(moved.budget("rounds"), (2, 1));
    moved.answer("no");
    assert_eq!(moved.done().0, "end");
}

/// The question is put again in its new words, and its answer is read by its new form.
#[test]
fn a_question_of_another_form_is_put_anew() {
    let stood = second();
    let text = edited(WORK, &[("options: [yes, no]", "options: [yes, no, later]"), ("'Round '", "'Turn '")]);
    let (_, moved) = stood.carried(&[("work.yaml", &text)]);
    let moved = moved.expect("it fits");
    let [event] = moved.events.as_slice() else { panic!("one question is put: {:?}", moved.events) };
    assert_eq!((event.seq, moved.snapshot.seq), (stood.snapshot.seq, stood.snapshot.seq + 1));
    let EventKind::Asked(ask) = &event.kind else { panic!("a question is put") };
    assert_eq!(ask.text, "Turn 2 of some");
    assert_eq!(moved.snapshot.asks().next(), Some(&**ask));
    let mut moved = stood.moved(&[("work.yaml", &text)]);
    moved.answer("later");
    moved.answer("yes");
    assert_eq!(moved.done().1["seen"], serde_json::json!(["no", "later", "yes"]));
}

/// A node that was visited and is gone may come back under its name in a later edit: its calls must not have ids that
/// were used before.
#[test]
fn ids_of_calls_are_not_used_twice() {
    let tool =
        edited(WORK, &[("  first:\n", "  first: {kind: tool, tool: look, next: [{to: count}]}\n  count:\n")]);
    let mut stood = Stood::start(&[("work.yaml", &tool)], &[]);
    let first = stood.snapshot.calls().next().expect("it calls").id.0.clone();
    stood.answer("seen");
    let without = edited(
        WORK,
        &[("  first:\n", "  count:\n"), ("{to: first}", "{to: count}"), ("start: first", "start: count")],
    );
    let gone = stood.moved(&[("work.yaml", &without)]);
    let mut again = gone.moved(&[("work.yaml", &tool)]);
    again.answer("no");
    let second = again.snapshot.calls().next().expect("it calls").id.0.clone();
    assert_eq!(first, "run:first#1.1");
    assert!(second.ends_with(":first#1.1"));
    assert_ne!(first, second);
}

#[test]
fn neither_begun_nor_ended_it_is_carried() {
    let mut stood = second();
    stood.answer("yes");
    assert_eq!(stood.refused(&[("work.yaml", WORK)]), "the run has ended");
    stood.snapshot = loopwright::machine::Snapshot::new();
    assert_eq!(stood.refused(&[("work.yaml", WORK)]), "the run has not begun");
}
