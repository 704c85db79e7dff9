//! Reads of an answer during a step: the parts of it that decide what the step does.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use super::Eval;
use crate::program::Program;
use crate::program::op::{Op, OpId, Special};
use crate::value::Str;

/// The places of a frame that hold an answer, and the ops that read it.
#[derive(Debug, Default)]
pub struct ReadWatch {
    graph: u32,
    slot: Option<u32>,
    /// By op: it reads a part of the answer.
    ops: Vec<bool>,
}

/// A read of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum AnswerRead {
    /// By the machine: if it fits. This is always the first read.
    Fit,
    /// By an op that follows a path from `result`, the variable or, if the answer does not fit, `error`, or that compares the value
    /// there with a constant.
    Op(OpId),
    /// A field of the variable, or all of it where it is no record.
    Field(Str),
    /// All of the variable.
    Slot,
    /// All of `result` or `error`.
    Special,
}

/// The reads of an answer, in the order in which they were made, each once.
///
/// A step is a function of what it reads: of two answers that agree on all reads of one, the step does the same with the other.
/// A read of the same place before the answer is there, or after it is overwritten, counts as one of the answer. That tells more
/// answers apart than need be, and never fewer.
#[derive(Debug, Default)]
pub struct ReadLog {
    watch: Arc<ReadWatch>,
    reads: RefCell<Vec<AnswerRead>>,
    /// True inside of a path that is noted as a whole.
    is_quiet: Cell<bool>,
}

impl ReadWatch {
    /// A watch over `result`, `error` and a variable of a graph.
    #[must_use]
    pub fn new(program: &Program, graph: u32, slot: Option<u32>) -> Self {
        let mut watch = Self { graph, slot, ops: Vec::new() };
        let ids = (0..).map(OpId).take(program.ops.len());
        watch.ops = ids.map(|id| watch.is_read(program, id)).collect();
        watch
    }

    fn is_read(&self, program: &Program, id: OpId) -> bool {
        match program.ops[id.0 as usize] {
            Op::IsConst { target, .. } => self.is_path(program, target),
            _ => self.is_path(program, id),
        }
    }

    fn is_path(&self, program: &Program, mut id: OpId) -> bool {
        loop {
            match program.ops[id.0 as usize] {
                Op::Field { target, .. } => id = target,
                Op::Slot(slot) => return self.slot == Some(slot),
                Op::Special(Special::Result | Special::Error) => return true,
                _ => return false,
            }
        }
    }
}

impl ReadLog {
    /// A log of an answer that was looked at, and no more.
    #[must_use]
    pub fn new(watch: Arc<ReadWatch>) -> Self {
        Self { watch, reads: RefCell::new(vec![AnswerRead::Fit]), is_quiet: Cell::new(false) }
    }

    /// Notes that a variable is read as a whole.
    pub fn slot(&self, graph: u32, slot: u32) {
        if graph == self.watch.graph && self.watch.slot == Some(slot) {
            self.add(AnswerRead::Slot);
        }
    }

    /// Notes that a field of a variable is read.
    pub fn field(&self, graph: u32, slot: u32, name: &Str) {
        if graph == self.watch.graph && self.watch.slot == Some(slot) {
            self.add(AnswerRead::Field(name.clone()));
        }
    }

    /// Notes that `result` or `error` is read as a whole.
    pub fn special(&self, graph: u32) {
        if graph == self.watch.graph {
            self.add(AnswerRead::Special);
        }
    }

    /// The reads in their order.
    #[must_use]
    pub fn into_reads(self) -> Vec<AnswerRead> {
        self.reads.into_inner()
    }

    fn is_watched(&self, graph: u32, id: OpId) -> bool {
        graph == self.watch.graph && self.watch.ops.get(id.0 as usize).copied().unwrap_or(false)
    }

    #[cold]
    fn op(&self, graph: u32, id: OpId) {
        if !self.is_quiet.get() && self.is_watched(graph, id) {
            self.add(AnswerRead::Op(id));
        }
    }

    fn add(&self, read: AnswerRead) {
        let mut reads = self.reads.borrow_mut();
        if !reads.contains(&read) {
            reads.push(read);
        }
    }
}

impl Eval<'_> {
    /// Notes that an op reads its value.
    #[inline]
    pub(super) fn note(&self, id: OpId) {
        if let Some(reads) = &self.scratch.reads {
            reads.op(self.frame.graph, id);
        }
    }

    /// Notes a path as a whole, and nothing on the way along it until [`Eval::end_path`] has taken what this returns.
    pub(super) fn begin_path(&self, id: OpId) -> bool {
        let Some(reads) = &self.scratch.reads else { return false };
        reads.op(self.frame.graph, id);
        let is_quiet = reads.is_quiet.get();
        reads.is_quiet.set(is_quiet || reads.is_watched(self.frame.graph, id));
        is_quiet
    }

    pub(super) fn end_path(&self, is_quiet: bool) {
        if let Some(reads) = &self.scratch.reads {
            reads.is_quiet.set(is_quiet);
        }
    }
}
