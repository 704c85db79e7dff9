//! Places of the events of a run: the one reader of which graph runs in which frame.

use rustc_hash::FxHashMap;

use super::event::{Event, EventKind};
use super::snapshot::{Phase, Snapshot};
use crate::program::Program;
use crate::program::graph::{LinkedNodeKind, NodeCode};
use crate::value::Str;

/// Reads events in order and knows where each of them happened.
///
/// Events carry the number of a frame. Which graph runs in it, and which lane it is, only the events before tell: a
/// number is used again when the graph in it has ended.
#[derive(Debug, Clone, Default)]
pub struct EventCursor {
    frames: FxHashMap<u32, FrameState>,
}

/// The place of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventPlace {
    /// The graph that runs in the event's frame.
    pub graph: u32,
    /// The path of the lane, as calls and questions name it; empty for the root graph.
    pub lane: Str,
    /// The frame that called this one; none for the root graph.
    pub parent: Option<u32>,
    /// The node the frame is at: the one entered last.
    pub node: u32,
    /// The node that the event enters. An entry whose `do` fails is one too.
    pub enters: Option<u32>,
}

#[derive(Debug, Clone, Default)]
struct FrameState {
    graph: u32,
    lane: Str,
    parent: Option<u32>,
    node: u32,
    visit: u32,
    /// An edge was taken and its target is not entered yet: a failure now is one of the entry.
    arriving: bool,
}

impl EventCursor {
    /// Before the first event of a run.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The place of a run: the events that follow the snapshot come next.
    #[must_use]
    pub fn at(snapshot: &Snapshot) -> Self {
        let lanes = (0..).zip(&snapshot.lanes).filter_map(|(at, lane)| Some((at, lane.as_deref()?)));
        let frames = lanes.map(|(at, lane)| {
            let node = lane.frame.node;
            let state = FrameState {
                graph: lane.frame.graph,
                lane: lane.path.clone(),
                parent: lane.parent.map(|(parent, _)| parent),
                node,
                visit: lane.frame.visits.get(node as usize).copied().unwrap_or_default(),
                arriving: matches!(lane.phase, Phase::Enter { .. }),
            };
            (at, state)
        });
        Self { frames: frames.collect() }
    }

    /// Takes the next event; says where it happened. `program` is the one the run goes by.
    pub fn next(&mut self, program: &Program, event: &Event) -> EventPlace {
        if let EventKind::Opened { parent, graph, lane, .. } = &event.kind {
            let caller = self.frames.get(parent).cloned().unwrap_or_default();
            let node = node(program, caller.graph, caller.node);
            let lane = node.map(|node| lane_path(&caller.lane, node, caller.visit, *lane));
            let state = FrameState {
                graph: *graph,
                lane: lane.unwrap_or_default(),
                parent: Some(*parent),
                arriving: true,
                ..FrameState::default()
            };
            self.frames.insert(event.frame, state);
        }
        let frame = self.frames.entry(event.frame).or_default();
        let enters = frame.take(&event.kind);
        EventPlace {
            graph: frame.graph,
            lane: frame.lane.clone(),
            parent: frame.parent,
            node: frame.node,
            enters,
        }
    }

    /// The graph that runs in a frame.
    #[must_use]
    pub fn graph(&self, frame: u32) -> u32 {
        self.frames.get(&frame).map_or(0, |state| state.graph)
    }

    /// From here on the events are those of another program, to which the run was carried over: the same graphs run in
    /// the frames, under the numbers they have there.
    pub fn carry_over(&mut self, was: &Program, is: &Program) {
        for state in self.frames.values_mut() {
            let id = was.graphs.get(state.graph as usize).map(|graph| &graph.id);
            let found = (0..).zip(&is.graphs).find(|(_, graph)| Some(&graph.id) == id);
            state.graph = found.map_or(state.graph, |(place, _)| place);
        }
    }
}

impl FrameState {
    /// Takes an event of this frame; gives the node that it enters.
    fn take(&mut self, kind: &EventKind) -> Option<u32> {
        match kind {
            EventKind::Started { .. } | EventKind::Took { .. } => {
                self.arriving = true;
                None
            }
            EventKind::Crossed { node, .. } => Some(*node),
            EventKind::Entered { node, visit, .. } => {
                (self.node, self.visit, self.arriving) = (*node, *visit, false);
                Some(*node)
            }
            EventKind::Failed { node, .. } if self.arriving => {
                self.arriving = false;
                Some(*node)
            }
            _ => None,
        }
    }
}

fn node(program: &Program, graph: u32, node: u32) -> Option<&NodeCode> {
    program.graphs.get(graph as usize)?.nodes.get(node as usize)
}

/// The path of a lane: that of its caller, the node that calls and its visit, and which lane of the node it is.
pub(super) fn lane_path(caller: &str, node: &NodeCode, visit: u32, lane: u32) -> Str {
    let label = match &node.kind {
        LinkedNodeKind::Each(_) => ecow::eco_format!("[{lane}]"),
        LinkedNodeKind::Parallel(code) => match code.branches.get(lane as usize) {
            Some(branch) => ecow::eco_format!("[{}]", branch.name),
            None => Str::new(),
        },
        _ => Str::new(),
    };
    ecow::eco_format!("{caller}{}#{visit}{label}/", node.name)
}
