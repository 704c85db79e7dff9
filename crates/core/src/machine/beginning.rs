//! The beginning of a run: the limits of its budgets, and its state.

use super::enter;
use super::fault;
use super::input::Start;
use super::origin::Origins;
use super::snapshot::Snapshot;
use super::step::Machine;
use crate::program::Program;
use crate::program::graph::LinkedNodeKind;
use crate::value::{Map, Str, Value};

/// The beginning of a run.
#[derive(Debug, Clone, Default)]
pub struct Beginning {
    /// The limit and the grace of each budget of the graph, those of all keys of a family together. Nothing for a budget of a
    /// composite whose limit cannot be computed then.
    pub limits: Vec<Option<(u64, u64)>>,
    /// The values of the inputs and the state by slot. The state of a composite is null.
    pub slots: Vec<Value>,
}

/// The beginning of a run with these inputs.
///
/// # Errors
/// The message of the error with which such a run ends before it begins.
pub fn beginning(program: &Program, input: &Map) -> Result<Beginning, Str> {
    let (mut snapshot, mut out, mut origins) = (Snapshot::default(), Vec::new(), Vec::new());
    let world = snapshot.world();
    let mut machine = Machine::new(program, &mut snapshot, &mut out, world, Origins::new(&mut origins));
    machine.start(Start { input: input.clone(), ..Start::default() });
    if let Some(done) = &machine.snap.done {
        return Err(Str::from(fault::text(&done.error, "message")));
    }
    let graph = &program.graphs[0];
    let mut known = vec![true; graph.budgets.len()];
    for node in &graph.nodes {
        let LinkedNodeKind::Composite(composite) = &node.kind else { continue };
        let (result, _) = machine.unit(0, |exec| enter::limits(exec, &composite.limits));
        if result.is_err() {
            let meters = composite.families.iter().flat_map(|id| &graph.families[*id as usize].meters);
            for budget in composite.budgets.iter().chain(meters) {
                known[*budget as usize] = false;
            }
        }
    }
    let frame = &machine.lane(0).frame;
    let unsigned = |amount: i64| u64::try_from(amount).unwrap_or(0);
    let mut all: Vec<_> =
        frame.counters.iter().map(|c| Some((unsigned(c.limit), unsigned(c.grace)))).collect();
    for (family, counters) in graph.families.iter().zip(&frame.families) {
        for (column, budget) in family.meters.iter().enumerate() {
            let meters =
                counters.rows.iter().map(|row| (unsigned(row[column].limit), unsigned(row[column].grace)));
            let sum = meters.fold((0_u64, 0_u64), |sum, meter| {
                (sum.0.saturating_add(meter.0), sum.1.saturating_add(meter.1))
            });
            all[*budget as usize] = Some(sum);
        }
    }
    for (limit, known) in all.iter_mut().zip(known) {
        *limit = limit.filter(|_| known);
    }
    Ok(Beginning { limits: all, slots: frame.slots.clone() })
}
