//! A run's events as text, one a line: what tests keep of a scenario.

use std::fmt::Write;

use serde_json::Value as Json;

use crate::machine::{Event, EventCursor, event_json, event_text};
use crate::program::Program;
use crate::value::duration;

/// All events in order. Where time continued, a line says how far the run is from its start.
#[must_use]
pub fn text(program: &Program, events: &[Event]) -> String {
    let mut out = String::new();
    let mut cursor = EventCursor::new();
    let mut at = events.first().map_or(0, |first| first.at);
    let start = at;
    for event in events {
        cursor.next(program, event);
        if event.at != at {
            at = event.at;
            let _ = writeln!(out, "-- after {}", duration::text(at - start));
        }
        let _ = writeln!(out, "{}", event_text(program, |frame| cursor.graph(frame), event));
    }
    out
}

/// All events in order, an object each.
#[must_use]
pub fn json(program: &Program, events: &[Event]) -> Vec<Json> {
    let mut cursor = EventCursor::new();
    let one = |event: &Event| {
        cursor.next(program, event);
        event_json(program, |frame| cursor.graph(frame), event)
    };
    events.iter().map(one).collect()
}
