//! Runs held against what `check` says of them.

use std::collections::HashMap;
use std::sync::Mutex;

use loopwright::check::{Given, bound};
use loopwright::machine::{EventKind, Request};
use loopwright::model::Model;
use loopwright::model::expr::BudgetId;
use loopwright::program::Program;
use loopwright::scenario::Run;

use super::played::{graph, model};

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
    pub(crate) fn held(&self, run: &Run) -> (Counts, Counts) {
        let (did, most) = (done(run), self.most(run));
        let kept = did.iter().zip(&most).all(|(did, most)| did <= most);
        assert!(kept, "transitions, model calls, tool calls: {did:?} of at most {most:?}");
        (did, most)
    }

    fn most(&self, run: &Run) -> Counts {
        let unsigned = |amount: i64| u64::try_from(amount).expect("limits are not negative");
        let counters = &run.snapshot.root().expect("a run keeps its root").frame.counters;
        let limits: Vec<_> = counters.iter().map(|c| (unsigned(c.limit), unsigned(c.grace))).collect();
        let mut known = self.known.lock().expect("no other run failed");
        *known.entry(limits).or_insert_with_key(|limits| {
            let given: Given = (0..).map(BudgetId).zip(limits.iter().copied()).collect();
            let bound = bound(&self.model, &given).expect("the loop ends");
            bound.amounts().map(|(_, amount)| amount.number.expect("all limits are known"))
        })
    }
}

fn done(run: &Run) -> Counts {
    let mut counts = Counts::default();
    for event in &run.events {
        match &event.kind {
            EventKind::Took { .. } => counts[0] += 1,
            EventKind::Called(call) => match call.request {
                Request::Model { .. } => counts[1] += 1,
                Request::Tool { .. } => counts[2] += 1,
            },
            _ => {}
        }
    }
    counts
}
