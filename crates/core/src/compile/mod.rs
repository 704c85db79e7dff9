//! From the model to the program.
//!
//! Every expression becomes a tree of [`Op`](crate::program::op::Op)s in one table, operands before operators; every
//! statement list a range of [`Code`](crate::program::code::Code)s. Nothing is decided here that `check` has not
//! decided: what can still fail are limits of size and the few things that need values (defaults of record fields, the
//! order of budgets' limits).

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod default;
mod expr;
mod fault;
mod fold;
mod graph;
mod judged;
mod limit;
mod literal;
mod node;
mod operator;
mod output;
mod statement;
mod tables;
mod types;

#[cfg(test)]
mod tests;

pub use fault::{CompileError, CompileFault};
pub use fold::KnownWorld;
pub use operator::compile_with_pause;
pub use output::output_schema;

use rustc_hash::FxHashMap;

use crate::model::Model;
use crate::model::record::TypeTable;
use crate::program::op::OpId;
use crate::program::shape::Shapes;
use crate::program::{Program, Semantics, digest};
use crate::source::{Span, Spanned};
use crate::value::{Str, Value};
use tables::Tables;
use types::Types;

/// Compiles a model that `check` has found nothing wrong with.
///
/// # Errors
/// All faults, in the order of the files' text: an expression without a type (the model has errors), a default that is no
/// constant or does not fit its field, limits that depend on each other in a circle, a text that is no template, a
/// program that is too large.
pub fn compile(model: &Model) -> Result<Program, Vec<CompileError>> {
    compile_as(model, Semantics::NEWEST)
}

/// [`compile()`] with a version of the meaning.
///
/// # Errors
/// Those of [`compile()`].
pub fn compile_as(model: &Model, semantics: Semantics) -> Result<Program, Vec<CompileError>> {
    let mut program = compile_unnamed(model)?;
    program.semantics = semantics;
    program.digest = digest(&program);
    Ok(program)
}

/// [`compile()`] with a constant in place of each expression that has one value in all runs, of which this is known.
///
/// # Errors
/// Those of [`compile()`].
pub fn compile_folded(model: &Model, known: KnownWorld) -> Result<Program, Vec<CompileError>> {
    let (mut program, first_ops) = compile_graphs(model)?;
    fold::fold(&mut program, &first_ops, known);
    program.digest = digest(&program);
    Ok(program)
}

/// [`compile()`] without a digest: for what evaluates parts of a program and never runs it.
///
/// # Errors
/// Those of [`compile()`].
pub fn compile_unnamed(model: &Model) -> Result<Program, Vec<CompileError>> {
    compile_graphs(model).map(|(program, _)| program)
}

/// The program without a digest, and the place of each graph's first operation.
fn compile_graphs(model: &Model) -> Result<(Program, Vec<usize>), Vec<CompileError>> {
    let mut compiler = Compiler::new(&model.types);
    let (mut graphs, mut first_ops) = (Vec::new(), Vec::new());
    for graph in &model.graphs {
        first_ops.push(compiler.tables.ops().0.len());
        graphs.push(compiler.graph(graph));
    }
    let Compiler { types, tables, mut faults, .. } = compiler;
    let (shapes, type_faults) = types.finish();
    faults.extend(type_faults);
    if !faults.is_empty() {
        faults.sort_by_key(|fault| (fault.span.file, fault.span.start));
        faults.dedup();
        return Err(faults);
    }
    let mut program = tables.program(graphs, shapes);
    program.functions = model.functions.clone();
    Ok((program, first_ops))
}

/// Compiles the model of a program that was stored, with the version of the meaning that its digest says; [`None`] if it is
/// another program.
///
/// # Errors
/// Those of [`compile()`].
pub fn compile_stored(model: &Model, stored: &str) -> Result<Option<Program>, Vec<CompileError>> {
    let mut program = compile(model)?;
    let fits = Semantics::all().any(|semantics| {
        program.semantics = semantics;
        program.digest = digest(&program);
        program.digest == stored
    });
    Ok(fits.then_some(program))
}

/// One compilation.
struct Compiler<'m> {
    types: Types<'m>,
    tables: Tables,
    schemas: FxHashMap<u32, Value>,
    faults: Vec<CompileError>,
    /// The depth of the current expression or block.
    depth: u32,
    /// The number of these levels that are blocks.
    blocks: u32,
    /// The expressions that the current graph's properties remember.
    remembered: Vec<OpId>,
}

impl<'m> Compiler<'m> {
    fn new(types: &'m TypeTable) -> Self {
        let mut compiler = Self {
            types: Types::new(types),
            tables: Tables::default(),
            schemas: FxHashMap::default(),
            faults: Vec::new(),
            depth: 0,
            blocks: 0,
            remembered: Vec::new(),
        };
        compiler.defaults();
        compiler
    }

    fn fault(&mut self, kind: CompileFault, span: Span) {
        self.faults.push(CompileError { kind, span });
    }
}

/// The shapes of all records of a table: the shape of a record has the number of its id.
///
/// # Errors
/// A default that is no constant or does not fit its field.
pub fn shapes(types: &TypeTable) -> Result<Shapes, Vec<CompileError>> {
    let Compiler { types, mut faults, .. } = Compiler::new(types);
    let (shapes, type_faults) = types.finish();
    faults.extend(type_faults);
    if faults.is_empty() { Ok(shapes) } else { Err(faults) }
}

fn index(i: impl TryInto<u32>) -> u32 {
    i.try_into().unwrap_or(u32::MAX)
}

fn owned(name: &Spanned<Str>) -> Str {
    name.value.clone()
}
