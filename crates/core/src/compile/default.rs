//! Defaults of record fields that are written as more than a constant (`2 * 3`, `duration('1m')`): computed here, once.

use super::types::OpenDefault;
use super::{CompileFault, Compiler};
use crate::program::Program;
use crate::program::eval::{Eval, Evaluated, Scratch, World};
use crate::program::frame::Frame;
use crate::program::graph::GraphCode;
use crate::program::op::{Op, OpId};
use crate::value::Value;

impl<'m> Compiler<'m> {
    /// Completes the shapes: every default is a value of its field's type from then on.
    pub(super) fn defaults(&mut self) {
        let open = self.types.open_defaults();
        if !open.is_empty() {
            self.compute(open);
        }
        self.types.settle_defaults();
    }

    fn compute(&mut self, open: Vec<OpenDefault<'m>>) {
        let ops: Vec<OpId> = open.iter().map(|default| self.expr(default.expr)).collect();
        // These ops serve here only; they are no part of the program.
        let tables = std::mem::take(&mut self.tables);
        if !self.faults.is_empty() {
            return;
        }
        let program = tables.program(vec![GraphCode::default()], self.types.shapes().clone());
        for (default, op) in open.into_iter().zip(ops) {
            match constant(&program, op) {
                Ok(value) => self.types.set_default(&default, value),
                Err(reason) => {
                    let OpenDefault { record, field, expr, .. } = default;
                    self.fault(CompileFault::Default { record, field, reason }, expr.span);
                }
            }
        }
    }
}

/// The value of an expression over nothing but constants.
fn constant(program: &Program, id: OpId) -> Result<Value, String> {
    if reads(program, id) {
        return Err("it is not a constant".to_owned());
    }
    let value = outside_of_runs(program, 0, id, &World::default(), &mut Scratch::default());
    value.map_err(|trouble| trouble.fault.message.to_string())
}

/// The value of an expression of a graph that reads nothing of a run but its world.
pub(super) fn outside_of_runs(
    program: &Program,
    graph: usize,
    id: OpId,
    world: &World,
    scratch: &mut Scratch,
) -> Evaluated<Value> {
    let (graph, frame) = (&program.graphs[graph], Frame::default());
    Eval { program, graph, frame: &frame, world, scratch }.eval(id)
}

/// Returns true if an expression reads anything of a run.
fn reads(program: &Program, id: OpId) -> bool {
    let mut open = vec![id];
    while let Some(id) = open.pop() {
        let op = &program.ops[id.0 as usize];
        if reads_run(op) {
            return true;
        }
        op.each_operand(&program.operands, |operand| open.push(operand));
    }
    false
}

/// Returns true if an operation reads something of a run by itself.
pub(super) const fn reads_run(op: &Op) -> bool {
    matches!(
        op,
        Op::Slot(_)
            | Op::Special(_)
            | Op::Let(..)
            | Op::Budget(..)
            | Op::InFamily(..)
            | Op::Step
            | Op::RolledBack
            | Op::Visits(_)
            | Op::InState(_)
            | Op::Render(..)
            | Op::Previous(..)
            | Op::Now
    )
}
