//! Bounds of runs whose inputs are known: what they begin with bounds a measure, as long as nothing raises it on the way.

use loopwright::check::bound;
use loopwright::machine::beginning;
use loopwright::value::Value;
use serde_json::{Value as Json, json};

use super::{checked, program};

/// The amounts of a graph for these inputs, in the order of [`loopwright::check::Bound::amounts`].
fn amounts(text: &str, input: &Json) -> [String; 3] {
    let checked = checked(text);
    let model = checked.model.as_ref().filter(|_| checked.bound.is_some());
    let model = model.unwrap_or_else(|| panic!("{text}\n{:?}", checked.findings));
    let Value::Map(input) = Value::from_json(input) else { panic!("inputs are a map") };
    let begins = beginning(&program(&checked, text), &input).unwrap_or_else(|why| panic!("{text}\n{why}"));
    let bound = bound(model, &begins).unwrap_or_else(|| panic!("{text}\nno bound"));
    bound.amounts().map(|(_, amount)| amount.to_string())
}

/// A loop at a gate.
struct Looped {
    input: &'static str,
    state: &'static str,
    before: &'static str,
    guard: &'static str,
    round: &'static str,
}

impl Looped {
    fn text(&self) -> String {
        let Self { input, state, before, guard, round } = self;
        format!(
            "graph: g
types: {{Order: {{lines: list<int>}}}}
input: {{{input}}}
state: {{{state}, x: string = ''}}
texts: {{hello: hello}}
roles: [asked]
start: first
nodes:
  first: {{kind: model, role: asked, prompt: hello, output: string, into: x, next: [{{to: before}}, {{to: end, on: error}}]}}
  before: {{do: \"{before}\", next: gate}}
  gate: {{kind: choice, next: [{{to: gate, when: \"{guard}\", do: \"{round}\"}}, {{to: end}}]}}
  end: {{kind: final}}
"
        )
    }
}

/// A queue that begins with the parcels of the input.
const QUEUE: Looped = Looped {
    input: "parcels: list<string>",
    state: "left: list<string> = parcels",
    before: "x = ''",
    guard: "size(left) > 0",
    round: "left = left.slice(1, size(left))",
};

/// An index that goes up to an input.
const INDEX: Looped =
    Looped { input: "n: int", state: "i: int = 0", before: "x = ''", guard: "i < n", round: "i += 1" };

/// A graph for each item, then a loop whose model is tried several times.
const EACH: &str = "graph: g
input: {parcels: list<string>, most: int, tries: 'int(1..9)'}
texts: {hello: hello}
roles: [asked]
start: all
nodes:
  all:
    kind: each
    over: parcels
    limit: most
    as: p
    graph:
      input: {p: string}
      texts: {hello: hello}
      roles: [asked]
      start: ask
      nodes:
        ask: {kind: model, role: asked, prompt: hello, output: string, next: [{to: end}, {to: end, on: error}]}
        end: {kind: final}
    with: {p: p}
    on_error: collect
    next: again
  again: {next: [{to: once, when: visits(again) < tries}, {to: end}]}
  once:
    kind: model
    role: asked
    prompt: hello
    output: string
    retry: {attempts: tries, on: [unavailable], first: 1s}
    next: [{to: again}, {to: end, on: error}]
  end: {kind: final}
";

#[test]
fn inputs_bound_what_is_measured() {
    let parcels = json!({"parcels": ["a", "b", "c"]});
    let four = json!({"n": 4});
    // Three transitions beside the rounds.
    let rows = [
        (QUEUE, &parcels, "6"),
        (Looped { before: QUEUE.round, ..QUEUE }, &parcels, "6"),
        (Looped { before: "left = parcels.filter(p, p != '')", ..QUEUE }, &parcels, "6"),
        (Looped { before: "left = parcels + ['x', 'y']", ..QUEUE }, &parcels, "8"),
        (INDEX, &four, "7"),
        (Looped { state: "i: int = 2", ..INDEX }, &four, "5"),
        (
            Looped { input: "order: Order", guard: "i < size(order.lines)", ..INDEX },
            &json!({"order": {"lines": [5, 6]}}),
            "5",
        ),
        (
            Looped {
                input: "cost: usd",
                state: "left: usd = cost",
                guard: "left > usd(0)",
                round: "left = left - usd(1)",
                ..INDEX
            },
            &json!({"cost": 3}),
            "6",
        ),
    ];
    for (looped, input, wanted) in rows {
        let text = looped.text();
        assert_eq!(amounts(&text, input)[0], wanted, "{text}\n{input}");
    }
}

#[test]
fn what_is_raised_on_the_way_is_not_bounded_by_what_it_begins_with() {
    let parcels = json!({"parcels": ["a", "b", "c"]});
    let rows = [
        (Looped { before: "left += 'more'", ..QUEUE }, &parcels, "3 + items(left)"),
        (Looped { before: "left = left + left", ..QUEUE }, &parcels, "3 + items(left)"),
        (Looped { before: "left = x.split(',')", ..QUEUE }, &parcels, "3 + items(left)"),
        (
            Looped {
                state: "left: 'list<string> = []', a: 'list<string> = []', b: list<string> = parcels",
                before: "left = a\\na = b\\nb = b + ['more']",
                ..QUEUE
            },
            &parcels,
            "3 + items(left)",
        ),
        (
            Looped { state: "i: int = n", before: "i = i + i", guard: "i > 0", round: "i = i - 1", ..INDEX },
            &json!({"n": 4}),
            "3 + max(i, 0)",
        ),
    ];
    for (looped, input, wanted) in rows {
        let text = looped.text();
        assert_eq!(amounts(&text, input)[0], wanted, "{text}\n{input}");
    }
}

#[test]
fn inputs_bound_lists_limits_and_attempts() {
    let calls = |parcels: &[&str], most: u32, tries: u32| {
        amounts(EACH, &json!({"parcels": parcels, "most": most, "tries": tries}))[1].clone()
    };
    // One for each item, and as many rounds as visits, with as many attempts each.
    assert_eq!(calls(&["a", "b", "c"], 9, 2), "7");
    assert_eq!(calls(&["a", "b", "c"], 2, 1), "3");
    assert_eq!(calls(&[], 9, 3), "9");
}
