//! The extended state of one lane.

use super::Carrier;
use super::pairing::Pairing;
use crate::machine::{enter, start};
use crate::program::change::ChangeLog;
use crate::program::eval::{Scratch, World};
use crate::program::exec::{Exec, Undo};
use crate::program::frame::Frame;
use crate::program::graph::{GraphCode, LinkedNodeKind};
use crate::program::migration::Migration;
use crate::program::{Program, Stop, StopKind};
use crate::value::{Str, Value};

impl<'a> Carrier<'a> {
    /// A frame as it is in the other program. Where something is missing there it is reported, and a place is left for it.
    pub(super) fn frame(&mut self, frame: &Frame, pairing: &Pairing<'a>) -> Frame {
        let Frame {
            graph: _,
            slots: _,
            counters: _,
            families: _,
            visits,
            node,
            steps,
            result,
            error,
            outcome,
        } = frame;
        let mut moved = start::blank(self.new, pairing.index.1);
        let here = self.node(*node, pairing);
        moved.node = here.unwrap_or_default();
        let active = Active::at(pairing, *node);
        let fresh = self.fields(frame, &mut moved, pairing, &active);
        if let Some(fresh) = &fresh {
            self.budgets(frame, &mut moved, pairing, &active, fresh);
        }
        for (new, old) in pairing.named.iter().enumerate() {
            moved.visits[new] = old.map_or(0, |old| visits[old as usize]);
        }
        let stay: rustc_hash::FxHashSet<u32> = pairing.named.iter().flatten().copied().collect();
        self.renamed |= (0..)
            .zip(visits)
            .any(|(old, visits)| *visits > 0 && (!stay.contains(&old) || pairing.is_renamed(old)));
        moved.steps = *steps;
        moved.result = self.result(result, *node, here, pairing);
        moved.error = error.clone();
        moved.outcome = outcome.clone();
        moved
    }

    /// The node a lane is at: of the same path and kind.
    fn node(&mut self, node: u32, pairing: &Pairing<'a>) -> Option<u32> {
        let path = pairing.old_path(node);
        let name = &pairing.old.nodes[node as usize].name;
        let Some(found) = pairing.node(node) else {
            let elsewhere = pairing.new.nodes.iter().zip(0..).find(|(node, _)| node.name == *name);
            self.refuse(match elsewhere {
                Some((_, place)) => {
                    let now = pairing.new_path(place);
                    format!("the run is at `{path}`; now that node is `{now}`, in another place")
                }
                None => format!("the run is at `{path}`; the graph has no such node now"),
            });
            return None;
        };
        let [was, is] = [&pairing.old.nodes[node as usize].kind, &pairing.new.nodes[found as usize].kind];
        if std::mem::discriminant(was) != std::mem::discriminant(is) {
            let (was, is) = (was.phrase(), is.phrase());
            self.refuse(format!("the run is at `{path}`, which was {was}; now it is {is}"));
            return None;
        }
        Some(found)
    }

    /// Carries the result of the lane's node over: guards of its edges may read it.
    fn result(&mut self, result: &Value, was: u32, is: Option<u32>, pairing: &Pairing<'a>) -> Value {
        let Some(is) = is.filter(|_| !result.is_null()) else { return result.clone() };
        let types = (&pairing.old.nodes[was as usize].kind, &pairing.new.nodes[is as usize].kind);
        let shapes = match types {
            (LinkedNodeKind::Model(was), LinkedNodeKind::Model(is)) => (was.output.shape, is.output.shape),
            (LinkedNodeKind::Human(was), LinkedNodeKind::Human(is)) => (was.answer.shape, is.answer.shape),
            _ => return result.clone(),
        };
        self.value(shapes, result).unwrap_or_else(|why| {
            let path = pairing.old_path(was);
            self.refuse(format!("the result of `{path}` does not fit its type now: {why}"));
            Value::Null
        })
    }
}

/// The composites a lane is in, by the names they have now.
pub(super) struct Active<'a> {
    names: Vec<&'a Str>,
    migration: &'a Migration,
}

impl<'a> Active<'a> {
    fn at(pairing: &Pairing<'a>, node: u32) -> Self {
        let here = &pairing.old.nodes[node as usize];
        let own = matches!(here.kind, LinkedNodeKind::Composite(_)).then_some(node);
        let around = here.chain.iter().copied().chain(own);
        let migration = &pairing.new.migration;
        let names = around.map(|composite| migration.node(&pairing.old.nodes[composite as usize].name));
        Self { names: names.collect(), migration }
    }

    /// Returns true if what belongs to this composite is alive. What belongs to none always is.
    pub(super) fn holds(&self, graph: &GraphCode, scope: Option<u32>) -> bool {
        let now = |scope: u32| self.migration.node(&graph.nodes[scope as usize].name);
        scope.is_none_or(|scope| self.names.contains(&now(scope)))
    }
}

/// A frame as its graph begins with these inputs, and every composite as if it had just been entered: defaults and
/// limits read nothing but inputs.
pub(super) fn begun(
    program: &Program,
    graph: u32,
    inputs: Vec<Option<Value>>,
    world: &World,
) -> Result<Frame, String> {
    let mut frame = start::blank(program, graph);
    within(program, &mut frame, world, |exec| {
        let graph = exec.graph;
        for (place, value) in inputs.into_iter().enumerate() {
            let default = graph.slots[place].init;
            exec.frame.slots[place] = match (value, default) {
                (Some(value), _) => value,
                (None, Some(default)) => exec.eval(default)?,
                (None, None) => Value::Null,
            };
            exec.scratch.forget();
        }
        for (place, slot) in graph.slots.iter().enumerate().skip(graph.inputs as usize) {
            exec.frame.slots[place] = slot.init.map_or(Ok(Value::Null), |op| exec.eval(op))?;
            exec.scratch.forget();
        }
        enter::limits(exec, &graph.limits)?;
        // A limit may read one of a composite around its own.
        let mut composites: Vec<_> = graph.nodes.iter().collect();
        composites.sort_by_key(|node| node.chain.len());
        for node in composites {
            if let LinkedNodeKind::Composite(composite) = &node.kind {
                enter::limits(exec, &composite.limits)?;
            }
        }
        Ok(())
    })?;
    Ok(frame)
}

/// Evaluates something over a frame, apart from any run.
pub(super) fn within<T>(
    program: &Program,
    frame: &mut Frame,
    world: &World,
    work: impl FnOnce(&mut Exec<'_>) -> Result<T, Stop>,
) -> Result<T, String> {
    let (mut scratch, mut changes, mut undo) = (Scratch::default(), ChangeLog::default(), Undo::default());
    let mut exec = Exec {
        program,
        graph: &program.graphs[frame.graph as usize],
        frame,
        world,
        scratch: &mut scratch,
        changes: &mut changes,
        undo: &mut undo,
        room: i64::MAX,
        depth: 0,
    };
    work(&mut exec).map_err(|stop| match stop.into_kind() {
        StopKind::Error { message, .. } => message.to_string(),
        StopKind::Exhausted { .. } => "nothing can be spent here".to_owned(),
    })
}
