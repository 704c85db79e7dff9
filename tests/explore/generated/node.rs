//! Nodes of random graphs: composites are at most two deep.

use super::graph::Graph;
use super::kind::{COMPOSITE, FINAL, KINDS, Kind, TOOL};
use super::types::TYPES;
use super::writer::{Name, indented};

/// A node. Those of a composite follow it.
pub(super) struct Node {
    pub(super) name: String,
    pub(super) kind: &'static Kind,
    /// The composite that it is in.
    pub(super) parent: Option<usize>,
    /// The last node inside it, or itself.
    pub(super) last: usize,
}

impl Graph {
    /// Adds a node that stands by itself.
    pub(super) fn add(&mut self, name: String, kind: &'static Kind, parent: Option<usize>) {
        let last = self.nodes.len();
        self.nodes.push(Node { name, kind, parent, last });
    }

    /// Adds so many nodes, with those inside them, to the graph or to a composite so deep.
    pub(super) fn plan(&mut self, parent: Option<usize>, depth: usize, count: usize) {
        for _ in 0..count {
            let at = self.nodes.len();
            let composites = if self.is_child || at == 0 { 0 } else { [45, 25, 0][depth] };
            if !self.writer.chance(composites) {
                let kind = self.kind();
                self.add(format!("n{at}"), kind, parent);
                continue;
            }
            self.add(format!("part{at}"), &COMPOSITE, parent);
            let inside = 1 + self.writer.below(2);
            self.plan(Some(at), depth + 1, inside);
            let end = self.nodes.len();
            self.add(format!("out{end}"), &FINAL, Some(at));
            self.nodes[at].last = end;
        }
    }

    /// A kind of node, by their shares. Graphs begin with a tool more often than not, so that there is something to tell apart.
    fn kind(&mut self) -> &'static Kind {
        if self.nodes.is_empty() && self.writer.chance(85) {
            return &TOOL;
        }
        let own = usize::from(self.is_child);
        let all: Vec<&Kind> =
            KINDS.iter().flat_map(|kind| std::iter::repeat_n(kind, kind.shares[own])).collect();
        all[self.writer.below(all.len())]
    }

    /// The text of a node and of those inside it.
    pub(super) fn node(&mut self, at: usize) -> String {
        let kind = self.nodes[at].kind;
        let names = self.writer.names.len();
        let mut parts = vec![kind.line()];
        if kind.word == "composite" {
            parts.extend(self.own_names(at));
        }
        parts.push(self.writer.any_of(kind.heads, 1).unwrap_or_default());
        for (share, extra) in kind.extras {
            if self.writer.chance(*share) {
                parts.extend(self.writer.expand(extra, 1));
            }
        }
        if kind.word == "composite" {
            let inside = (at + 1..=self.nodes[at].last).filter(|node| self.nodes[*node].parent == Some(at));
            parts.push(format!("start: {}\nnodes:", self.nodes[at + 1].name));
            parts.extend(inside.collect::<Vec<_>>().into_iter().map(|node| indented(&self.node(node))));
        }
        let budgets = self.budgets();
        self.writer.names.truncate(names);
        if kind.word != "final" {
            parts.push(self.edges(at, &budgets));
        }
        parts.retain(|part| !part.is_empty());
        if parts.is_empty() {
            return format!("{}: {{}}", self.nodes[at].name);
        }
        format!("{}:\n{}", self.nodes[at].name, indented(&parts.join("\n")))
    }

    /// What a composite declares.
    fn own_names(&mut self, at: usize) -> Vec<String> {
        let mut sections = Vec::new();
        if self.writer.chance(50) {
            let lines: Vec<String> = (0..=self.writer.below(2))
                .map(|_| {
                    let ty = self.writer.pick(&TYPES);
                    self.variable(ty, at + 1)
                })
                .collect();
            sections.push(format!("state:\n{}", indented(&lines.join("\n"))));
        }
        if self.writer.chance(35) {
            sections.push(format!("budgets:\n  {}", self.budget(&["1", "2"], at + 1)));
        }
        sections
    }

    /// The budgets that are seen.
    fn budgets(&self) -> Vec<String> {
        let seen = self.writer.names.iter().filter(|own| own.word == "budget");
        seen.map(|own| own.text.clone()).collect()
    }

    /// Declares a budget that nodes from one on see.
    pub(super) fn budget(&mut self, limits: &[&str], since: usize) -> String {
        self.budgets += 1;
        let (name, limit) = (format!("b{}", self.budgets), self.writer.pick(limits));
        let line = format!("{name}: {limit}");
        self.writer.names.push(Name { since, ..Name::fixed("budget", name) });
        line
    }
}
