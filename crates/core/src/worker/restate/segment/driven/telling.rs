//! What a segment tells the object and the onlookers.

use restate_sdk::errors::HandlerError;
use restate_sdk::prelude::RunFuture;

use super::{CANCELLED, Segment};
use crate::machine::Time;
use crate::worker::restate::message::{Continuation, HandOver, Record};
use crate::worker::restate::service::of_run;

/// Entries are sent to the object after so many, and after so long.
const SENT_ENTRIES: usize = 50;
const SENT_AFTER_NS: Time = 200_000_000;

impl Segment<'_> {
    /// Shows what happened to the onlookers, in a step of its own.
    pub(super) async fn show(&mut self) -> Result<(), HandlerError> {
        if !self.onlookers.has_unshown() {
            return Ok(());
        }
        self.steps += 1;
        let mut executed = false;
        let Self { ctx, host, onlookers, .. } = self;
        let (is_executed, program) = (&mut executed, &host.graph().program);
        let shown = ctx
            .run(move || {
                *is_executed = true;
                onlookers.show(program);
                async { Ok(()) }
            })
            .name("show")
            .await;
        if !executed {
            self.onlookers.pass();
        }
        match shown {
            Err(error) if error.code() != CANCELLED => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// Returns true if the object has not been told for long.
    pub(super) fn is_behindhand(&self) -> bool {
        self.unsent.len() >= SENT_ENTRIES
            || !self.unsent.is_empty() && self.snapshot.at.saturating_sub(self.sent_at) >= SENT_AFTER_NS
    }

    /// The part of the journal that the object has not been sent.
    pub(super) fn unsent(&mut self) -> Record {
        let (from, entries, status) = (self.sent, std::mem::take(&mut self.unsent), self.status());
        self.sent += entries.len() as u64;
        self.sent_at = self.snapshot.at;
        self.sent_status = status.clone();
        Record { from, entries, status }
    }

    /// Tells the object what happened.
    pub(super) fn send(&mut self) {
        if self.unsent.is_empty() && self.sent_status == self.status() {
            return;
        }
        let record = self.unsent();
        let _sent = of_run(self.ctx, &self.place.run, "record", record).send();
    }

    /// Leaves the run to the next segment.
    pub(super) async fn hand_over(&mut self) -> Result<(), HandlerError> {
        self.show().await?;
        let record = self.unsent();
        let state = Continuation {
            info: self.info.clone(),
            snapshot: self.snapshot.clone(),
            entries: self.sent,
            word: self.word,
            words: Vec::new(),
            ending: self.ending.take(),
        };
        let over = HandOver { segment: self.place.number, record, state };
        let _sent = of_run(self.ctx, &self.place.run, "hand_over", over).send();
        Ok(())
    }
}
