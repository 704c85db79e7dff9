//! `requests_per_minute`, `tokens_per_minute`, `at_once` of an entry of `[models]`.

use super::faults::Faults;
use super::fields::TableFields;
use crate::syntax::{FileKey, KeyForm};

/// The most requests of a minute that a configuration may name: each of them is remembered for a minute.
const MAX_REQUESTS: usize = 100_000;

/// The keys of a model that are about its pace.
pub(super) const KEYS: [FileKey; 3] = [
    FileKey::new(
        "requests_per_minute",
        KeyForm::Count(1, MAX_REQUESTS),
        "The most requests to this model in any 60 seconds.",
    ),
    FileKey::new(
        "tokens_per_minute",
        KeyForm::Count(1, 1_000_000_000),
        "The most tokens, read and written, of the requests of any 60 seconds.",
    ),
    FileKey::new(
        "at_once",
        KeyForm::Count(1, 1024),
        "The most requests to this model in progress at the same time.",
    ),
];

/// The pace at which a model is asked. It holds for all runs of a process; a request past it waits for its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Throttle {
    /// The most requests in any 60 seconds.
    pub requests_per_minute: Option<usize>,
    /// The most tokens, read and written, of the requests of any 60 seconds.
    pub tokens_per_minute: Option<u64>,
    /// The most requests in progress at the same time.
    pub at_once: Option<usize>,
}

impl Throttle {
    pub(super) fn read(fields: &TableFields<'_>, faults: &mut Faults) -> Self {
        Self {
            requests_per_minute: fields.count("requests_per_minute", faults),
            tokens_per_minute: fields.count("tokens_per_minute", faults).and_then(|n| u64::try_from(n).ok()),
            at_once: fields.count("at_once", faults),
        }
    }

    /// Returns true if nothing has to wait.
    #[must_use]
    pub fn is_free(&self) -> bool {
        *self == Self::default()
    }
}
