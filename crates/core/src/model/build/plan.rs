//! The hierarchy of nodes laid flat: every node's id, parent and children before anything is typed.

use rustc_hash::FxHashMap;

use crate::diag::{Diagnostic, nearest, rule};
use crate::model::name_use::{NameKind, NameRecorder};
use crate::model::node::NodeId;
use crate::syntax::ast::Name;
use crate::syntax::tree::NodeDecl;

/// The deepest nesting of composites.
const MAX_DEPTH: usize = 64;

/// A node before it is typed.
#[derive(Debug)]
pub(super) struct Planned<'t> {
    pub(super) decl: &'t NodeDecl,
    pub(super) parent: Option<NodeId>,
    pub(super) children: Vec<NodeId>,
    /// The first inner node of a composite.
    pub(super) start: Option<NodeId>,
}

/// All nodes of a graph, indexed by [`NodeId`], in order of the text.
#[derive(Debug, Default)]
pub(super) struct Plan<'t> {
    pub(super) nodes: Vec<Planned<'t>>,
    names: FxHashMap<&'t str, NodeId>,
    /// Hears of each name that is resolved.
    recorder: NameRecorder,
}

impl<'t> Plan<'t> {
    /// Lays the nodes flat. A name that is taken is reported and its node left out.
    pub(super) fn new(decls: &'t [NodeDecl], recorder: NameRecorder, sink: &mut Vec<Diagnostic>) -> Self {
        let mut plan = Self { recorder, ..Self::default() };
        plan.add_all(decls, None, 0, sink);
        plan.find_starts(sink);
        plan
    }

    fn add_all(
        &mut self,
        decls: &'t [NodeDecl],
        parent: Option<NodeId>,
        depth: usize,
        sink: &mut Vec<Diagnostic>,
    ) {
        for decl in decls {
            if let Some(first) = self.find(&decl.name) {
                let message = format!("there are two nodes `{}`", decl.name.value);
                let fault = Diagnostic::error(rule::DUPLICATE_NAME, decl.name.span, message)
                    .also(self.at(first).decl.name.span, "declared here first")
                    .help("node names are unique in a file, also across composites");
                sink.push(fault);
                continue;
            }
            let id = NodeId::new(self.nodes.len());
            self.names.insert(decl.name.as_str(), id);
            self.nodes.push(Planned { decl, parent, children: Vec::new(), start: None });
            if let Some(parent) = parent {
                self.nodes[parent.index()].children.push(id);
            }
            if depth < MAX_DEPTH {
                self.add_all(&decl.nodes, Some(id), depth + 1, sink);
            } else if let Some(inner) = decl.nodes.first() {
                let message = format!("composites are nested deeper than {MAX_DEPTH} levels");
                sink.push(Diagnostic::error(rule::TOO_DEEP, inner.name.span, message));
            }
        }
    }

    fn find_starts(&mut self, sink: &mut Vec<Diagnostic>) {
        for i in 0..self.nodes.len() {
            let node = &self.nodes[i];
            let Some(start) = &node.decl.start else { continue };
            let found = self.node(&start.to, sink);
            if let Some(found) = found
                && self.at(found).parent != Some(NodeId::new(i))
            {
                let message =
                    format!("`{}` does not lie directly in `{}`", start.to.value, node.decl.name.value);
                let fault = Diagnostic::error(rule::BAD_START, start.to.span, message);
                sink.push(fault.help("a composite starts at one of its own nodes"));
            }
            self.nodes[i].start = found.filter(|id| self.at(*id).parent == Some(NodeId::new(i)));
        }
    }

    /// The node of that id.
    pub(super) fn at(&self, id: NodeId) -> &Planned<'t> {
        &self.nodes[id.index()]
    }

    /// All ids, in order of the text.
    pub(super) fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len()).map(NodeId::new)
    }

    /// The start of a composite: as it says, else its first node; the node itself where it holds none.
    pub(super) fn first(&self, id: NodeId) -> NodeId {
        let node = self.at(id);
        node.start.or(node.children.first().copied()).unwrap_or(id)
    }

    /// The node of that name.
    pub(super) fn find(&self, name: &str) -> Option<NodeId> {
        self.names.get(name).copied()
    }

    /// The node of that name; one that does not exist is reported.
    pub(super) fn node(&self, name: &Name, sink: &mut Vec<Diagnostic>) -> Option<NodeId> {
        let found = self.find(name);
        if let Some(id) = found {
            self.recorder.note(NameKind::Node, name, name.span, Some(self.at(id).decl.name.span), None);
        }
        if found.is_none() {
            let all = self.nodes.iter().map(|node| (node.decl.name.as_str(), None));
            self.recorder.offer(name, NameKind::Node, all);
            let fault = Diagnostic::error(
                rule::UNKNOWN_NODE,
                name.span,
                format!("there is no node `{}`", name.value),
            );
            sink.push(fault.meant_or(
                nearest(name, self.nodes.iter().map(|n| n.decl.name.as_str())),
                "declare it under `nodes`",
            ));
        }
        found
    }
}
