//! A run that is interrupted.

use super::Run;
use crate::drive::driver::DriveError;
use crate::drive::pending::Arrival;
use crate::machine::{CallId, CallProgress, InputKind, Outcome, Output};
use crate::port::{EntryCause, HumanReply, JournalEntry};
use crate::value::Str;

impl Run {
    /// Ends what is in progress and says in the journal that a signal interrupted the run; then it is nobody's. What has
    /// come back until now is stored. False if that ended the run.
    pub(super) async fn interrupt(&mut self, signal: &Str) -> Result<bool, DriveError> {
        let mut unmade = Vec::new();
        for arrival in self.work.back() {
            unmade.extend(self.take_in(arrival));
        }
        unmade.extend(self.work.halt().await);
        if self.snapshot.done.is_some() {
            return Ok(false);
        }
        // Calls that these outcomes led to were never begun.
        unmade.extend(self.queue.drain(..).filter_map(|output| match output {
            Output::Call(call) => Some(call.id),
            _ => None,
        }));
        // What waits for its probe, or for the end of what was left at work of it, has begun, though nothing was asked yet.
        unmade.retain(|id| !self.is_uncertain(id) && self.snapshot.calls().any(|call| call.id == *id));
        unmade.sort_unstable_by(|a: &CallId, b| a.0.cmp(&b.0));
        self.note(EntryCause::Interrupted { signal: signal.clone(), unmade });
        self.record().await?;
        self.let_go().await;
        Ok(true)
    }

    /// Takes what came back, if that settles it; gives a call that had not begun. Nobody asks a probe now: whoever
    /// continues does. What was cut off may have been so by the signal that is the reason to end here: it is as if it
    /// had not come back.
    fn take_in(&mut self, arrival: Arrival) -> Option<CallId> {
        match arrival {
            Arrival::Outcome(id, outcome) => {
                let cut_off = matches!(outcome, Outcome::Failed { progress: CallProgress::CutOff, .. });
                let doubtful = matches!(outcome, Outcome::Unknown { .. })
                    && self.snapshot.calls().any(|call| call.id == id && call.is_once());
                if !cut_off && !doubtful {
                    self.feed_now(InputKind::Resolved { call: id, outcome });
                }
            }
            Arrival::Reply(ask, HumanReply::Answer(answer)) => {
                self.feed_by(InputKind::Answered { ask, answer }, self.driver.by.clone());
            }
            Arrival::Late(id) => return Some(id),
            Arrival::Reply(_, HumanReply::Unattended) | Arrival::Probed(..) | Arrival::Cleared(..) => {}
        }
        None
    }

    /// Stores an entry that changes no state.
    pub(super) fn note(&mut self, cause: EntryCause) {
        self.note_by(cause, None);
    }

    /// The same for an act of a person.
    pub(super) fn note_by(&mut self, cause: EntryCause, by: Option<Str>) {
        let at = self.driver.clock.now().max(self.snapshot.at);
        self.pending.push(JournalEntry { at, cause, step: self.snapshot.step(), events: Vec::new(), by });
    }
}
