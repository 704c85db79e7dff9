//! Calls of which nobody knows whether they took place, and whose tools have a probe to ask.

use std::panic::AssertUnwindSafe;

use futures::FutureExt;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Run;
use super::input::Next;
use crate::drive::driver::DriveError;
use crate::machine::{Call, CallId, InputKind, Outcome, Output, Time};
use crate::port::{Leftovers, ProbeResult};
use crate::program::error::ErrorKind;
use crate::value::Str;

/// The longest a probe is waited for, in nanoseconds.
const MAX_PROBE_NS: Time = 600_000_000_000;

/// The calls whose outcome is not known, and what asks about them.
#[derive(Default)]
pub(super) struct UncertainCalls {
    open: FxHashMap<CallId, Uncertainty>,
    /// Calls that were made again because their probe said that they had not taken place.
    again: FxHashSet<CallId>,
}

/// A call of unknown outcome, and the cause.
struct Uncertainty {
    /// The message if no probe answers.
    message: Str,
    /// It was interrupted, and its time does not run out before its probe has spoken.
    held: bool,
}

impl Run {
    /// Returns true if there is a probe to ask after a call that is not to be made twice.
    pub(super) fn can_ask_after(&self, call: &Call) -> bool {
        call.is_once() && self.driver.tools.probe(call, self.view()).is_some()
    }

    /// Returns true if something of a call that was interrupted may be at work.
    pub(super) fn is_left(&self, call: &Call) -> bool {
        self.driver.tools.remains(call).is_some()
    }

    /// Notes that a call was interrupted: where it would be made, what was left at work of it is ended, and its probe is
    /// asked if it may be made at most once.
    pub(super) fn mark_uncertain(&mut self, call: &CallId, message: Str) {
        self.uncertain_calls.open.insert(call.clone(), Uncertainty { message, held: true });
    }

    /// Returns true if a call may have been made, and nobody knows yet what became of it.
    pub(super) fn is_uncertain(&self, call: &CallId) -> bool {
        self.uncertain_calls.open.contains_key(call)
    }

    /// Returns true if a call that was interrupted waits for its probe.
    pub(super) fn is_held(&self) -> bool {
        let waits = |id: &CallId| self.snapshot.calls().any(|call| call.id == *id);
        self.uncertain_calls.open.iter().any(|(id, call_state)| call_state.held && waits(id))
    }

    /// Asks after an uncertain call; false where it is not uncertain. What was left at work of it is ended before.
    pub(super) fn ask_after(&mut self, call: &Call) -> bool {
        let Some(message) =
            self.uncertain_calls.open.get(&call.id).map(|call_state| call_state.message.clone())
        else {
            return false;
        };
        if let Some(remains) = self.driver.tools.remains(call) {
            self.work.end_left(call.id.clone(), remains);
            return true;
        }
        if !call.is_once() {
            self.uncertain_calls.open.remove(&call.id);
            let over = call.deadline.is_some_and(|end| end <= self.driver.clock.now());
            if over {
                self.feed_now(InputKind::Time);
            }
            return over;
        }
        if let Some(probe) = self.driver.tools.probe(call, self.view()) {
            let end = self.driver.clock.sleep_until(self.driver.clock.now().saturating_add(MAX_PROBE_NS));
            self.work.probe(call.id.clone(), async move {
                let probe = AssertUnwindSafe(probe).catch_unwind();
                tokio::select! {
                    biased;
                    probed = probe => probed.unwrap_or_else(|_| ProbeResult::Unknown("the probe panicked".into())),
                    () = end => ProbeResult::Unknown("the probe took longer than 10m".into()),
                }
            });
        } else {
            self.uncertain_calls.open.remove(&call.id);
            let outcome = Outcome::Unknown { message };
            self.feed_now(InputKind::Resolved { call: call.id.clone(), outcome });
        }
        true
    }

    /// Continues a call once everything that was left at work of it has ended. Where that cannot be ended, nothing more is
    /// done for the call.
    pub(super) fn cleared(&mut self, id: &CallId, remains: Leftovers) -> Next {
        let Some(call) = self.in_progress(id) else {
            self.uncertain_calls.open.remove(id);
            return Next::Look;
        };
        match remains {
            Leftovers::Gone(ended) => {
                if let Some(ended) = ended {
                    self.driver.note_ended(id, &ended);
                }
                self.queue.push_back(Output::Call(Box::new(call)));
                Next::Look
            }
            Leftovers::AtWork(why) if call.is_once() => {
                let known = self
                    .uncertain_calls
                    .open
                    .remove(id)
                    .map(|call_state| call_state.message)
                    .unwrap_or_default();
                let message = ecow::eco_format!("{known}; {why}");
                Next::Feed(InputKind::Resolved { call: id.clone(), outcome: Outcome::Unknown { message } })
            }
            Leftovers::AtWork(why) => Next::Refuse(DriveError::AtWork { call: id.0.clone(), why }),
        }
    }

    /// Makes a call again that did not begin, once it is known whose the run is.
    pub(super) fn again(&mut self, id: &CallId) -> Next {
        self.queue.extend(self.in_progress(id).map(|call| Output::Call(Box::new(call))));
        Next::Look
    }

    fn in_progress(&self, id: &CallId) -> Option<Call> {
        self.snapshot.calls().find(|call| call.id == *id).cloned()
    }

    /// A call came back, and what became of it is not known: its probe is asked, if it has one.
    pub(super) fn take_outcome(&mut self, id: CallId, outcome: Outcome) -> Next {
        let open = self.in_progress(&id);
        let outcome = if open.as_ref().is_some_and(Call::is_once) { outcome.of_once() } else { outcome };
        if let (Outcome::Unknown { message }, Some(call)) = (&outcome, open)
            && (self.is_left(&call) || self.can_ask_after(&call))
        {
            self.uncertain_calls.open.insert(id, Uncertainty { message: message.clone(), held: false });
            self.ask_after(&call);
            return Next::Look;
        }
        Next::Feed(InputKind::Resolved { call: id, outcome })
    }

    /// Takes the result of a probe.
    pub(super) fn probed(&mut self, id: CallId, probed: ProbeResult) -> Next {
        let call_state = self.uncertain_calls.open.remove(&id);
        let Some(call) = self.in_progress(&id) else { return Next::Look };
        let known = call_state.map(|call_state| call_state.message).unwrap_or_default();
        let unknown = |why: &str| Outcome::Unknown { message: ecow::eco_format!("{known}; {why}") };
        let outcome = match probed {
            ProbeResult::Happened(result) => Outcome::answer(result),
            ProbeResult::Unknown(why) => unknown(&why),
            ProbeResult::Not if call.deadline.is_some_and(|end| end <= self.driver.clock.now()) => {
                Outcome::never_began(ErrorKind::Timeout, "the call did not take place, and its time is over")
            }
            ProbeResult::Not if self.uncertain_calls.again.insert(id.clone()) => {
                self.queue.push_back(Output::Call(Box::new(call)));
                return Next::Look;
            }
            ProbeResult::Not => unknown("it was made again, and its probe says that it did not take place"),
        };
        Next::Feed(InputKind::Resolved { call: id, outcome })
    }
}
