//! Going back to an earlier step.

use super::call::CallId;
use super::snapshot::{Back, Lane, Phase, Snapshot};
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

/// The snapshot of an earlier step as the run goes on from it now, on a branch of its own.
///
/// The journal goes on where it is; money and tokens that were spent stay spent. Calls get other ids than those that
/// were made before, also a call that was under way at that step: it is made again because a person wants it so.
#[must_use]
pub fn roll_back(program: &Program, mut then: Snapshot, now: &Snapshot) -> Snapshot {
    let old = std::mem::take(&mut then.run);
    then.run = ecow::eco_format!("{}{BRANCH}{}", run_id(now), now.seq);
    then.seq = now.seq;
    then.at = now.at;
    then.timer = None;
    then.back = Some(Back { from: now.step(), to: then.step() });
    // The lanes of the way that is left are gone: what still comes back from them is late, and billed to the run as a whole.
    let given_up = now.abandoned.iter().map(|(call, _)| call).chain(now.calls().map(|call| &call.id));
    then.abandoned = given_up.map(|call| (call.clone(), 0)).collect();
    for (place, lane) in then.lanes.iter_mut().enumerate() {
        let Some(lane) = lane else { continue };
        rename(lane, &old, &then.run);
        if let Some(Some(current)) = now.lanes.get(place) {
            keep_spent(program, lane, current);
        }
    }
    then
}

fn rename(lane: &mut Lane, old: &str, new: &str) {
    if let Phase::Calling(call) | Phase::Backoff { call, .. } = &mut lane.phase
        && let Some(rest) = call.id.0.strip_prefix(old)
    {
        call.id = CallId(ecow::eco_format!("{new}{rest}"));
    }
}

fn keep_spent(program: &Program, lane: &mut Lane, current: &Lane) {
    if lane.frame.graph != current.frame.graph {
        return;
    }
    let graph = &program.graphs[lane.frame.graph as usize];
    let spent_for_good =
        |budget: &BudgetCode| matches!(budget.charge, Some(Charge::ModelTokens | Charge::ModelCost));
    for (i, _) in graph.budgets.iter().enumerate().filter(|(_, budget)| spent_for_good(budget)) {
        if let (Some(old), Some(new)) = (lane.frame.counters.get_mut(i), current.frame.counters.get(i)) {
            old.used = old.used.max(new.used);
        }
    }
}
