//! Confirms witnesses by the evaluator that also runs graphs.

use std::cell::OnceCell;

use crate::compile::compile_unnamed;
use crate::machine::{Input, InputKind, Snapshot, Start, step_to};
use crate::model::Model;
use crate::model::node::EdgeId;
use crate::program::Program;
use crate::program::error::ErrorKind;
use crate::program::eval::{Eval, Scratch, World};
use crate::program::frame::Frame;
use crate::program::op::OpId;

/// The guards of a model as they run. They are compiled when they are needed first.
pub(in crate::check) struct Confirmation<'m> {
    model: &'m Model,
    program: OnceCell<Option<Program>>,
}

impl<'m> Confirmation<'m> {
    pub(in crate::check) const fn new(model: &'m Model) -> Self {
        Self { model, program: OnceCell::new() }
    }

    fn program(&self) -> Option<&Program> {
        self.program.get_or_init(|| compile_unnamed(self.model).ok()).as_ref()
    }

    /// True if a run of a graph that begins so ends as stuck before it takes an edge.
    pub(super) fn gets_stuck(&self, graph: usize, start: Start) -> bool {
        // A run is one of the first graph. No graph calls the one that takes its place.
        let swapped = (graph > 0).then(|| compile_unnamed(self.model).ok()).flatten().map(|mut program| {
            program.graphs.swap(0, graph);
            program
        });
        let Some(program) = (if graph > 0 { swapped.as_ref() } else { self.program() }) else { return false };
        let mut snapshot = Snapshot::new();
        let input = Input { at: 0, kind: InputKind::Started(Box::new(start)) };
        step_to(program, &mut snapshot, input, &mut Vec::new(), None, 1);
        snapshot.done.is_some_and(|done| done.outcome == ErrorKind::Stuck.name())
    }

    /// True if the condition of an input holds over that state, or it has none.
    pub(super) fn fits(&self, graph: usize, slot: usize, frame: &Frame) -> bool {
        self.agrees(graph, &[], &[slot], frame)
    }

    /// True if, over that state, each guard is as it is wanted, and the conditions of these inputs hold.
    pub(super) fn agrees(
        &self,
        graph: usize,
        wanted: &[(EdgeId, bool)],
        inputs: &[usize],
        frame: &Frame,
    ) -> bool {
        let Some(program) = self.program() else { return false };
        let code = &program.graphs[graph];
        let is = |op: OpId, wanted: bool| {
            let (world, mut scratch) = (World::default(), Scratch::default());
            let mut eval = Eval { program, graph: code, frame, world: &world, scratch: &mut scratch };
            eval.test(op).is_ok_and(|truth| truth == wanted)
        };
        inputs.iter().all(|slot| code.slots[*slot].condition.is_none_or(|op| is(op, true)))
            && wanted
                .iter()
                .all(|(edge, truth)| code.edges[edge.index()].when.is_some_and(|op| is(op, *truth)))
    }
}
