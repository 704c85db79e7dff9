//! Where a run went: its events read back as entries of nodes.

use rustc_hash::FxHashMap;

use crate::machine::{Event, EventKind};
use crate::program::Program;
use crate::program::graph::NodeKind;

/// A node was entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Visit {
    /// The frame; 0 is the root graph.
    pub frame: u32,
    /// The graph it runs.
    pub graph: u32,
    /// The node.
    pub node: u32,
}

/// Reads events in order and says which graph each happened in and which node it enters.
#[derive(Debug, Clone, Default)]
pub struct Walk {
    frames: FxHashMap<u32, Frame>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Frame {
    graph: u32,
    /// An edge was taken and its target is not entered yet: a failure now is one of the entry.
    arriving: bool,
}

impl Walk {
    /// A walk before its first event.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The graph that runs in a frame.
    #[must_use]
    pub fn graph(&self, frame: u32) -> u32 {
        self.frames.get(&frame).map_or(0, |f| f.graph)
    }

    /// From here on the events are those of another program, to which the run was carried over: the same graphs run in
    /// the frames, under the numbers they have there.
    pub fn turn(&mut self, was: &Program, is: &Program) {
        for frame in self.frames.values_mut() {
            let id = was.graphs.get(frame.graph as usize).map(|graph| &graph.id);
            let found = (0..).zip(&is.graphs).find(|(_, graph)| Some(&graph.id) == id);
            frame.graph = found.map_or(frame.graph, |(place, _)| place);
        }
    }

    /// Takes the next event; gives the entry it tells of. An entry whose `do` fails is one too.
    pub fn next(&mut self, event: &Event) -> Option<Visit> {
        if let EventKind::Opened { graph, .. } = &event.kind {
            self.frames.insert(event.frame, Frame { graph: *graph, arriving: true });
            return None;
        }
        let frame = self.frames.entry(event.frame).or_default();
        let node = match &event.kind {
            EventKind::Started { .. } | EventKind::Took { .. } => {
                frame.arriving = true;
                return None;
            }
            EventKind::Crossed { node, .. } => *node,
            EventKind::Entered { node, .. } => {
                frame.arriving = false;
                *node
            }
            EventKind::Failed { node, .. } if frame.arriving => {
                frame.arriving = false;
                *node
            }
            _ => return None,
        };
        Some(Visit { frame: event.frame, graph: frame.graph, node })
    }
}

/// The top-level nodes the root graph entered, in order.
#[must_use]
pub fn path(program: &Program, events: &[Event]) -> Vec<u32> {
    visits(events)
        .filter(|v| program.graphs[0].nodes[v.node as usize].parent.is_none())
        .map(|v| v.node)
        .collect()
}

/// The leaves the root graph entered, in order.
#[must_use]
pub fn leaf_path(program: &Program, events: &[Event]) -> Vec<u32> {
    let leaf = |v: &Visit| !matches!(program.graphs[0].nodes[v.node as usize].kind, NodeKind::Composite(_));
    visits(events).filter(leaf).map(|v| v.node).collect()
}

fn visits(events: &[Event]) -> impl Iterator<Item = Visit> {
    let mut walk = Walk::new();
    events.iter().filter_map(move |event| walk.next(event)).filter(|visit| visit.frame == 0)
}
