//! Nodes and edges.

use std::fmt;

use super::Lister;
use super::value::quote;
use crate::program::graph::{GraphCode, Linked, LinkedNodeKind, NameCode, NodeCode, RetryCode, Trigger};
use crate::program::kind::{Candidate, Field, Part};
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

    fn kind(&mut self, node: usize, kind: &LinkedNodeKind) -> fmt::Result {
        if let LinkedNodeKind::Composite(composite) = kind {
            let graph: &GraphCode = self.graph;
            self.line(format_args!("start {}", graph.nodes[composite.start as usize].name))?;
            self.limits(u32::try_from(node).ok(), &composite.limits)?;
            return self.pause(composite.pause);
        }
        kind.parts().into_iter().try_for_each(|part| self.part(part))
    }

    fn part(&mut self, (key, field): Part<'_, Linked>) -> fmt::Result {
        let key = key.name;
        match field {
            Field::Flag => self.line(format_args!("{key}")),
            Field::Called(graph, with) => self.called(key, *graph, with),
            Field::Candidates(among) => self.nest(format_args!("{key}"), |lister| {
                among.iter().try_for_each(|candidate| lister.candidate(candidate))
            }),
            Field::Branch(name, parts) => self.nest(format_args!("branch {name}"), |lister| {
                parts.into_iter().try_for_each(|part| lister.part(part))
            }),
            field => {
                let value = self.value(&field);
                self.line(format_args!("{key} {value}"))
            }
        }
    }

    /// The value of a key on one line.
    fn value(&mut self, field: &Field<'_, Linked>) -> String {
        match field {
            Field::Expr(expr) => self.expr(**expr),
            Field::Text(text) => self.text(**text),
            Field::Name(name) => self.name(name),
            Field::Word(word) => word.to_string(),
            Field::Words(words) => words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(", "),
            Field::Answer(answer) => {
                let shape = self.shape(answer.shape);
                if answer.raw { format!("{shape}, raw") } else { shape }
            }
            Field::Place(place) => self.place(place),
            Field::Choice(word) => (*word).to_owned(),
            Field::Items(list, item) => format!("{} as ${item}", self.expr(**list)),
            Field::Merge(place, output) => format!("{} with output {output}", self.place(place)),
            Field::Flag | Field::Called(..) | Field::Candidates(_) | Field::Branch(..) => String::new(),
        }
    }

    /// A graph that may be called, by its name.
    fn candidate(&mut self, candidate: &Candidate<Linked>) -> fmt::Result {
        let Candidate { name, callable } = candidate;
        self.called(&format!("graph {name} ="), callable.graph, &callable.with)
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

/// The name of a kind. A choice is an action by now, and both are pure.
const fn kind_name(kind: &LinkedNodeKind) -> &'static str {
    match kind {
        LinkedNodeKind::Action => "pure",
        kind => kind.name(),
    }
}
