//! The graphs of a server. One is replaced when somebody saves a text of it.

use std::ops::Deref;
use std::sync::{Arc, PoisonError, RwLock};

use super::web_graph::WebGraph;

/// A graph as it is served now.
#[derive(Debug)]
pub(super) struct KnownGraph {
    graph: WebGraph,
    /// A hash of its texts.
    revision: String,
}

impl KnownGraph {
    fn new(graph: WebGraph) -> Arc<Self> {
        let mut hash = blake3::Hasher::new();
        for part in graph.files.iter().flat_map(|(name, text)| [name, text]) {
            hash.update(&part.len().to_le_bytes()).update(part.as_bytes());
        }
        Arc::new(Self { graph, revision: hash.finalize().to_hex().to_string() })
    }

    /// The key of its texts: other texts have another one.
    pub(super) fn revision(&self) -> &str {
        &self.revision
    }
}

impl Deref for KnownGraph {
    type Target = WebGraph;

    fn deref(&self) -> &WebGraph {
        &self.graph
    }
}

/// The list of graphs at one time.
pub(super) type GraphList = Arc<Vec<Arc<KnownGraph>>>;

/// All graphs of a server, in the order in which they are listed.
#[derive(Debug)]
pub(super) struct KnownGraphs(RwLock<GraphList>);

impl KnownGraphs {
    pub(super) fn new(graphs: Vec<WebGraph>) -> Self {
        Self(RwLock::new(Arc::new(graphs.into_iter().map(KnownGraph::new).collect())))
    }

    /// The list as it is now.
    pub(super) fn list(&self) -> GraphList {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The graph of that name.
    pub(super) fn named(&self, name: &str) -> Option<Arc<KnownGraph>> {
        self.list().iter().find(|graph| graph.name == name).cloned()
    }

    /// Puts graphs in the place of those that have their names.
    pub(super) fn replace(&self, graphs: Vec<WebGraph>) {
        let mut list = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let mut next = Vec::clone(&list);
        for graph in graphs {
            if let Some(place) = next.iter_mut().find(|own| own.name == graph.name) {
                *place = KnownGraph::new(graph);
            }
        }
        *list = Arc::new(next);
    }
}
