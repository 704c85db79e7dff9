//! `--format jsonl`: one event a line, as it is recorded.

use crate::cli::screen;
use loopwright_core::machine::{Event, event_json};
use loopwright_core::port::{Observer, RunView};

/// Prints every event as a line of JSON.
#[derive(Debug, Clone, Copy)]
pub(super) struct Jsonl;

impl Observer for Jsonl {
    fn recorded(&self, event: &Event, graph: u32, view: RunView<'_>) {
        let line = event_json(view.program, |_| graph, event);
        // A reader that went away does not end the run.
        let _ = screen::print(&screen::json_line(&line));
    }
}
