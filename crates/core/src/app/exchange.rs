//! A call of a run: what was asked, and what came of it.

use serde_json::{Value as Json, json};

use super::cursor::JournalCursor;
use super::read_error::ReadError;
use super::stored::OpenRun;
use crate::machine::{EventKind, event_json};

impl OpenRun {
    /// A call by its id, as JSON: what a model was shown or a tool was given in `called`, and what it said in `resolved`, if it has
    /// come back. A call that was made again after a rollback is the last one of its id. The run must be
    /// [found whole](super::Runs::find_whole).
    ///
    /// # Errors
    /// The store cannot read the journal.
    pub async fn exchange(&self, call: &str) -> Result<Option<Json>, ReadError> {
        let mut cursor = JournalCursor::new(self);
        let mut found: Option<Json> = None;
        for entry in self.entries().await? {
            cursor.enter(&entry.cause);
            for event in &entry.events {
                cursor.pass(event);
                let part = match &event.kind {
                    EventKind::Called(own) if own.id.0 == call => "called",
                    EventKind::Resolved { call: own, .. } | EventKind::Late { call: own, .. }
                        if own.0 == call =>
                    {
                        "resolved"
                    }
                    _ => continue,
                };
                let json = event_json(cursor.program(), |frame| cursor.graph(frame), event);
                if part == "called" {
                    found = Some(json!({"call": call}));
                }
                if let Some(found) = &mut found {
                    found[part] = json;
                }
            }
        }
        Ok(found)
    }
}
