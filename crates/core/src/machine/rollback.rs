//! Going back to an earlier step.

use super::input::Time;
use super::snapshot::{Lane, SentBack, Snapshot};
use crate::program::Program;
use crate::program::graph::{BudgetCode, Charge};
use crate::value::Str;

/// Stands between a run's id and the branch it is on, in [`Snapshot::run`].
const BRANCH: char = '~';

/// The id of the run a snapshot belongs to, whatever branch it is on.
#[must_use]
pub fn run_id(snapshot: &Snapshot) -> Str {
    snapshot.run.split(BRANCH).next().unwrap_or_default().into()
}

/// The snapshot of an earlier step, as [`step_to`](super::step_to) halts there, as the run continues from it `at` a later
/// time: with the next input it enters the node again.
///
/// The journal continues where it is; money and tokens that were spent stay spent. Calls get other ids than those that
/// were made before: they are made again because a person wants it so.
#[must_use]
pub fn roll_back(program: &Program, mut then: Snapshot, now: &Snapshot, at: Time) -> Snapshot {
    then.run = branch(now);
    then.seq = now.seq;
    then.at = at.max(now.at);
    then.timer = None;
    then.back = Some(SentBack { from: now.step(), to: then.step() });
    // The lanes of the way that is left are gone: what still comes back from them is late, and billed to the run as a whole.
    let given_up = now.abandoned.iter().map(|(call, _)| call).chain(now.calls().map(|call| &call.id));
    then.abandoned = given_up.map(|call| (call.clone(), 0)).collect();
    if let (Some(Some(lane)), Some(current)) = (then.lanes.first_mut(), now.root()) {
        keep_spent(program, lane, current);
    }
    then
}

/// The snapshot of a step as another run begins with it. What it counted as spent counts there, too.
#[must_use]
pub fn branch_off(then: Snapshot, run: Str, at: Time) -> Snapshot {
    Snapshot { run, at: at.max(then.at), seq: 0, timer: None, back: None, abandoned: Vec::new(), ..then }
}

/// The run on a branch of its own from here on: no id of a call is like one of before.
pub(super) fn branch(now: &Snapshot) -> Str {
    ecow::eco_format!("{}{BRANCH}{}", run_id(now), now.seq)
}

fn keep_spent(program: &Program, lane: &mut Lane, current: &Lane) {
    let graph = &program.graphs[lane.frame.graph as usize];
    let spent_for_good =
        |budget: &BudgetCode| matches!(budget.charge, Some(Charge::ModelTokens | Charge::ModelCost));
    for (i, _) in graph.budgets.iter().enumerate().filter(|(_, budget)| spent_for_good(budget)) {
        if let (Some(old), Some(new)) = (lane.frame.counters.get_mut(i), current.frame.counters.get(i)) {
            old.used = old.used.max(new.used);
        }
    }
}
