//! The entries that serve a role, tried one after another.

use std::sync::Arc;

use super::attempt_error::AttemptError;
use super::attempts::Attempts;
use super::model_call::ModelCall;
use super::span;
use crate::config::FallbackConfig;
use crate::llm::fit::fits;
use crate::machine::{Outcome, Request};
use crate::program::error::ErrorKind;
use crate::wire::PartialReply;

/// A call with all entries that may answer it, the first one first.
pub(super) struct FallbackCall {
    /// At least one.
    pub(super) calls: Vec<ModelCall>,
    /// The list that names the entries, if there is one.
    pub(super) list: Option<Arc<FallbackConfig>>,
}

impl FallbackCall {
    /// The outcome, with what all attempts cost.
    pub(super) async fn answer(mut self) -> Outcome {
        let mut attempts = Attempts::default();
        let mut calls = std::mem::take(&mut self.calls).into_iter().peekable();
        while let Some(mut call) = calls.next() {
            let next = calls.peek();
            if self.list.is_none() {
                span::asked(&call.entry.config, &call.question);
            }
            let mut answered = match call.load().await {
                Ok(()) => call.answer(&mut attempts).await,
                Err(error) => {
                    call.refuse(&error, &mut attempts);
                    Err(error)
                }
            };
            let call = &call;
            if next.is_some() {
                answered = answered.and_then(|reply| self.judge(call, reply));
                if let Err(error) = &answered {
                    attempts.spoil_last(error);
                }
            }
            if let (Some(next), Err(error)) = (next, &answered)
                && self.goes_on(call, error)
            {
                tracing::info!(
                    error.r#type = error.kind.name(),
                    entry = call.entry.config.role.as_str(),
                    next = next.entry.config.role.as_str(),
                    "asks the next entry"
                );
                continue;
            }
            if self.list.is_some() {
                span::chosen(&call.entry.config);
                span::asked(&call.entry.config, &call.question);
            }
            return outcome(call, answered, attempts);
        }
        Outcome::never_began(ErrorKind::Internal, "no entry serves the role")
    }

    /// Returns true if the next entry is tried: never after somebody saw a part of a reply.
    fn goes_on(&self, call: &ModelCall, error: &AttemptError) -> bool {
        !call.was_heard() && self.list.as_ref().is_some_and(|list| list.goes_on_after(error.kind))
    }

    /// Holds an answer against its type, where another entry is to answer in place of one that does not fit.
    fn judge(&self, call: &ModelCall, reply: PartialReply) -> Result<PartialReply, AttemptError> {
        let replaced = self.list.as_ref().is_some_and(|list| list.goes_on_after(ErrorKind::InvalidOutput));
        let Request::Model { schema, .. } = &call.call.request else { return Ok(reply) };
        // Beside calls of tools there is no answer yet.
        let is_answer = reply.calls.is_empty();
        if !replaced || call.was_heard() || !is_answer || fits(schema, &reply.text) {
            return Ok(reply);
        }
        Err(AttemptError::new(ErrorKind::InvalidOutput, "the answer does not fit its type").after(reply))
    }
}

fn outcome(call: &ModelCall, answered: Result<PartialReply, AttemptError>, attempts: Attempts) -> Outcome {
    let usage = attempts.usage();
    match answered {
        Ok(reply) => {
            span::answered(&reply);
            Outcome::answer(call.value(reply)).with_usage(usage)
        }
        Err(error) => {
            error.reply.as_ref().inspect(|reply| span::answered(reply));
            error.outcome(usage)
        }
    }
    .with_attempts(attempts.into_vec())
}
