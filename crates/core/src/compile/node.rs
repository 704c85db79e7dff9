//! Nodes and edges.

use super::{Compiler, index, owned};
use crate::model::expr::{Expr, LocalId, Place};
use crate::model::graph::{Graph, GraphId};
use crate::model::node::{Composite, EdgeId, NameSource, NodeId, Retry, TextSource, Trigger, Typed};
use crate::model::types::{Kind, Type};
use crate::program::graph::{
    AnswerCode, CompositeCode, EdgeCode, Linked, NameCode, NodeCode, PlaceCode, RetryCode, TextCode,
    Trigger as TriggerCode,
};
use crate::program::kind::Link;
use crate::program::op::OpId;
use crate::source::{Span, Spanned};
use crate::value::{Str, Value};

impl Compiler<'_> {
    pub(super) fn node(&mut self, graph: &Graph, id: NodeId) -> NodeCode {
        let node = &graph.graph[id];
        NodeCode {
            name: owned(&node.name),
            parent: node.parent.map(|parent| index(parent.index())),
            chain: chain(graph, id),
            entry: self.block(&node.entry),
            kind: node.kind.link(&mut Linker { compiler: self, span: node.name.span }),
            then: self.block(&node.then),
            timeout: self.optional(node.timeout.as_ref()),
            retry: node.retry.as_ref().map(|retry| Box::new(self.retry(retry))),
            edges: node.edges.iter().map(|edge| index(edge.index())).collect(),
        }
    }

    pub(super) fn edge(&mut self, graph: &Graph, id: EdgeId) -> EdgeCode {
        let edge = &graph.graph[id];
        let (from, to) = graph.graph.edge_endpoints(id).unwrap_or_default();
        EdgeCode {
            from: index(from.index()),
            to: index(to.index()),
            on: edge.on.iter().map(|trigger| self.trigger(trigger)).collect(),
            on_done: edge.on.iter().any(|trigger| matches!(trigger, Trigger::Done)),
            when: self.optional(edge.when.as_ref()),
            action: self.block(&edge.action),
            label: edge.label.clone(),
        }
    }

    fn trigger(&mut self, trigger: &Trigger) -> TriggerCode {
        match trigger {
            Trigger::Done => TriggerCode::Done,
            Trigger::AnyError => TriggerCode::AnyError,
            Trigger::Kind(kind) => TriggerCode::Kind(kind.clone()),
            Trigger::Class(class) => TriggerCode::Class(class.clone()),
            Trigger::Exhausted(budget) => TriggerCode::Exhausted(self.counter(budget)),
            Trigger::Unknown => TriggerCode::Unknown,
        }
    }

    fn retry(&mut self, retry: &Retry) -> RetryCode {
        RetryCode {
            attempts: self.expr(&retry.attempts),
            on: retry.on.iter().map(owned).collect(),
            first: self.optional(retry.first.as_ref()),
            factor: self.optional(retry.factor.as_ref()),
            max: self.optional(retry.max.as_ref()),
            jitter: self.optional(retry.jitter.as_ref()),
        }
    }
}

/// Makes the kind of a node. A fault of its types is reported at the node.
struct Linker<'l, 'c> {
    compiler: &'l mut Compiler<'c>,
    span: Span,
}

impl Link<Typed, Linked> for Linker<'_, '_> {
    fn expr(&mut self, expr: &Expr) -> OpId {
        self.compiler.expr(expr)
    }

    fn text(&mut self, text: &TextSource) -> TextCode {
        self.compiler.text(text)
    }

    fn name(&mut self, name: &NameSource) -> NameCode {
        match name {
            NameSource::Fixed(name) => NameCode::Fixed(owned(name)),
            NameSource::Computed(expr) => NameCode::Computed(self.compiler.expr(expr)),
        }
    }

    fn word(&mut self, word: &Spanned<Str>) -> Str {
        owned(word)
    }

    fn answer(&mut self, ty: &Type, of_model: bool) -> AnswerCode {
        let shape = self.compiler.shape(ty, self.span);
        let raw = of_model && is_raw(ty);
        AnswerCode { shape, raw, schema: if raw { Value::Null } else { self.compiler.schema(shape) } }
    }

    fn place(&mut self, place: &Place) -> PlaceCode {
        self.compiler.place(place)
    }

    fn graph(&mut self, graph: &GraphId) -> u32 {
        graph.0
    }

    fn local(&mut self, local: &LocalId) -> u32 {
        local.0
    }

    fn composite(&mut self, composite: &Composite) -> Box<CompositeCode> {
        Box::new(CompositeCode {
            start: index(composite.start.index()),
            slots: composite.slots.iter().map(|slot| slot.0).collect(),
            budgets: composite.budgets.iter().map(|budget| budget.0).collect(),
            families: composite.families.iter().map(|family| family.0).collect(),
            limits: Box::default(),
            pause: composite.pause.as_ref().map(|pause| self.compiler.pause(pause)),
        })
    }
}

/// Returns true if a model's answer is taken as its raw text.
const fn is_raw(output: &Type) -> bool {
    matches!(output.kind, Kind::String(_)) && !output.nullable
}

/// The composites around a node, outermost first.
fn chain(graph: &Graph, id: NodeId) -> Box<[u32]> {
    let mut chain: Vec<u32> = std::iter::successors(graph.graph[id].parent, |node| graph.graph[*node].parent)
        .take(graph.graph.node_count())
        .map(|node| index(node.index()))
        .collect();
    chain.reverse();
    chain.into()
}
