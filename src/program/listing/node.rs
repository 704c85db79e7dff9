//! Nodes and edges.

use std::fmt;

use super::Lister;
use super::value::quote;
use crate::program::graph::{
    CallCode, EachCode, GraphCode, HumanCode, ModelCode, NameCode, NodeCode, NodeKind, OnError, ParallelCode,
    PlaceCode, RetryCode, ToolCode, Trigger,
};
use crate::program::op::OpId;

impl Lister<'_> {
    pub(super) fn node(&mut self, index: usize) -> fmt::Result {
        let graph: &GraphCode = self.graph;
        let node = &graph.nodes[index];
        let head = format!("node {}: {}{}", node.name, kind_name(&node.kind), self.scope(node.parent));
        self.nest(format_args!("{head}"), |lister| {
            lister.list("do", node.entry)?;
            lister.kind(index, &node.kind)?;
            lister.key("timeout", node.timeout)?;
            node.retry.iter().try_for_each(|retry| lister.retry(retry))?;
            lister.list("then", node.then)?;
            lister.edges(node)
        })
    }

    fn edges(&mut self, node: &NodeCode) -> fmt::Result {
        let graph: &GraphCode = self.graph;
        for id in &node.edges {
            let edge = &graph.edges[*id as usize];
            let to = &graph.nodes[edge.to as usize].name;
            let triggers: Vec<String> = edge.on.iter().map(|trigger| self.trigger(trigger)).collect();
            let when = self.tail(" when ", edge.when);
            let head = format!("edge {id} -> {to} on {}{when}", triggers.join(", "));
            self.nest(format_args!("{head}"), |lister| lister.block(edge.action))?;
        }
        Ok(())
    }

    pub(super) fn trigger(&mut self, trigger: &Trigger) -> String {
        match trigger {
            Trigger::Done => "done".to_owned(),
            Trigger::AnyError => "error".to_owned(),
            Trigger::Kind(kind) => format!("error({kind})"),
            Trigger::Class(class) => format!("error(class {class})"),
            Trigger::Exhausted(counter) => format!("exhausted({})", self.counter(*counter)),
            Trigger::Unknown => "unknown".to_owned(),
        }
    }

    fn kind(&mut self, node: usize, kind: &NodeKind) -> fmt::Result {
        match kind {
            NodeKind::Pure => Ok(()),
            NodeKind::Composite(composite) => {
                let graph: &GraphCode = self.graph;
                self.line(format_args!("start {}", graph.nodes[composite.start as usize].name))?;
                self.limits(u32::try_from(node).ok(), &composite.limits)?;
                self.pause(composite.pause)
            }
            NodeKind::Model(node) => self.model(node),
            NodeKind::Tool(node) => self.tool(node),
            NodeKind::Human(node) => self.human(node),
            NodeKind::Call(node) => self.call_node(node),
            NodeKind::Each(node) => self.each(node),
            NodeKind::Parallel(node) => self.parallel(node),
            NodeKind::Wait(delay) => self.key("delay", Some(*delay)),
            NodeKind::Final { outcome, ok } => {
                self.key("outcome", *outcome)?;
                self.key("ok", *ok)
            }
        }
    }

    fn model(&mut self, node: &ModelCode) -> fmt::Result {
        let role = self.name(&node.role);
        self.line(format_args!("role {role}"))?;
        for (key, text) in [("system", node.system), ("prompt", node.prompt)] {
            if let Some(text) = text {
                let text = self.text(text);
                self.line(format_args!("{key} {text}"))?;
            }
        }
        let output = self.shape(node.output);
        self.line(format_args!("output {output}{}", if node.raw { ", raw" } else { "" }))?;
        if let Some(stream) = &node.stream {
            self.line(format_args!("stream {stream}"))?;
        }
        if node.cache {
            self.line(format_args!("cache"))?;
        }
        self.goes_to("into", node.into.as_ref())
    }

    fn tool(&mut self, node: &ToolCode) -> fmt::Result {
        let tool = self.name(&node.tool);
        self.line(format_args!("tool {tool}"))?;
        self.key("args", node.args)?;
        if !node.allow.is_empty() {
            let allow: Vec<String> = node.allow.iter().map(|name| quote(name)).collect();
            self.line(format_args!("allow {}", allow.join(", ")))?;
        }
        if let Some(delivery) = node.delivery {
            self.line(format_args!("delivery {}", delivery.name()))?;
        }
        self.goes_to("into", node.into.as_ref())
    }

    fn human(&mut self, node: &HumanCode) -> fmt::Result {
        if let Some(ask) = node.ask {
            let ask = self.text(ask);
            self.line(format_args!("ask {ask}"))?;
        }
        let answer = self.shape(node.answer);
        self.line(format_args!("answer {answer}"))?;
        self.goes_to("into", node.into.as_ref())
    }

    fn call_node(&mut self, node: &CallCode) -> fmt::Result {
        self.called("graph", node.graph, &node.with)?;
        self.goes_to("into", node.into.as_ref())?;
        let Some((place, from)) = &node.merge else { return Ok(()) };
        let place = self.place(place);
        self.line(format_args!("merge {place} with output {from}"))
    }

    fn each(&mut self, node: &EachCode) -> fmt::Result {
        let over = self.expr(node.over);
        self.line(format_args!("over {over} as ${}", node.item))?;
        self.called("graph", node.graph, &node.with)?;
        self.key("at_once", node.at_once)?;
        self.key("limit", node.limit)?;
        self.on_error(node.on_error)?;
        self.goes_to("into", node.into.as_ref())
    }

    fn parallel(&mut self, node: &ParallelCode) -> fmt::Result {
        self.on_error(node.on_error)?;
        for branch in &node.branches {
            self.nest(format_args!("branch {}", branch.name), |lister| {
                lister.called("graph", branch.graph, &branch.with)?;
                lister.goes_to("into", branch.into.as_ref())
            })?;
        }
        Ok(())
    }

    /// A called graph and its inputs; those left out take their defaults.
    fn called(&mut self, key: &str, graph: u32, with: &[Option<OpId>]) -> fmt::Result {
        let program = self.program;
        let child = &program.graphs[graph as usize];
        self.nest(format_args!("{key} {graph} {}", child.id), |lister| {
            for (slot, value) in child.slots.iter().zip(with) {
                lister.key(&format!("with {} =", slot.name), *value)?;
            }
            Ok(())
        })
    }

    fn retry(&mut self, retry: &RetryCode) -> fmt::Result {
        let mut text = format!("retry attempts {}", self.expr(retry.attempts));
        if !retry.on.is_empty() {
            text.push_str(", on ");
            text.push_str(&retry.on.join(" "));
        }
        let keys =
            [("first", retry.first), ("factor", retry.factor), ("max", retry.max), ("jitter", retry.jitter)];
        for (key, value) in keys {
            text.push_str(&self.tail(&format!(", {key} "), value));
        }
        self.line(format_args!("{text}"))
    }

    fn on_error(&mut self, on_error: OnError) -> fmt::Result {
        match on_error {
            OnError::Stop => Ok(()),
            OnError::Collect => self.line(format_args!("on_error collect")),
        }
    }

    fn goes_to(&mut self, key: &str, place: Option<&PlaceCode>) -> fmt::Result {
        let Some(place) = place else { return Ok(()) };
        let place = self.place(place);
        self.line(format_args!("{key} {place}"))
    }

    fn key(&mut self, key: &str, value: Option<OpId>) -> fmt::Result {
        let Some(value) = value else { return Ok(()) };
        let value = self.expr(value);
        self.line(format_args!("{key} {value}"))
    }

    pub(super) fn name(&mut self, name: &NameCode) -> String {
        match name {
            NameCode::Fixed(name) => quote(name),
            NameCode::Computed(expr) => format!("of {}", self.expr(*expr)),
        }
    }
}

const fn kind_name(kind: &NodeKind) -> &'static str {
    match kind {
        NodeKind::Pure => "pure",
        NodeKind::Composite(_) => "composite",
        NodeKind::Model(_) => "model",
        NodeKind::Tool(_) => "tool",
        NodeKind::Human(_) => "human",
        NodeKind::Call(_) => "call",
        NodeKind::Each(_) => "each",
        NodeKind::Parallel(_) => "parallel",
        NodeKind::Wait(_) => "wait",
        NodeKind::Final { .. } => "final",
    }
}
