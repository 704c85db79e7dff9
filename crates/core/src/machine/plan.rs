//! The lanes of a node that calls graphs, before the first of them starts.

use super::fault::{short, stop};
use crate::program::error::ErrorKind;
use crate::program::exec::Exec;
use crate::program::graph::{EachCode, Linked, LinkedNodeKind};
use crate::program::kind::{Callable, Candidate, GraphSource};
use crate::program::op::OpId;
use crate::program::{MAX_STATE_MIB, Stop};
use crate::value::Value;

/// The size of a lane that waits to be started, besides its inputs, in bytes.
const WAITING_LANE_BYTES: usize = 64;

/// The graphs and inputs of all lanes, computed before the first one starts.
pub(super) struct Plan {
    /// Each lane, in order.
    pub(super) lanes: Vec<PlannedLane>,
    /// The number of lanes that may run at a time.
    pub(super) at_once: u32,
}

/// The number of the graph that a lane runs, among those it may run, and its inputs.
pub(super) type PlannedLane = (u32, Vec<Option<Value>>);

/// Computes the lanes of a node that calls graphs.
pub(super) fn plan(exec: &mut Exec<'_>, kind: &LinkedNodeKind) -> Result<Plan, Stop> {
    match kind {
        LinkedNodeKind::Call(call) => Ok(Plan { lanes: vec![plan_lane(exec, &call.graph)?], at_once: 1 }),
        LinkedNodeKind::Parallel(parallel) => {
            let lanes = parallel.branches.iter().map(|branch| plan_lane(exec, &branch.graph));
            Ok(Plan { lanes: lanes.collect::<Result<_, _>>()?, at_once: u32::MAX })
        }
        LinkedNodeKind::Each(each) => plan_each(exec, each),
        _ => Ok(Plan { lanes: Vec::new(), at_once: 1 }),
    }
}

fn plan_each(exec: &mut Exec<'_>, each: &EachCode) -> Result<Plan, Stop> {
    let list = match exec.eval(each.over)? {
        Value::List(list) => list,
        other => {
            let message = format!("found {} where a list is wanted", other.type_name());
            return Err(stop(exec, ErrorKind::Evaluation, each.over, message));
        }
    };
    let int = |exec: &mut Exec<'_>, op: OpId| -> Result<i64, Stop> {
        match exec.eval(op)? {
            Value::Int(n) if n >= 0 => Ok(n),
            other => Err(stop(
                exec,
                ErrorKind::Evaluation,
                op,
                format!("found {other:?} where a number of lanes is wanted"),
            )),
        }
    };
    if let Some(limit) = each.limit {
        let most = int(exec, limit)?;
        if usize::try_from(most).is_ok_and(|most| list.len() > most) {
            let message = format!("the list has {} items, `limit` allows {most}", list.len());
            return Err(stop(exec, ErrorKind::TooLarge, limit, message));
        }
    }
    let at_once = each.at_once.map(|op| int(exec, op)).transpose()?;
    let at_once = at_once.map_or(u32::MAX, |n| u32::try_from(n.max(1)).unwrap_or(u32::MAX));
    let mut all = Vec::new();
    let mut room = usize::try_from(exec.room).unwrap_or(0);
    for item in &list {
        exec.scratch.set_local(each.item, item.clone());
        let (choice, inputs) = plan_lane(exec, &each.graph)?;
        if exec.program.semantics.bounds_starts() {
            let size: usize = inputs.iter().flatten().map(Value::size_estimate).sum();
            let Some(left) = room.checked_sub(size + WAITING_LANE_BYTES) else {
                let message = format!(
                    "the state would grow past {MAX_STATE_MIB} MiB with the inputs of {} called graphs",
                    list.len()
                );
                return Err(stop(exec, ErrorKind::TooLarge, each.over, message));
            };
            room = left;
        }
        all.push((choice, inputs));
    }
    Ok(Plan { lanes: all, at_once })
}

/// Chooses the graph of a lane, and computes the inputs of that graph alone.
fn plan_lane(exec: &mut Exec<'_>, source: &GraphSource<Linked>) -> Result<PlannedLane, Stop> {
    let (choice, callable) = match source {
        GraphSource::Fixed(callable) => (0, callable),
        GraphSource::Computed { name, among } => choose(exec, *name, among)?,
    };
    let inputs = callable.with.iter().map(|op| op.map(|op| exec.eval(op)).transpose());
    Ok((choice, inputs.collect::<Result<_, _>>()?))
}

/// The graph that an expression names, and its number.
fn choose<'c>(
    exec: &mut Exec<'_>,
    name: OpId,
    among: &'c [Candidate<Linked>],
) -> Result<(u32, &'c Callable<Linked>), Stop> {
    let value = exec.eval(name)?;
    let is_meant = |candidate: &Candidate<Linked>| value.as_str() == Some(candidate.name.as_str());
    let found = (0..).zip(among).find(|(_, candidate)| is_meant(candidate));
    found.map(|(number, candidate)| (number, &candidate.callable)).ok_or_else(|| {
        let names: Vec<&str> = among.iter().map(|candidate| candidate.name.as_str()).collect();
        let message =
            format!("found {} where one of the graphs {} is wanted", short(&value), names.join(", "));
        stop(exec, ErrorKind::Evaluation, name, message)
    })
}
