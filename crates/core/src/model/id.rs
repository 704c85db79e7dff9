//! Indices of nodes and edges.

use petgraph::graph::{EdgeIndex, NodeIndex};

/// A node of one graph.
pub type NodeId = NodeIndex<u32>;

/// An edge of one graph.
pub type EdgeId = EdgeIndex<u32>;
