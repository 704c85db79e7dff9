//! Nodes and edges.

use super::{Compiler, index, owned};
use crate::model::expr::{Expr, Place};
use crate::model::graph::Graph;
use crate::model::node::{
    CallNode, Composite, EachNode, EdgeId, HumanNode, ModelNode, NameSource, NodeId, NodeKind, ParallelNode,
    Retry, ToolNode, Trigger,
};
use crate::model::types::{Kind, Type};
use crate::program::graph::{
    BranchCode, CallCode, CompositeCode, EachCode, EdgeCode, HumanCode, ModelCode, NameCode, NodeCode,
    NodeKind as Code, ParallelCode, PlaceCode, RetryCode, ToolCode, Trigger as TriggerCode,
};
use crate::program::op::OpId;
use crate::source::Span;

impl Compiler<'_> {
    pub(super) fn node(&mut self, graph: &Graph, id: NodeId) -> NodeCode {
        let node = &graph.graph[id];
        NodeCode {
            name: owned(&node.name),
            parent: node.parent.map(|parent| index(parent.index())),
            chain: chain(graph, id),
            entry: self.block(&node.entry),
            kind: self.kind(&node.kind, node.name.span),
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

    fn kind(&mut self, kind: &NodeKind, span: Span) -> Code {
        match kind {
            NodeKind::Action | NodeKind::Choice => Code::Pure,
            NodeKind::Composite(composite) => Code::Composite(Box::new(self.composite(composite))),
            NodeKind::Model(node) => Code::Model(Box::new(self.model(node, span))),
            NodeKind::Tool(node) => Code::Tool(Box::new(self.tool(node))),
            NodeKind::Human(node) => Code::Human(Box::new(self.human(node, span))),
            NodeKind::Call(node) => Code::Call(Box::new(self.call_node(node))),
            NodeKind::Each(node) => Code::Each(Box::new(self.each(node))),
            NodeKind::Parallel(node) => Code::Parallel(Box::new(self.parallel(node))),
            NodeKind::Wait(delay) => Code::Wait(self.expr(delay)),
            NodeKind::Final(node) => Code::Final {
                outcome: self.optional(node.outcome.as_ref()),
                ok: self.optional(node.ok.as_ref()),
            },
        }
    }

    fn composite(&mut self, composite: &Composite) -> CompositeCode {
        CompositeCode {
            start: index(composite.start.index()),
            slots: composite.slots.iter().map(|slot| slot.0).collect(),
            budgets: composite.budgets.iter().map(|budget| budget.0).collect(),
            families: composite.families.iter().map(|family| family.0).collect(),
            limits: Box::default(),
            pause: composite.pause.as_ref().map(|pause| self.pause(pause)),
        }
    }

    fn model(&mut self, node: &ModelNode, span: Span) -> ModelCode {
        let output = self.shape(&node.output, span);
        let raw = is_raw(&node.output);
        ModelCode {
            role: self.name_source(&node.role),
            system: node.system.as_ref().map(|text| self.text(text)),
            prompt: node.prompt.as_ref().map(|text| self.text(text)),
            output,
            raw,
            schema: if raw { crate::value::Value::Null } else { self.schema(output) },
            stream: node.stream.as_ref().map(owned),
            into: self.into(node.into.as_ref()),
            cache: node.cache,
        }
    }

    fn tool(&mut self, node: &ToolNode) -> ToolCode {
        ToolCode {
            tool: self.name_source(&node.tool),
            args: self.optional(node.args.as_ref()),
            allow: node.allow.iter().map(owned).collect(),
            into: self.into(node.into.as_ref()),
            delivery: node.delivery,
        }
    }

    fn human(&mut self, node: &HumanNode, span: Span) -> HumanCode {
        let answer = self.shape(&node.answer, span);
        HumanCode {
            ask: node.ask.as_ref().map(|text| self.text(text)),
            answer,
            schema: self.schema(answer),
            into: self.into(node.into.as_ref()),
        }
    }

    fn call_node(&mut self, node: &CallNode) -> CallCode {
        CallCode {
            graph: node.graph.0,
            with: self.with(&node.with),
            into: self.into(node.into.as_ref()),
            merge: node.merge.as_ref().map(|(place, name)| (self.place(place), name.clone())),
        }
    }

    fn each(&mut self, node: &EachNode) -> EachCode {
        EachCode {
            over: self.expr(&node.over),
            item: node.item.0,
            graph: node.graph.0,
            with: self.with(&node.with),
            into: self.into(node.into.as_ref()),
            at_once: self.optional(node.at_once.as_ref()),
            limit: self.optional(node.limit.as_ref()),
            on_error: node.on_error,
        }
    }

    fn parallel(&mut self, node: &ParallelNode) -> ParallelCode {
        let branches = node.branches.iter().map(|branch| BranchCode {
            name: owned(&branch.name),
            graph: branch.graph.0,
            with: self.with(&branch.with),
            into: self.into(branch.into.as_ref()),
        });
        ParallelCode { branches: branches.collect(), on_error: node.on_error }
    }

    fn with(&mut self, inputs: &[Option<Expr>]) -> Box<[Option<OpId>]> {
        inputs.iter().map(|input| self.optional(input.as_ref())).collect()
    }

    fn into(&mut self, place: Option<&Place>) -> Option<PlaceCode> {
        place.map(|place| self.place(place))
    }

    fn name_source(&mut self, name: &NameSource) -> NameCode {
        match name {
            NameSource::Fixed(name) => NameCode::Fixed(owned(name)),
            NameSource::Computed(expr) => NameCode::Computed(self.expr(expr)),
        }
    }
}

/// Whether a model's answer is taken as its raw text.
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
