//! Words that come to a segment.

use restate_sdk::errors::{HandlerError, TerminalError};
use restate_sdk::prelude::{Json, RunFuture};

use super::{BY_RESTATE, Segment};
use crate::machine::{InputKind, QuestionId, Time, asks_rollback, check_answer, edited_call};
use crate::value::{Str, Value};
use crate::worker::restate::message::{DroppedWord, Ending, NO_ROLLBACK, PostedWord, Word};
use crate::worker::restate::segment::journaled::TakenAnswer;
use crate::worker::restate::service::CANCELLED;

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
        if self.snapshot.done.is_none() {
            self.cancel(self.snapshot.at, BY_RESTATE.into());
        }
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
        let PostedWord { number, at, word } = posted;
        self.word = number + 1;
        match word {
            Word::Abort { reason } => self.feed(at, InputKind::Cancel { reason }),
            Word::Cancel { reason } => self.cancel(at, reason),
            Word::Answer { ask, value } => self.take_answer((number, at), ask, value).await?,
        }
        Ok(())
    }

    /// Takes an answer. One that does not fit, or that comes too late, is dropped, and the object keeps the reason.
    async fn take_answer(
        &mut self,
        (number, at): (u64, Time),
        ask: QuestionId,
        value: Value,
    ) -> Result<(), HandlerError> {
        let TakenAnswer { answer, misfit } = loop {
            self.steps += 1;
            let looks = || async { Ok(Json(self.judge(&ask, &value))) };
            match self.ctx.run(looks).name("answer").await {
                Ok(Json(taken)) => break taken,
                Err(error) => self.cancelled(error)?,
            }
        };
        // What was cancelled meanwhile asks nothing.
        let misfit = misfit.or_else(|| self.misfit(&ask, &answer));
        match misfit {
            None => {
                self.in_progress.withdraw(&ask);
                self.feed(at, InputKind::Answered { ask, answer });
            }
            Some(why) => {
                self.ports.say(&format!("an answer for the run {} is dropped: {why}", self.place.run));
                self.dropped.push(DroppedWord { number, why });
            }
        }
        Ok(())
    }

    /// Judges an answer by the configuration and the tools of this worker.
    fn judge(&self, ask: &QuestionId, value: &Value) -> TakenAnswer {
        let answer = self.host.graph().mask.value(value.clone());
        let edited = || edited_call(&self.snapshot, ask, &answer);
        let misfit =
            self.misfit(ask, &answer).or_else(|| Some(self.ports.tools().misfit(&edited()?)?.into()));
        TakenAnswer { answer, misfit }
    }

    /// Explains why the run does not take an answer, if it does not.
    fn misfit(&self, ask: &QuestionId, answer: &Value) -> Option<String> {
        if let Err(why) = check_answer(&self.host.graph().program, &self.snapshot, ask, answer) {
            return Some(why);
        }
        asks_rollback(&self.host.graph().program, &self.snapshot, ask, answer).then(|| NO_ROLLBACK.to_owned())
    }
}
