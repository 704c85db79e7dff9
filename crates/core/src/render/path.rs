//! The way a run took.

use std::collections::{BTreeMap, BTreeSet};

/// The nodes and edges that a run entered and took, by the ids of the graphs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TakenPath {
    graphs: BTreeMap<String, Taken>,
}

/// The nodes and edges entered and taken in one graph.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Taken {
    nodes: BTreeSet<String>,
    edges: BTreeSet<usize>,
}

impl TakenPath {
    /// Adds a node that was entered.
    pub fn enter(&mut self, graph: &str, node: &str) {
        self.graphs.entry(graph.to_owned()).or_default().nodes.insert(node.to_owned());
    }

    /// Adds an edge that was taken, by its number in the graph.
    pub fn take(&mut self, graph: &str, edge: usize) {
        self.graphs.entry(graph.to_owned()).or_default().edges.insert(edge);
    }

    /// The graphs, and the nodes that were entered in each.
    pub fn nodes(&self) -> impl Iterator<Item = (&str, &str)> {
        self.graphs
            .iter()
            .flat_map(|(graph, taken)| taken.nodes.iter().map(|node| (graph.as_str(), node.as_str())))
    }

    pub(super) fn of(&self, graph: &str) -> Option<&Taken> {
        self.graphs.get(graph)
    }
}

impl Taken {
    pub(super) fn node(&self, name: &str) -> bool {
        self.nodes.contains(name)
    }

    pub(super) fn edge(&self, number: usize) -> bool {
        self.edges.contains(&number)
    }
}
