//! The program's tables while they grow.

use rustc_hash::FxHashMap;

use super::index;
use crate::program::code::{Block, Code};
use crate::program::function::Functions;
use crate::program::graph::GraphCode;
use crate::program::op::{Op, OpId, Range};
use crate::program::shape::Shapes;
use crate::program::{Program, Semantics};
use crate::source::Span;
use crate::value::{Str, Value};

/// The most operations, and the most statements, of a program.
pub(super) const MAX_OPS: usize = 1 << 22;

/// Tables of a program and what has been put into them.
#[derive(Default)]
pub(super) struct Tables {
    ops: Vec<Op>,
    op_spans: Vec<Span>,
    operands: Vec<OpId>,
    constants: Vec<Value>,
    constant_ids: FxHashMap<String, u32>,
    names: Vec<Str>,
    name_ids: FxHashMap<Str, u32>,
    name_runs: FxHashMap<Vec<Str>, u32>,
    codes: Vec<Code>,
    code_spans: Vec<Span>,
    branch_spans: Vec<Span>,
}

impl Tables {
    /// Returns true if the tables are so large that nothing more is put in.
    pub(super) const fn is_full(&self) -> bool {
        self.ops.len() >= MAX_OPS || self.codes.len() >= MAX_OPS
    }

    pub(super) const fn op(&self, id: OpId) -> Op {
        self.ops.as_slice()[id.0 as usize]
    }

    pub(super) fn operation(&mut self, op: Op, span: Span) -> OpId {
        self.ops.push(op);
        self.op_spans.push(span);
        OpId(index(self.ops.len() - 1))
    }

    /// The depth of an expression, in levels.
    pub(super) fn levels(&self, root: OpId) -> u32 {
        let (mut deepest, mut open) = (0, vec![(root, 1)]);
        while let Some((id, level)) = open.pop() {
            deepest = deepest.max(level);
            self.op(id).each_operand(&self.operands, |operand| open.push((operand, level + 1)));
        }
        deepest
    }

    pub(super) fn list(&mut self, operands: &[OpId]) -> Range {
        let start = index(self.operands.len());
        self.operands.extend_from_slice(operands);
        Range { start, len: index(operands.len()) }
    }

    /// A constant; equal ones share a place. `1` and `1.0` are not equal here, nor are maps of another order.
    pub(super) fn constant(&mut self, value: Value) -> u32 {
        let key = serde_json::to_string(&value).expect("a value always has its lossless form");
        *self.constant_ids.entry(key).or_insert_with(|| {
            self.constants.push(value);
            index(self.constants.len() - 1)
        })
    }

    pub(super) fn name(&mut self, name: &Str) -> u32 {
        if let Some(id) = self.name_ids.get(name) {
            return *id;
        }
        self.names.push(name.clone());
        let id = index(self.names.len() - 1);
        self.name_ids.insert(name.clone(), id);
        id
    }

    /// Names that must follow each other; returns the first one's place.
    pub(super) fn name_run(&mut self, names: Vec<Str>) -> u32 {
        if let Some(start) = self.name_runs.get(&names) {
            return *start;
        }
        let start = index(self.names.len());
        self.names.extend(names.iter().cloned());
        self.name_runs.insert(names, start);
        start
    }

    pub(super) fn block(&mut self, codes: Vec<(Code, Span)>) -> Block {
        let block = Block { start: index(self.codes.len()), len: index(codes.len()) };
        for (code, span) in codes {
            self.codes.push(code);
            self.code_spans.push(span);
        }
        block
    }

    /// Numbers the branches of an `if`; returns the first.
    pub(super) fn branches(&mut self, spans: impl IntoIterator<Item = Span>) -> u32 {
        let first = index(self.branch_spans.len());
        self.branch_spans.extend(spans);
        first
    }

    pub(super) fn program(self, graphs: Vec<GraphCode>, shapes: Shapes) -> Program {
        Program {
            graphs,
            ops: self.ops,
            op_spans: self.op_spans,
            operands: self.operands,
            constants: self.constants,
            names: self.names,
            codes: self.codes,
            code_spans: self.code_spans,
            shapes,
            branches: index(self.branch_spans.len()),
            branch_spans: self.branch_spans,
            functions: Functions::new(),
            semantics: Semantics::NEWEST,
            digest: Str::new(),
            operator: None,
        }
    }

    pub(super) fn ops(&self) -> (&[Op], &[OpId]) {
        (&self.ops, &self.operands)
    }
}
