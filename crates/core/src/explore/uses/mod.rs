//! Uses: what a graph does with each value that comes from outside, found in its text.
//!
//! # Why
//! - A value that nothing depends on needs one representative, one that is compared with constants one for each class of values
//!   that the constants tell apart. So the uses decide how many answers there are to try.
//! - Places that a value flows between share a region, in whatever order that happens: that is coarser than the flows of `check`,
//!   and each use of a place is one of every value that may ever be in it.
//! - A comparison of two places joins what they are compared with, and no more: a counter that is compared with an answer does
//!   not make the answer a sum.

mod expression;
mod function;
mod node;
mod statement;
mod text;

use rustc_hash::FxHashMap;

use super::region::{RegionId, Regions, SampledUse};
use super::template::template_texts;
use crate::model::expr::{LetId, LocalId, TextId};
use crate::model::{Graph, Model};
use crate::program::template::TemplateTexts;
use crate::source::Span;
use crate::value::{Str, Value};

/// The reason for which a graph that reads the clock is not explored in full.
pub(super) const CLOCK: &str = "the clock is read";

/// The uses of all values of a model.
#[derive(Debug)]
pub(super) struct ValueUses {
    pub(super) regions: Regions,
    /// By graph and slot.
    pub(super) slots: Vec<Vec<RegionId>>,
    /// The answers, by graph and node.
    pub(super) results: Vec<Vec<RegionId>>,
    /// The errors, by graph.
    pub(super) errors: Vec<RegionId>,
    /// The names of computed tools.
    pub(super) tool_names: RegionId,
    /// The uses of what is no value of the world, and is not explored: the clock, and random waits.
    pub(super) unexplored: Vec<SampledUse>,
    /// True if a variable keeps what `error`, `result` or `outcome` was: something reads it outside of the step in which it came.
    pub(super) reads_specials: bool,
}

/// The reader of a model.
pub(super) struct UseBuilder<'m> {
    model: &'m Model,
    uses: ValueUses,
    /// The graph that is read.
    graph: usize,
    lets: FxHashMap<(usize, LetId), RegionId>,
    texts: FxHashMap<(usize, TextId), RegionId>,
    /// The texts of each graph, looked through.
    templates: Vec<Option<TemplateTexts>>,
    locals: Vec<RegionId>,
    /// `result` and `outcome`, where something is read.
    result: Option<RegionId>,
    outcome: Option<RegionId>,
    /// The catalogue of tools.
    tools: RegionId,
    /// The outcomes of the finals of composites, by graph and node.
    outcomes: FxHashMap<(usize, usize), RegionId>,
    /// The outcome of each graph.
    ends: Vec<RegionId>,
    /// The outputs of each graph.
    outputs: Vec<RegionId>,
}

impl ValueUses {
    /// Reads all that a model does.
    pub(super) fn of(model: &Model) -> Self {
        let mut builder = UseBuilder::new(model);
        for graph in 0..model.graphs.len() {
            builder.graph(graph);
        }
        builder.uses.regions.settle();
        builder.uses
    }

    /// Adds the names of all tools to those that a computed name is compared with.
    pub(super) fn compare_tools_with(&mut self, tools: &[Str]) {
        let names = self.tool_names;
        self.regions.get_mut(names).points.extend(tools.iter().cloned().map(Value::Str));
    }
}

impl<'m> UseBuilder<'m> {
    fn new(model: &'m Model) -> Self {
        let mut regions = Regions::default();
        let of = |count: usize, regions: &mut Regions| (0..count).map(|_| regions.add()).collect::<Vec<_>>();
        let slots = model.graphs.iter().map(|graph| of(graph.slots.len(), &mut regions)).collect();
        let results = model.graphs.iter().map(|graph| of(graph.graph.node_count(), &mut regions)).collect();
        let errors = of(model.graphs.len(), &mut regions);
        let ends = of(model.graphs.len(), &mut regions);
        let outputs = of(model.graphs.len(), &mut regions);
        let (tool_names, tools) = (regions.add(), regions.add());
        let uses = ValueUses {
            regions,
            slots,
            results,
            errors,
            tool_names,
            unexplored: Vec::new(),
            reads_specials: false,
        };
        Self {
            model,
            uses,
            graph: 0,
            lets: FxHashMap::default(),
            texts: FxHashMap::default(),
            templates: model.graphs.iter().map(template_texts).collect(),
            locals: Vec::new(),
            result: None,
            outcome: None,
            tools,
            outcomes: FxHashMap::default(),
            ends,
            outputs,
        }
    }

    fn own(&self) -> &'m Graph {
        &self.model.graphs[self.graph]
    }

    fn regions(&mut self) -> &mut Regions {
        &mut self.uses.regions
    }

    fn graph(&mut self, index: usize) {
        self.graph = index;
        let graph = self.own();
        for (slot, own) in graph.slots.iter().enumerate() {
            let region = self.uses.slots[index][slot];
            if let Some(init) = &own.init {
                self.flow(init, region);
            }
            if let Some(condition) = &own.condition {
                self.condition(condition);
            }
        }
        self.budgets();
        for id in graph.graph.node_indices() {
            self.node(id);
        }
        for id in graph.graph.edge_indices() {
            self.edge(id);
        }
        self.pause(graph.pause.as_ref());
        self.output();
        self.properties();
        self.messages();
    }

    fn local(&mut self, local: LocalId) -> RegionId {
        let at = local.0 as usize;
        while self.locals.len() <= at {
            let region = self.uses.regions.add();
            self.locals.push(region);
        }
        self.locals[at]
    }

    fn set_local(&mut self, local: LocalId, region: RegionId) {
        self.local(local);
        self.locals[local.0 as usize] = region;
    }

    /// Reads something that has locals of its own.
    fn apart<R>(&mut self, read: impl FnOnce(&mut Self) -> R) -> R {
        let outside = std::mem::take(&mut self.locals);
        let read = read(self);
        self.locals = outside;
        read
    }

    /// Notes something that is not explored.
    fn note_unexplored(&mut self, why: &'static str, span: Span) {
        self.uses.unexplored.push(SampledUse { why, span });
    }
}
