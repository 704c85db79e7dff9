//! The attempts of one call, as they are recorded with its outcome.

use super::attempt_error::AttemptError;
use crate::machine::{AttemptFault, ModelAttempt, Usage};

/// The attempts of a call so far, in order.
#[derive(Debug, Default)]
pub(super) struct Attempts(Vec<ModelAttempt>);

impl Attempts {
    pub(super) fn push(&mut self, attempt: ModelAttempt) {
        self.0.push(attempt);
    }

    /// The cost of all of them.
    pub(super) fn usage(&self) -> Usage {
        self.0.iter().fold(Usage::default(), |sum, attempt| sum.plus(attempt.usage))
    }

    /// Says of the last one that its answer is none after all.
    pub(super) fn spoil_last(&mut self, error: &AttemptError) {
        if let Some(last) = self.0.last_mut().filter(|last| last.error.is_none()) {
            last.error = Some(error.fault());
        }
    }

    pub(super) fn into_vec(self) -> Vec<ModelAttempt> {
        self.0
    }
}

impl AttemptError {
    /// The error as it is recorded.
    pub(super) fn fault(&self) -> AttemptFault {
        AttemptFault { kind: self.kind.into(), message: self.message.as_str().into(), refused: false }
    }
}
