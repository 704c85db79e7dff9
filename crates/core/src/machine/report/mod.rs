//! Events for people and for other programs: names of nodes, edges, budgets and variables instead of numbers.
//!
//! The journal holds [`Event`]s with numbers, which only the program they belong to can resolve. [`event_json`] is what
//! `--format jsonl` and scenario traces print: one object per event, distinguished by `type`. [`event_text`] is one line.

mod attempts;
mod json;
mod names;
mod text;
mod time;

#[cfg(test)]
mod tests;

pub use json::{REPORT_VERSION, event_json};
pub use text::{event_text, event_text_whole};
pub use time::timestamp;

use super::event::{Event, EventKind};

impl EventKind {
    /// The name of the kind, as reports give it under `type`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Started { .. } => "started",
            Self::Opened { .. } => "opened",
            Self::Crossed { .. } => "crossed",
            Self::Entered { .. } => "entered",
            Self::Called(_) => "called",
            Self::Resolved { .. } => "resolved",
            Self::Late { .. } => "late",
            Self::Retrying { .. } => "retrying",
            Self::Completed { .. } => "completed",
            Self::Failed { .. } => "failed",
            Self::Took { .. } => "took",
            Self::Charged(_) => "charged",
            Self::Asked(_) => "asked",
            Self::Answered { .. } => "answered",
            Self::Waiting { .. } => "waiting",
            Self::Abandoned { .. } => "abandoned",
            Self::Closed { .. } => "closed",
            Self::Done(_) => "done",
        }
    }
}

/// The frame's graph for an event, as the caller knows it from the snapshot or from the events before.
fn graph_of(event: &Event, graph_of_frame: impl Fn(u32) -> u32) -> u32 {
    match event.kind {
        EventKind::Opened { graph, .. } => graph,
        _ => graph_of_frame(event.frame),
    }
}
