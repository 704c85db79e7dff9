//! A program as text.
//!
//! The listing holds all that decides what a run does: types, variables, budgets and the order of their limits, lets,
//! actions, texts, nodes, edges. It leaves out what does not: titles, docs, labels, views, places in files. So two programs
//! with one listing run alike, and the digest of a program is the hash of its listing. Whoever changes the form of the
//! listing changes every digest; [`LISTING_VERSION`] says so in the first line. The line below it says by which version of the
//! meaning ([`Semantics`]) the program goes, from the second version on. Of the functions that are not built in it names those that the
//! program calls, with their versions: what they do is in no listing.

mod expr;
mod graph;
mod names;
mod node;
mod statement;
mod types;
mod value;
mod words;

use std::collections::BTreeSet;
use std::fmt;
use std::rc::Rc;

use super::graph::GraphCode;
use super::{Program, Semantics};
use names::{ListingNames, RecordNames};
pub use value::literal;
pub use words::{RecordWords, Words, records_of};

/// The version of the form of a listing. A new one gives every program another digest.
pub const LISTING_VERSION: u32 = 1;

/// The program as text, for people and for comparison. The same program always has the same listing.
#[must_use]
pub fn listing(program: &Program) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = write_listing(program, &mut text);
    text
}

/// Writes the [`listing`] piece by piece.
///
/// # Errors
/// Those of `out`.
pub fn write_listing(program: &Program, out: &mut dyn fmt::Write) -> fmt::Result {
    writeln!(out, "program {LISTING_VERSION}")?;
    // The first version goes without saying: listings were made before there was a second one.
    if program.semantics > Semantics::FIRST {
        writeln!(out, "semantics {}", program.semantics)?;
    }
    for (name, version) in program.own_functions() {
        writeln!(out, "function {name} {version}")?;
    }
    let mut records = BTreeSet::new();
    let record_names = Rc::new(RecordNames::of(&program.shapes));
    for (index, graph) in program.graphs.iter().enumerate() {
        let names = ListingNames::new(graph, &record_names);
        let mut lister = Lister { program, graph, names: &names, records: &mut records, out, depth: 0 };
        lister.graph(index)?;
    }
    types::write(program, &record_names, records, out)
}

/// The writing of one graph.
struct Lister<'a> {
    program: &'a Program,
    graph: &'a GraphCode,
    names: &'a ListingNames,
    /// Bases of the records that were mentioned.
    records: &'a mut BTreeSet<u32>,
    out: &'a mut dyn fmt::Write,
    /// The depth to which lines are indented.
    depth: usize,
}

impl Lister<'_> {
    fn line(&mut self, text: fmt::Arguments<'_>) -> fmt::Result {
        writeln!(self.out, "{:1$}{text}", "", self.depth * 2)
    }

    /// A line and, indented below it, what `inner` writes.
    fn nest(
        &mut self,
        head: fmt::Arguments<'_>,
        inner: impl FnOnce(&mut Self) -> fmt::Result,
    ) -> fmt::Result {
        self.line(head)?;
        self.depth += 1;
        let done = inner(self);
        self.depth -= 1;
        done
    }

    /// A shape as the language writes it.
    fn shape(&mut self, id: u32) -> String {
        let Self { program, names, records, .. } = self;
        program.shapes.describe_with(id, &mut |base| {
            records.insert(base);
            names.record(base)
        })
    }
}
