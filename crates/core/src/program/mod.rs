//! The compiled form of a model: flat tables indexed by id, and the evaluation of expressions and statements.
//!
//! Nothing here refers to text; spans are in a side table. A [`Program`] holds the graph and every graph it
//! calls, and its digest covers them all, their texts and types.
//!
//! # Why
//! - A function pays for the data it touches before it touches them: a hostile value cannot be processed for free.
//! - Templates are rewritten before they are compiled, so that joining, comparing, repeating and loops are counted. The
//!   engine counts only its own instructions.
//! - The truth of a condition fits a register; its fault waits in the scratch room. Guards are evaluated more often than
//!   anything else.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod approval;
pub mod change;
pub mod code;
mod delivery;
mod digest;
pub mod error;
pub mod eval;
pub mod exec;
pub mod fault;
pub mod frame;
pub mod function;
pub mod graph;
pub mod kind;
pub mod level;
pub mod listing;
pub mod meter;
pub mod migration;
pub mod narrow;
pub mod op;
mod operator;
mod run_time_fault;
mod semantics;
pub mod shape;
mod stop;
pub mod template;

pub use approval::Approval;
pub use digest::digest;
pub use listing::listing;

use std::collections::BTreeMap;

pub use crate::source::Span;
use crate::value::{Str, Value};
use code::{Block, Code};
pub use fault::{Fault, FaultKind};
use function::Functions;
use graph::GraphCode;
pub use meter::Meter;
use op::{Op, OpId};
pub use operator::OperatorPause;
pub use run_time_fault::{FaultExample, RUN_TIME_FAULTS, RunTimeFault};
pub use semantics::Semantics;
use shape::Shapes;
pub use stop::{Stop, StopKind};

/// A run's state may not grow past this many mebibytes.
pub const MAX_STATE_MIB: i64 = 64;

/// A compiled graph with all it calls.
#[derive(Debug)]
pub struct Program {
    /// Indexed as in the model; 0 is the root.
    pub graphs: Vec<GraphCode>,
    /// All expressions of all graphs; an operand is before its operator.
    pub ops: Vec<Op>,
    /// The place of each op in its file.
    pub op_spans: Vec<Span>,
    /// Operand lists of ops with many operands.
    pub operands: Vec<OpId>,
    /// Constants.
    pub constants: Vec<Value>,
    /// Names: fields, kinds, nodes.
    pub names: Vec<Str>,
    /// All statements; a block is a range.
    pub codes: Vec<Code>,
    /// The place of each statement in its file.
    pub code_spans: Vec<Span>,
    /// Types that are checked at run time.
    pub shapes: Shapes,
    /// The number of `if` branches; each has an id below this.
    pub branches: u32,
    /// The place of each `if` branch; an absent `else` has the place of its `if`.
    pub branch_spans: Vec<Span>,
    /// The functions that its expressions may call.
    pub functions: Functions,
    /// The version of the meaning it goes by.
    pub semantics: Semantics,
    /// BLAKE3 over everything that decides what a run does, as 64 hex digits.
    pub digest: Str,
    /// The point at which the operator wants runs to stop; no part of the digest.
    pub operator: Option<OperatorPause>,
}

impl Program {
    /// The statements of a block.
    #[must_use]
    pub fn block(&self, block: Block) -> &[Code] {
        &self.codes[block.start as usize..(block.start + block.len) as usize]
    }

    /// The functions that it calls and that are not built in, by name, with their versions.
    #[must_use]
    pub fn own_functions(&self) -> Vec<(Str, u32)> {
        if self.functions.own_count() == 0 {
            return Vec::new();
        }
        let called = self.ops.iter().filter_map(|op| match op {
            Op::Call(function, _) => Some(self.functions.row(*function)),
            _ => None,
        });
        let own: BTreeMap<&str, u32> = called.filter_map(|row| Some((&*row.name, row.version?))).collect();
        own.into_iter().map(|(name, version)| (name.into(), version)).collect()
    }

    /// The operands of an op with many.
    #[must_use]
    pub fn list(&self, range: op::Range) -> &[OpId] {
        &self.operands[range.start as usize..(range.start + range.len) as usize]
    }
}
