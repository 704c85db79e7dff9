//! Runs held against what `check` says of them.

use std::collections::HashMap;
use std::sync::Mutex;

use loopwright::check::{bound, check_file};
use loopwright::machine::{Beginning, EventKind, Request};
use loopwright::model::{Files, Model};
use loopwright::program::Program;
use loopwright::scenario::{PlayedRun, RunFacts, Suite};
use loopwright::source::Sources;

use super::graphs::Repository;
use super::played::{graph, model};

use crate::rebuilt;

/// Transitions, model calls and tool calls.
pub(crate) type Counts = [u64; 3];

/// A graph with its bounds.
pub(crate) struct Bounded {
    pub(crate) program: Program,
    model: Model,
    /// Bounds that were worked out, by the limits and graces of a run.
    known: Mutex<HashMap<Vec<(u64, u64)>, Counts>>,
}

impl Bounded {
    /// A graph of the repository.
    pub(crate) fn of(path: &str) -> Self {
        Self { program: graph(path), model: model(path), known: Mutex::default() }
    }

    /// What a run did, and the most it could have done under its limits. It fails if the run did more.
    pub(crate) fn held(&self, run: &PlayedRun) -> (Counts, Counts) {
        let (did, most) = (done(run), self.most(run));
        let kept = did.iter().zip(&most).all(|(did, most)| did <= most);
        assert!(kept, "transitions, model calls, tool calls: {did:?} of at most {most:?}");
        (did, most)
    }

    /// Plays so many runs, four at a time, and holds each of them against its bound and the properties of its graphs. `play` is given the program and the number of the run.
    pub(crate) fn holds(&self, number: u64, play: impl Fn(&Program, u64) -> PlayedRun + Sync) {
        let number = rebuilt::fewer(number);
        let part = |part: u64| {
            let hold = |seed| {
                let run = play(&self.program, seed);
                assert!(
                    run.violations.is_empty(),
                    "{seed}: {:?}",
                    RunFacts::of(&self.program, &run).violates
                );
                self.held(&run)
            };
            let runs = (part..number).step_by(4).map(hold);
            runs.map(|([taken, ..], [most, ..])| taken * 100 / most).max()
        };
        let nearest = std::thread::scope(|scope| {
            let parts = [0, 1, 2, 3].map(|at| scope.spawn(move || part(at)));
            parts.map(|part| part.join().expect("every run holds")).into_iter().flatten().max()
        });
        println!("{number} runs, the longest took {} % of its bound", nearest.unwrap_or_default());
    }

    fn most(&self, run: &PlayedRun) -> Counts {
        let unsigned = |amount: i64| u64::try_from(amount).expect("limits are not negative");
        let counters = &run.snapshot.root().expect("a run keeps its root").frame.counters;
        let limits: Vec<_> = counters.iter().map(|c| (unsigned(c.limit), unsigned(c.grace))).collect();
        let mut known = self.known.lock().expect("no other run failed");
        *known.entry(limits).or_insert_with_key(|limits| {
            let begins = Beginning { limits: limits.iter().copied().map(Some).collect(), slots: Vec::new() };
            let bound = bound(&self.model, &begins).expect("the loop ends");
            bound.amounts().map(|(_, amount)| amount.number.expect("all limits are known"))
        })
    }
}

/// Asserts that a scenario of a graph takes at least four fifths of the transitions that `check` allows for.
pub(crate) fn comes_near(graph: &str, scenario: &str) {
    let scenarios = graph.replace(".yaml", ".scenarios.yaml");
    let loaded = Suite::load(&mut Sources::new(), &mut Repository::whole(), &scenarios);
    let suite = loaded.suite.expect("the scenarios can be played");
    let report =
        rebuilt::play_all(&suite).find(|report| report.name == scenario).expect("there is such a scenario");
    let ([taken, ..], [most, ..]) = Bounded::of(graph).held(&report.run);
    println!("{taken} of at most {most} transitions");
    assert!(taken * 5 >= most * 4, "{taken} of at most {most} transitions");
}

fn done(run: &PlayedRun) -> Counts {
    let mut counts = Counts::default();
    for event in &run.events {
        match &event.kind {
            EventKind::Took { .. } => counts[0] += 1,
            EventKind::Called(call) => match call.request {
                Request::Model { .. } => counts[1] += 1,
                _ => counts[2] += 1,
            },
            _ => {}
        }
    }
    counts
}

/// What `check` says of a graph, and why.
const SAID: [(&str, &str); 5] = [
    // Budgets of one name in two composites.
    (
        "graph: g
input: {k: int = 3}
budgets: {o: k}
start: c
nodes:
  c:
    budgets: {b: 2}
    start: m
    nodes:
      m: {do: spend b, next: [{to: m}, {to: d, on: exhausted(b)}]}
  d:
    budgets: {b: 50}
    start: n
    nodes:
      n: {do: spend b, next: [{to: n}, {to: q, on: exhausted(b)}]}
  q: {do: spend o, next: [{to: q}, {to: done, on: exhausted(o)}]}
  done: {kind: final}
",
        "3 + limit(o) + limit(c.b) + limit(d.b)",
    ),
    // An `each` and a budget of one name.
    (
        "graph: g
input: {n: int = 50, l: 'list<int> = [1]'}
budgets: {b: 2}
start: b
nodes:
  b: {kind: each, over: l, as: i, graph: child.yaml, limit: n, next: [{to: m}, {to: done, on: error}]}
  m: {do: spend b, next: [{to: m}, {to: done, on: exhausted(b)}]}
  done: {kind: final}
",
        "2 + limit(b) + items(b)",
    ),
    // The last unit is spent by an edge, and the transition is charged for all that.
    (
        "graph: g
budgets: {t: {limit: 3, charge: transitions}}
start: n
nodes:
  n: {next: [{to: n, do: spend t}, {to: done, on: exhausted(t)}]}
  done: {kind: final}
",
        "3",
    ),
    // Of the graphs that a node chooses from, the greatest counts.
    (
        "graph: g
input: {long: bool}
start: n
nodes:
  n:
    kind: call
    graph_of: \"long ? 'long' : 'short'\"
    graphs:
      short: child.yaml
      long: {start: a, nodes: {a: {next: b}, b: {next: c}, c: {kind: final}}}
    next: done
  done: {kind: final}
",
        "3",
    ),
    // More can be counted than a counter can.
    (
        "graph: g
budgets: {b: 9223372036854775807}
start: n
nodes:
  n: {do: spend b by 9223372036854775807, next: [{to: n}, {to: done, on: exhausted(b)}]}
  done: {kind: final}
",
        "2",
    ),
];

#[test]
fn bounds_say_what_they_depend_on() {
    for (text, wanted) in SAID {
        let child = "graph: child\nstart: a\nnodes:\n  a: {next: [{to: b}]}\n  b: {kind: final}\n";
        let mut files = Files::new().with("g.yaml", text.to_owned()).with("child.yaml", child.to_owned());
        let mut sources = Sources::new();
        let checked = check_file(&mut sources, &mut files, "g.yaml");
        let said = checked.model.as_ref().and_then(|model| bound(model, &Beginning::default()));
        let said = said.map(|bound| bound.transitions.to_string());
        let findings = loopwright::diag::text::render(&checked.findings, &sources, false);
        assert_eq!(said.as_deref(), Some(wanted), "{text}{findings}");
    }
}
