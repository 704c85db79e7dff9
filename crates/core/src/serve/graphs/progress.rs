//! The way of a run, told while it is driven.

use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use crate::machine::{Event, EventKind};
use crate::port::{Observer, RunView};

pub(super) use tokio::sync::mpsc::UnboundedReceiver as EnteredNodes;

/// Hears of each node that a run enters.
pub(super) struct NodeProgress(UnboundedSender<String>);

/// An observer, and what it hears.
pub(super) fn watch() -> (NodeProgress, EnteredNodes<String>) {
    let (say, hear) = unbounded_channel();
    (NodeProgress(say), hear)
}

impl Observer for NodeProgress {
    fn recorded(&self, event: &Event, graph: u32, view: RunView<'_>) {
        if let EventKind::Entered { node, .. } = &event.kind {
            let graph = &view.program.graphs[graph as usize];
            // Nobody listens when the call is over.
            let _over = self.0.send(format!("{}: {}", graph.id, graph.nodes[*node as usize].name));
        }
    }
}
