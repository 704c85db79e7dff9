//! Flows: what of a tool, a model, a person, an input or the operator may come to an argument, a call, a question, an outcome.
//!
//! # Why
//! - Nothing runs: graphs are data, so the ways of values are read from the text. What may flow is listed, whether or not any
//!   run does it.
//! - Sources pass through models and tools. An answer may say anything that the model read, since it may have been told to;
//!   a result anything that the tool was given.
//! - An expression hands on the sources of all that it reads, the condition of a `? :` among them. Guards, `if` and `for` hand
//!   on theirs only to decisions, `call:NAME` and `outcome`: nearly every value of an agent is written after some choice of a
//!   model, and a list in which everything comes from everywhere helps nobody. They are followed all the same, as what decided
//!   about a value, through variables, models and called graphs, until a decision is made by it.
//! - A value that grows with each turn of a loop is made of the number of turns.
//! - What a variable holds at a node is what was written where the node can be reached from. Within a loop all writes count.
//! - A member of an enum is one of few texts, but many of them side by side spell any text: a cut ends where values are put
//!   together.

mod builder;
mod constant;
mod control;
mod effects;
mod expression;
mod lanes;
mod layout;
mod network;
mod node;
mod path;
mod pattern;
mod rule;
mod source;
mod statement;
mod target;
mod text;
mod text_uses;

pub use self::pattern::{PatternFault, SourcePattern, TargetPattern};
pub use self::rule::FlowRule;
pub use self::source::{Cut, CutSet, FlowSource};
pub use self::target::FlowTarget;

use self::builder::{FlowBuilder, TargetPlace};
use self::network::{FlowNetwork, VertexId};
use crate::model::Model;
use crate::source::Span;
use crate::value::Str;

/// The flows of a model without errors.
#[derive(Debug)]
pub struct Flows<'m> {
    network: FlowNetwork<'m>,
    sources: Vec<(FlowSource, VertexId)>,
    targets: Vec<TargetPlace<'m>>,
}

/// A target with all that may flow to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetFlows {
    /// The target.
    pub target: FlowTarget,
    /// The id of the graph it is in.
    pub graph: Str,
    /// The node it belongs to.
    pub node: Option<Str>,
    /// Its place.
    pub span: Span,
    /// The sources, each with the cuts that all of its ways have.
    pub sources: Vec<(FlowSource, CutSet)>,
}

impl<'m> Flows<'m> {
    /// Follows all values of a model.
    #[must_use]
    pub fn of(model: &'m Model) -> Self {
        let mut builder = FlowBuilder::new(model);
        builder.build();
        let FlowBuilder { network, sources, targets, .. } = builder;
        let mut sources: Vec<_> = sources.into_iter().collect();
        sources.sort();
        Self { network, sources, targets }
    }

    /// All targets, each once for a place of the text, in the order of the text.
    #[must_use]
    pub fn list(&self) -> Vec<TargetFlows> {
        let mut listed: Vec<TargetFlows> = Vec::new();
        let mut places = rustc_hash::FxHashMap::default();
        for place in &self.targets {
            let number = *places.entry((place.span, &place.target)).or_insert(listed.len());
            if number == listed.len() {
                listed.push(TargetFlows {
                    target: place.target.clone(),
                    graph: place.graph.id.value.clone(),
                    node: place.node.cloned(),
                    span: place.span,
                    sources: Vec::new(),
                });
            }
        }
        for (source, vertex) in &self.sources {
            let spread = self.network.spread([*vertex]);
            for place in &self.targets {
                let cuts = place.reached(&spread).map(|value| value.cuts);
                let Some(cuts) = cuts.reduce(CutSet::and) else { continue };
                let own = &mut listed[places[&(place.span, &place.target)]].sources;
                match own.last_mut() {
                    Some((last, known)) if last == source => *known = known.and(cuts),
                    _ => own.push((source.clone(), cuts)),
                }
            }
        }
        listed.sort_by(|a, b| {
            (a.span.file, a.span.start, &a.target).cmp(&(b.span.file, b.span.start, &b.target))
        });
        listed
    }
}
