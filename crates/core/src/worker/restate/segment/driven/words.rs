//! Words that come to a segment.

use std::sync::Arc;

use restate_sdk::errors::{HandlerError, TerminalError};
use restate_sdk::prelude::{Json, RunFuture};

use super::{CANCELLED, Segment};
use crate::machine::{InputKind, QuestionId, Time, asks_rollback, check_answer, edited_call};
use crate::value::{Str, Value};
use crate::worker::restate::message::{Ending, PostedWord, Word};

/// The time for which the graph of a run that is cancelled may answer.
const MAX_ANSWER_NS: Time = 60_000_000_000;

/// The promise that a word is.
pub(in crate::worker::restate::segment) fn word_promise(number: u64) -> String {
    format!("word/{number}")
}

impl Segment<'_> {
    /// A word that was given to the segment.
    pub(super) fn given(&mut self) -> Option<PostedWord> {
        // What the object sent again is dropped.
        while let Some(posted) = self.words.pop_front() {
            if posted.number == self.word {
                return Some(posted);
            }
        }
        None
    }

    pub(super) fn cancel(&mut self, at: Time, reason: Str) {
        let until = at.saturating_add(MAX_ANSWER_NS);
        self.ending = Some(Ending { reason: reason.clone(), until });
        self.feed(at, InputKind::Cancel { reason });
    }

    /// Takes a cancellation in Restate as one of the run. Nothing in progress is waited for.
    pub(super) fn cancelled(&mut self, error: TerminalError) -> Result<(), HandlerError> {
        if error.code() != CANCELLED {
            return Err(error.into());
        }
        self.cancel(self.snapshot.at, "the invocation was cancelled in Restate".into());
        Ok(())
    }

    /// Takes every word that has arrived.
    pub(super) async fn look(&mut self) -> Result<(), HandlerError> {
        while self.snapshot.done.is_none() {
            let name = word_promise(self.word);
            match self.ctx.peek_promise::<Json<PostedWord>>(&name).await {
                Ok(Some(Json(posted))) => self.take_word(posted).await?,
                Ok(None) => return Ok(()),
                Err(error) => self.cancelled(error)?,
            }
        }
        Ok(())
    }

    pub(super) async fn take_word(&mut self, posted: PostedWord) -> Result<(), HandlerError> {
        self.word = posted.number + 1;
        let at = posted.at;
        match posted.word {
            Word::Abort { reason } => self.feed(at, InputKind::Cancel { reason }),
            Word::Cancel { reason } => self.cancel(at, reason),
            Word::Answer { ask, value } => self.take_answer(at, ask, value).await?,
        }
        Ok(())
    }

    /// Takes an answer. One that does not fit, or that comes too late, is dropped with a note.
    async fn take_answer(&mut self, at: Time, ask: QuestionId, value: Value) -> Result<(), HandlerError> {
        let answer = self.host.graph().mask.value(value);
        match self.misfit(&ask, &answer).await? {
            None => {
                self.in_progress.withdraw(&ask);
                self.feed(at, InputKind::Answered { ask, answer });
            }
            Some(why) => {
                self.ports.say(&format!("an answer for the run {} is dropped: {why}", self.place.run));
            }
        }
        Ok(())
    }

    /// Explains why an answer is not taken, if it is not.
    async fn misfit(&self, ask: &QuestionId, answer: &Value) -> Result<Option<String>, HandlerError> {
        if let Err(why) = check_answer(&self.host.graph().program, &self.snapshot, ask, answer) {
            return Ok(Some(why));
        }
        if asks_rollback(&self.host.graph().program, &self.snapshot, ask, answer) {
            return Ok(Some("a run that Restate drives cannot be sent back to an earlier step".to_owned()));
        }
        let Some(call) = edited_call(&self.snapshot, ask, answer) else { return Ok(None) };
        let tools = Arc::clone(self.ports.tools());
        let looks = move || async move { Ok(Json(tools.misfit(&call).map(|why| why.to_string()))) };
        let Json(misfit) = self.ctx.run(looks).name("arguments").await?;
        Ok(misfit)
    }
}
