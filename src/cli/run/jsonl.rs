//! `--format jsonl`: one event a line, as it is recorded.

use crate::cli::screen;
use crate::machine::{Event, event_json};
use crate::port::{Observer, View};

/// Prints every event as a line of JSON.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Jsonl;

impl Observer for Jsonl {
    fn recorded(&self, event: &Event, view: View<'_>) {
        let graph_of = |frame: u32| view.snapshot.lane(frame).map_or(0, |lane| lane.frame.graph);
        let line = event_json(view.program, graph_of, event);
        // A reader that went away does not end the run.
        let _ = screen::print(&format!("{line}\n"));
    }
}
