//! The journal of a run, part by part, as streams have it.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::place::JournalPlace;
use crate::app::{OpenRun, ReadError, Runs};
use crate::machine::{EventCursor, Outcome, event_json, timestamp};
use crate::port::{EntryCause, JournalEntry, Store};
use crate::program::Program;
use crate::value::Str;

/// The most entries that are read at once. Entries may be long, and nobody knows before how long.
const MAX_ENTRIES: u32 = 32;

/// The bytes of messages that are aimed at when it is read on.
const PART_BYTES: usize = 256 << 10;

/// A part of a journal as a message of a stream.
#[derive(Debug, Clone)]
pub(super) struct StreamMessage {
    /// The place after it.
    pub(super) place: JournalPlace,
    /// The message, with its id.
    pub(super) text: Arc<str>,
}

/// Reads the journal of a run from its first entry on, each entry once.
pub(super) struct JournalReader {
    run: OpenRun,
    program: Arc<Program>,
    cursor: EventCursor,
    /// The number of entries that were read.
    entries: u64,
    /// The number of entries that are read next: few of a journal of long ones, so that memory is bounded.
    many: u32,
    place: JournalPlace,
}

impl JournalReader {
    /// A reader before the first entry.
    pub(super) async fn open(runs: &Runs, run: &str) -> Result<Self, ReadError> {
        // The programs of a journal are found as it is read: it may be long, and every reader begins here.
        let mut run = runs.find(run).await?;
        let beginning = run.beginning().await?;
        let program = run.program_of(&run.info.program.clone()).await?;
        let place = JournalPlace { events: beginning.seq, entry: 0 };
        // A branch of another run begins in the middle of that.
        Ok(Self { program, cursor: EventCursor::at(&beginning), entries: 0, many: 1, place, run })
    }

    /// The place up to which it has read.
    pub(super) const fn place(&self) -> JournalPlace {
        self.place
    }

    /// Reads on. Nothing if there is no more for now.
    pub(super) async fn read(&mut self) -> Result<Vec<StreamMessage>, ReadError> {
        let mut messages = Vec::new();
        // Some entries have no events and tell nothing else: that is not the end.
        while messages.is_empty() {
            let store: &Arc<dyn Store> = &self.run.store;
            let entries = store.entries_from(&self.run.info.run, self.entries, self.many).await?;
            if entries.is_empty() {
                break;
            }
            for entry in entries {
                if let EntryCause::Moved { program, .. } = &entry.cause {
                    self.move_to(program).await?;
                }
                self.take(&entry, &mut messages);
                self.entries += 1;
            }
            let bytes: usize = messages.iter().map(|message| message.text.len()).sum();
            self.many =
                if bytes > PART_BYTES { (self.many / 4).max(1) } else { (self.many * 2).min(MAX_ENTRIES) };
        }
        Ok(messages)
    }

    /// The run goes by another program from here on.
    async fn move_to(&mut self, digest: &Str) -> Result<(), ReadError> {
        let next = self.run.program_of(digest).await?;
        self.cursor.carry_over(&self.program, &next);
        self.program = next;
        Ok(())
    }

    fn take(&mut self, entry: &JournalEntry, messages: &mut Vec<StreamMessage>) {
        if matches!(entry.cause, EntryCause::Back { .. }) {
            // Between two steps of the root graph no other graph runs.
            self.cursor = EventCursor::new();
        }
        let mut by = entry.by.as_deref();
        if let Some(mut act) = act_of(&entry.cause) {
            act["at"] = timestamp(entry.at).into();
            act["step"] = entry.step.into();
            act["entry"] = self.entries.into();
            if let Some(by) = by.take() {
                act["by"] = by.into();
            }
            self.place = JournalPlace::after_entry(self.place.events, self.entries);
            messages.push(message(self.place, "act", &act));
        }
        for event in &entry.events {
            let graph = self.cursor.next(&self.program, event).graph;
            let mut json = event_json(&self.program, |_| graph, event);
            json["step"] = entry.step.into();
            if let Some(by) = by.take() {
                json["by"] = by.into();
            }
            self.place = JournalPlace::after_event(event.seq);
            messages.push(message(self.place, "event", &json));
        }
    }
}

/// The act of an entry that no event tells.
fn act_of(cause: &EntryCause) -> Option<Json> {
    Some(match cause {
        EntryCause::Input(_) => return None,
        EntryCause::Back { step, .. } => json!({"type": "rolled_back", "to": step}),
        EntryCause::Undo { call } => json!({"type": "undoing", "call": call.0.as_str()}),
        EntryCause::Undone { call, outcome } => {
            let undone = matches!(outcome, Outcome::Answer { .. });
            json!({"type": "undone", "call": call.0.as_str(), "ok": undone})
        }
        EntryCause::Moved { program, .. } => json!({"type": "moved", "program": program.as_str()}),
        EntryCause::Interrupted { signal, .. } => json!({"type": "interrupted", "signal": signal.as_str()}),
        EntryCause::Resumed => json!({"type": "resumed"}),
        EntryCause::Forked { of, step } => json!({"type": "forked", "of": of.as_str(), "at_step": step}),
    })
}

fn message(place: JournalPlace, event: &str, data: &Json) -> StreamMessage {
    // JSON has no line breaks, so that it is one line of the stream.
    StreamMessage { place, text: format!("id: {place}\nevent: {event}\ndata: {data}\n\n").into() }
}
