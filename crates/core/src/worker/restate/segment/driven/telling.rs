//! What a segment tells the object and the onlookers.

use restate_sdk::errors::HandlerError;
use restate_sdk::prelude::{Json, RunFuture};
use serde_json::Value as Json0;

use super::{MAX_SEGMENT_BYTES, Segment, size};
use crate::machine::{InputKind, Time};
use crate::worker::restate::message::{Continuation, HandOver, Record};
use crate::worker::restate::service::{MAX_INPUT_BYTES, of_run};

/// Entries are sent to the object after so many, and after so long.
const SENT_ENTRIES: usize = 50;
const SENT_AFTER_NS: Time = 200_000_000;

/// The longest state that is handed over, in bytes: there is room for the words that come to it on its way.
const MAX_STATE_BYTES: usize = MAX_INPUT_BYTES - (8 << 20);

impl Segment<'_> {
    /// Shows what happened to the onlookers, in a step of its own.
    pub(super) async fn show(&mut self) -> Result<(), HandlerError> {
        while self.onlookers.has_pending() {
            self.steps += 1;
            let Self { ctx, host, onlookers, .. } = self;
            let program = &host.graph().program;
            let shown = ctx
                .run(move || {
                    onlookers.show(program);
                    async { Ok(()) }
                })
                .name("show")
                .await;
            match shown {
                Ok(()) => self.onlookers.pass(),
                Err(error) => self.cancelled(error)?,
            }
        }
        Ok(())
    }

    /// The counts of the run, for the next segment.
    async fn memory(&mut self) -> Result<Option<Json0>, HandlerError> {
        while self.settings.remembers {
            let Self { ctx, onlookers, .. } = self;
            let remembered = move || {
                let memory = onlookers.memory();
                async { Ok(Json(memory)) }
            };
            match ctx.run(remembered).name("memory").await {
                Ok(Json(memory)) => return Ok(Some(memory)),
                Err(error) => self.cancelled(error)?,
            }
        }
        Ok(None)
    }

    /// Returns true if the object has not been told for long.
    pub(super) fn is_behindhand(&self) -> bool {
        self.unsent.len() >= SENT_ENTRIES
            || self.unsent_bytes >= MAX_SEGMENT_BYTES
            || !self.unsent.is_empty() && self.snapshot.at.saturating_sub(self.sent_at) >= SENT_AFTER_NS
    }

    /// The part of the journal that the object has not been sent.
    pub(super) fn unsent(&mut self) -> Record {
        let (from, entries, status) = (self.sent, std::mem::take(&mut self.unsent), self.status());
        self.sent += entries.len() as u64;
        self.unsent_bytes = 0;
        self.sent_at = self.snapshot.at;
        self.sent_status = status.clone();
        self.sent_word = self.word;
        let (segment, word, dropped) = (self.place.number, self.word, std::mem::take(&mut self.dropped));
        Record { segment, from, entries, status, word, dropped }
    }

    /// Tells the object what happened.
    pub(super) fn send(&mut self) {
        if self.unsent.is_empty() && self.sent_status == self.status() && self.sent_word == self.word {
            return;
        }
        let record = self.unsent();
        let _sent = of_run(self.ctx, &self.place.run, "record", record).send();
    }

    /// Leaves the run to the next segment. True if it ended in place of that: what it knows is more than can be passed on.
    pub(super) async fn hand_over(&mut self) -> Result<bool, HandlerError> {
        let memory = loop {
            self.show().await?;
            let memory = self.memory().await?;
            // A cancellation that came meanwhile is shown as well.
            if !self.onlookers.has_pending() {
                break memory;
            }
        };
        if self.snapshot.done.is_some() {
            return Ok(true);
        }
        let mut state = Continuation {
            info: self.info.clone(),
            snapshot: self.snapshot.clone(),
            entries: 0,
            word: self.word,
            words: Vec::new(),
            ending: self.ending.clone(),
            limited_since: self.limited_since,
            memory,
        };
        let size = size(&state);
        if size > MAX_STATE_BYTES {
            let reason = ecow::eco_format!(
                "the state of the run has {size} bytes; Restate passes on {MAX_STATE_BYTES} at a time"
            );
            self.feed(self.snapshot.at, InputKind::End { reason });
            return Ok(true);
        }
        if size + self.unsent_bytes > MAX_STATE_BYTES {
            // In a message of its own.
            self.send();
        }
        let record = self.unsent();
        state.entries = self.sent;
        let _sent = of_run(self.ctx, &self.place.run, "hand_over", HandOver { record, state }).send();
        Ok(false)
    }
}
