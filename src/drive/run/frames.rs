//! Which graph an event belongs to.

use rustc_hash::FxHashMap;

use crate::machine::{Event, EventKind, Snapshot};

/// Which graph runs in a frame. Events are shown when all that one input led to is kept: by then a frame they tell of
/// may be closed, or another's.
#[derive(Debug, Default)]
pub(super) struct Frames(FxHashMap<u32, u32>);

impl Frames {
    /// What runs in a snapshot; the events that follow it come next.
    pub(super) fn of(snapshot: &Snapshot) -> Self {
        let lanes = (0..).zip(&snapshot.lanes);
        Self(lanes.filter_map(|(at, lane)| Some((at, lane.as_ref()?.frame.graph))).collect())
    }

    /// The graph of the next event.
    pub(super) fn graph(&mut self, event: &Event) -> u32 {
        if let EventKind::Opened { graph, .. } = &event.kind {
            self.0.insert(event.frame, *graph);
        }
        self.0.get(&event.frame).copied().unwrap_or(0)
    }
}
