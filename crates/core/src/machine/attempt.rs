//! Attempts of models to answer a call.

use serde::{Deserialize, Serialize};

use super::call::Usage;
use super::input::Time;
use crate::value::Str;

/// One attempt of a model to answer a call: the request was sent once, or was refused before it was sent.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ModelAttempt {
    /// The entry of the configuration that was asked.
    pub entry: Str,
    /// The provider's name of the model.
    pub model: Str,
    /// The time at which the request was sent.
    pub at: Time,
    /// The wait for its turn before that, in nanoseconds: see `requests_per_minute`, `tokens_per_minute` and `at_once`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub waited: i64,
    /// The kind of error and its message; none where it answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<AttemptFault>,
    /// The cost of this attempt.
    #[serde(default, skip_serializing_if = "Usage::is_free")]
    pub usage: Usage,
}

/// The error of an attempt.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AttemptFault {
    /// The kind of error.
    pub kind: Str,
    /// The message.
    pub message: Str,
    /// True if a limit of the run refused the attempt: nothing was sent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub refused: bool,
}

impl ModelAttempt {
    /// Returns true if the provider was asked.
    #[must_use]
    pub fn was_sent(&self) -> bool {
        self.error.as_ref().is_none_or(|fault| !fault.refused)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
const fn is_zero(nanos: &i64) -> bool {
    *nanos == 0
}
