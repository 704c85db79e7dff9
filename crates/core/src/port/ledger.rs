//! Limits on the calls of runs.

use serde_json::Value as Json;

use crate::machine::{Call, CallId, Event, Outcome, Time};
use crate::program::error::ErrorKind;
use crate::value::Str;

/// Holds the calls of runs against limits of the operator. What is refused is an outcome like any other: it is recorded, and
/// a replay needs no ledger.
pub trait CallLedger: Send + Sync {
    /// Begins a run anew with the events that are stored of it.
    fn load(&self, run: &Str, events: &[Event]);

    /// The number of the first event of a run that was not counted: 0 of one that is not known, which is to be
    /// [loaded](CallLedger::load).
    fn next_event(&self, run: &Str) -> u64;

    /// Goes on with a run that is known: counts those of its last events that were not counted.
    fn catch_up(&self, run: &Str, events: &[Event]);

    /// The run is not driven here for now. It may be forgotten.
    fn leave(&self, run: &Str);

    /// Counts an event that was stored.
    fn observe(&self, run: &Str, event: &Event);

    /// Its counts of a run, for the ledger of whoever drives the run on; null if it cannot give them.
    fn memory(&self, _run: &Str) -> Json {
        Json::Null
    }

    /// Goes on from what another one has counted of a run; false if that lacks what is counted here.
    fn recall(&self, _run: &Str, _memory: &Json) -> bool {
        false
    }

    /// The refusal of a call of a tool that was recorded and is to begin now, if it is past a limit.
    fn refuse_tool(&self, run: &Str, call: &Call, now: Time) -> Option<Outcome>;

    /// Notes that a model is about to be asked for a call.
    ///
    /// # Errors
    /// A limit of its entry is reached.
    fn admit_model(&self, run: &Str, call: &CallId, entry: &Str, now: Time) -> Result<(), LimitRefusal>;

    /// Notes what the last attempt of a call cost.
    fn settle_model(&self, run: &Str, call: &CallId, cost: u64);
}

/// The refusal of a call that is past a limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitRefusal {
    /// `denied`, or `rate_limited` if a later call may be made.
    pub kind: ErrorKind,
    /// The message.
    pub message: Str,
    /// The time after which a call may be made, in nanoseconds from now.
    pub retry_after: Option<i64>,
}
