//! Single parts of a program in the words of its listing.

use std::collections::BTreeSet;

use super::Lister;
use super::names::{ListingNames, RecordNames};
use super::value::literal;
use crate::program::Program;
use crate::program::code::Block;
use crate::program::graph::{NameCode, PlaceCode, TextCode, Trigger};
use crate::program::op::{Counter, OpId};
use crate::program::shape::{Shape, ShapeKind};
use crate::value::Str;

/// The parts of one graph of a program, one by one, as the [`listing`](super::listing()) has them.
///
/// Nothing goes by number here: a part has the same words whatever else is in the graph. Two parts with the same words
/// do the same.
pub struct Words<'p> {
    program: &'p Program,
    graph: usize,
    names: ListingNames,
    /// Bases of the records that were mentioned.
    mentioned: BTreeSet<u32>,
}

/// A record that was mentioned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordWords {
    /// The name; records of one name are distinguished by a number after it.
    pub name: String,
    /// True if unknown fields are let through.
    pub open: bool,
    /// The fields in order: name, type, default.
    pub fields: Vec<(Str, String, Option<String>)>,
}

impl<'p> Words<'p> {
    /// The words of the graph of that index, with these names for its nodes and actions, one for each.
    #[must_use]
    pub fn new(program: &'p Program, graph: usize, nodes: Vec<Str>, actions: Vec<Str>) -> Self {
        let names = ListingNames::given(program, &program.graphs[graph], nodes, actions);
        Self { program, graph, names, mentioned: BTreeSet::new() }
    }

    fn with<T>(&mut self, write: impl FnOnce(&mut Lister<'_>) -> T) -> (T, String) {
        let mut out = String::new();
        let program = self.program;
        let mut lister = Lister {
            program,
            graph: &program.graphs[self.graph],
            names: &self.names,
            records: &mut self.mentioned,
            out: &mut out,
            depth: 0,
        };
        let done = write(&mut lister);
        (done, out)
    }

    /// An expression.
    pub fn expr(&mut self, id: OpId) -> String {
        self.with(|lister| lister.expr(id)).0
    }

    /// A statement list, one statement a line.
    pub fn block(&mut self, block: Block) -> String {
        // Writing to a String cannot fail.
        let (_, text) = self.with(|lister| lister.block(block));
        text.trim_end().to_owned()
    }

    /// A type.
    pub fn shape(&mut self, id: u32) -> String {
        self.with(|lister| lister.shape(id)).0
    }

    /// A place with the type of what may be written there.
    pub fn place(&mut self, place: &PlaceCode) -> String {
        self.with(|lister| lister.place(place)).0
    }

    /// A trigger.
    pub fn trigger(&mut self, trigger: &Trigger) -> String {
        self.with(|lister| lister.trigger(trigger)).0
    }

    /// A text or an expression that gives one.
    pub fn text(&mut self, text: TextCode) -> String {
        self.with(|lister| lister.text(text)).0
    }

    /// A fixed or a computed name.
    pub fn name(&mut self, name: &NameCode) -> String {
        self.with(|lister| lister.name(name)).0
    }

    /// A counter.
    pub fn counter(&mut self, counter: Counter) -> String {
        self.with(|lister| lister.counter(counter)).0
    }

    /// The records that the parts asked for so far mention, as [`records_of`] takes them.
    #[must_use]
    pub fn mentioned(&self) -> &BTreeSet<u32> {
        &self.mentioned
    }
}

/// The records that a program mentions and those their fields mention, in the order of the listing. Those that the language supplies are not among them.
#[must_use]
pub fn records_of(program: &Program, mentioned: &BTreeSet<u32>) -> Vec<RecordWords> {
    let names = RecordNames::of(&program.shapes);
    let (mut open, mut known) = (mentioned.clone(), mentioned.clone());
    let mut found = Vec::new();
    while let Some(base) = open.pop_first() {
        if program.shapes.supplied.contains(&base) {
            continue;
        }
        let Shape { kind: ShapeKind::Record { open: is_open, fields, .. }, .. } = program.shapes.shape(base)
        else {
            continue;
        };
        let fields = fields.iter().map(|field| {
            let ty = program.shapes.describe_with(field.shape, &mut |base| {
                if known.insert(base) {
                    open.insert(base);
                }
                names.name(base)
            });
            (field.name.clone(), ty, field.default.as_ref().map(literal))
        });
        let fields = fields.collect();
        found.push(RecordWords { name: names.name(base), open: *is_open, fields });
    }
    found
}
