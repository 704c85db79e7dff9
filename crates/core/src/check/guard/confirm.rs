//! Confirms witnesses by the evaluator that also runs graphs.

use std::cell::OnceCell;

use crate::compile::compile_unnamed;
use crate::model::Model;
use crate::model::node::EdgeId;
use crate::program::Program;
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

    /// True if, over that state, each guard is as it is wanted, and the conditions of these inputs hold.
    pub(super) fn agrees(
        &self,
        graph: usize,
        wanted: &[(EdgeId, bool)],
        inputs: &[usize],
        frame: &Frame,
    ) -> bool {
        let program = self.program.get_or_init(|| compile_unnamed(self.model).ok());
        let Some(program) = program else { return false };
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
