//! `--format jsonl`: one event a line, as it is recorded.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use crate::cli::screen;
use crate::machine::{Event, EventKind, Snapshot, event_json};
use crate::port::{Observer, View};
use crate::value::Str;

/// Prints every event as a line of JSON.
#[derive(Debug, Clone, Default)]
pub(super) struct Jsonl(Arc<Mutex<Frames>>);

/// Which graph runs in a frame. Events are shown when all that one input led to is kept: by then a frame they tell of may be
/// closed, or another's.
#[derive(Debug, Default)]
struct Frames {
    /// The branch of the run that is followed.
    branch: Str,
    graphs: FxHashMap<u32, u32>,
}

impl Frames {
    /// Takes over what runs in a snapshot.
    fn take(&mut self, snapshot: &Snapshot) {
        self.branch = snapshot.run.clone();
        let lanes = (0..).zip(&snapshot.lanes);
        self.graphs = lanes.filter_map(|(at, lane)| Some((at, lane.as_ref()?.frame.graph))).collect();
    }
}

impl Jsonl {
    /// Begins where a run stands that goes on.
    pub(super) fn begin(&self, snapshot: &Snapshot) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take(snapshot);
    }
}

impl Observer for Jsonl {
    fn recorded(&self, event: &Event, view: View<'_>) {
        let mut frames = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if frames.branch != view.snapshot.run {
            frames.take(view.snapshot);
        }
        if let EventKind::Opened { graph, .. } = &event.kind {
            frames.graphs.insert(event.frame, *graph);
        }
        let graph_of = |frame: u32| frames.graphs.get(&frame).copied().unwrap_or(0);
        let line = event_json(view.program, graph_of, event);
        // A reader that went away does not end the run.
        let _ = screen::print(&format!("{line}\n"));
    }
}
