//! The names of one graph that operators choose from.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::program::error::{ErrorClass, ErrorKind};
use crate::syntax::tree::{NodeDecl, Tree};

/// The names of one graph, in order of its text.
#[derive(Debug, Clone, Default)]
pub(super) struct GraphNames {
    nodes: Vec<String>,
    /// The next one among the nodes beside it.
    beside: FxHashMap<String, String>,
    /// State fields with their types, as they are written.
    fields: Vec<(String, String)>,
    /// Error kinds.
    kinds: Vec<String>,
    /// Nodes that an edge or a start leads to.
    entered: FxHashSet<String>,
}

impl GraphNames {
    pub(super) fn of(tree: &Tree) -> Self {
        let mut names = Self::default();
        names.add(&tree.nodes);
        names.entered.extend(tree.start.iter().map(|start| start.to.value.clone()));
        names.fields =
            tree.state.iter().map(|field| (field.name.value.clone(), field.ty.to_string())).collect();
        let own = tree.errors.iter().map(|kind| kind.name.value.clone());
        names.kinds = ErrorKind::ALL.iter().map(|kind| kind.name().to_owned()).chain(own).collect();
        names
    }

    fn add(&mut self, nodes: &[NodeDecl]) {
        for (at, node) in nodes.iter().enumerate() {
            self.nodes.push(node.name.value.clone());
            let next = &nodes[(at + 1) % nodes.len()].name;
            if next.value != node.name.value {
                self.beside.insert(node.name.value.clone(), next.value.clone());
            }
            self.entered.extend(node.start.iter().map(|start| start.to.value.clone()));
            self.entered.extend(node.edges.iter().flatten().map(|edge| edge.to.value.clone()));
            self.add(&node.nodes);
        }
    }

    /// True if an edge or a start leads to a node.
    pub(super) fn is_entered(&self, node: &str) -> bool {
        self.entered.contains(node)
    }

    /// The node after one: the next beside it, else the next in the text, else the first one.
    pub(super) fn node_after(&self, name: &str) -> Option<&str> {
        if let Some(beside) = self.beside.get(name) {
            return Some(beside);
        }
        let at = self.nodes.iter().position(|node| node == name).map_or(0, |at| at + 1);
        let mut following = self.nodes[at..].iter().chain(&self.nodes[..at]);
        following.find(|node| *node != name).map(String::as_str)
    }

    /// The state field after one that has its type.
    pub(super) fn field_after(&self, name: &str) -> Option<&str> {
        let at = self.fields.iter().position(|(field, _)| field == name)?;
        let (after, before) = (&self.fields[at + 1..], &self.fields[..at]);
        let fits = |(_, ty): &&(String, String)| *ty == self.fields[at].1;
        after.iter().chain(before).find(fits).map(|(field, _)| field.as_str())
    }

    /// The class or kind of errors after one.
    pub(super) fn error_after(&self, name: &str) -> Option<String> {
        // No scenario has what is cancelled from outside.
        let classes = ErrorClass::ALL.into_iter().filter(|class| *class != ErrorClass::Cancelled);
        let among: Vec<&str> = match ErrorClass::named(name) {
            Some(_) => classes.map(ErrorClass::name).collect(),
            None => self.kinds.iter().map(String::as_str).collect(),
        };
        let at = among.iter().position(|one| *one == name)?;
        Some(among[(at + 1) % among.len()].to_owned())
    }
}
