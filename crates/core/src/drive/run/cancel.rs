//! A run that is ended from outside.

use super::Run;
use crate::drive::driver::{DriveError, Driver};
use crate::drive::last_entries::last_entries;
use crate::drive::rebuild::rebuild;
use crate::machine::{Call, CallId, Event, EventKind, InputKind, Outcome, Time};
use crate::port::{EntryCause, JournalEntry, ProbeResult};
use crate::program::error::ErrorKind;
use crate::value::Str;

/// The longest a probe is waited for where its run is ended, in nanoseconds.
const MAX_WAIT_NS: Time = 60_000_000_000;

impl Driver {
    /// Takes up a stored run to cancel it. Nothing that was in progress is made again: what was left at work of it is
    /// ended, and of a call that may be made at most once the probe is asked. Then the node leaves by
    /// `error(cancelled)`, and [`Run::drive`] does what the graph's own answer to that wants. Where it continues,
    /// [`Run::end`] ends it: the lease stays where the run waits or stops, so that nobody comes in between. A run that has not
    /// begun is ended before it does. No grant is needed: a call of a tool that was not granted fails.
    ///
    /// # Errors
    /// As [`Driver::reopen`]; a run that has not begun is none.
    pub async fn cancel(&self, run: &str, reason: impl Into<Str>) -> Result<Run, DriveError> {
        let (stored, lease) = self.take(run).await?;
        let snapshot = rebuild(self.programs(), &stored)?;
        let end = self.journal_end(&stored, &snapshot).await?;
        let unmade: &[CallId] = match &end.last {
            Some(EntryCause::Interrupted { unmade, .. }) => unmade,
            _ => &[],
        };
        let mut run = Run::new(self.clone(), run.into(), snapshot, lease);
        run.is_cancelled = true;
        if !stored.has_begun() {
            run.end(reason);
            return Ok(run);
        }
        let known = run.settled(unmade).await?;
        run.feed_by(InputKind::Cancel { reason: reason.into() }, self.by.clone());
        for (call, outcome) in known {
            // Nobody waits for it any more: it is stored as late.
            run.feed_now(InputKind::Resolved { call, outcome });
        }
        Ok(run)
    }
}

impl Run {
    /// Cancels the run as [`Handle::cancel_by`](crate::drive::Handle::cancel_by) does, before it is driven on.
    pub fn cancel_by(&mut self, reason: impl Into<Str>, by: Option<Str>) {
        self.feed_by(InputKind::Cancel { reason: reason.into() }, by);
    }

    /// Ends the run for good, whatever its graph would answer. [`Run::drive`] carries it out.
    pub fn end(&mut self, reason: impl Into<Str>) {
        self.feed_by(InputKind::End { reason: reason.into() }, self.driver.by.clone());
    }

    /// The outcomes that are known of calls in progress that may be made at most once, once nothing of any call is at
    /// work. Those in `unmade` had not begun.
    async fn settled(&mut self, unmade: &[CallId]) -> Result<Vec<(CallId, Outcome)>, DriveError> {
        let calls: Vec<Call> = self.snapshot.calls().cloned().collect();
        let mut known = Vec::new();
        for call in calls {
            if unmade.contains(&call.id) {
                let outcome = self.outcome_of_unmade(&call).await?;
                known.push((call.id, outcome));
                continue;
            }
            let driver = self.driver.clone();
            let view = self.view();
            let probe = if call.is_once() { driver.tools.probe(&call, view) } else { None };
            let left = call.clone();
            let work = async move {
                if let Err(DriveError::AtWork { why, .. }) = driver.clear(&left).await {
                    return Some(ProbeResult::Unknown(why));
                }
                let end = driver.clock.sleep_until(driver.clock.now().saturating_add(MAX_WAIT_NS));
                tokio::select! {
                    biased;
                    probed = probe? => Some(probed),
                    () = end => Some(ProbeResult::Unknown("the probe took longer than 1m".into())),
                }
            };
            let probed = self.leased(work).await?;
            if call.is_once() {
                known.push((call.id, outcome(probed)));
            } else if let Some(ProbeResult::Unknown(why)) = probed {
                let note = format!("of the call {} something goes on: {why}", call.id.0);
                self.driver.observers.iter().for_each(|observer| observer.noted(&note));
            }
        }
        Ok(known)
    }

    /// The outcome of a call that had not begun. Where a person wanted one made again that may be made at most once, it had not begun
    /// that time, and nobody knows of the time before.
    async fn outcome_of_unmade(&self, call: &Call) -> Result<Outcome, DriveError> {
        if call.is_once() && self.is_wanted_again(&call.id).await? {
            let message =
                "nobody knew whether the call took place, and the run was cancelled before it was made again";
            return Ok(Outcome::Unknown { message: message.into() });
        }
        Ok(Outcome::never_began(ErrorKind::Cancelled, "the call had not begun, and the run was cancelled"))
    }

    /// Returns true if a call is wanted since a person wanted it made again.
    async fn is_wanted_again(&self, call: &CallId) -> Result<bool, DriveError> {
        let Some(store) = &self.driver.store else { return Ok(false) };
        let wanted =
            |entries: &[JournalEntry]| entries.iter().rev().find_map(|entry| wants_again(entry, call));
        let entries = last_entries(&**store, &self.id, |entries| wanted(entries).is_some()).await?;
        Ok(wanted(&entries) == Some(true))
    }

    /// Waits for something that may take longer than the lease.
    async fn leased<T>(&mut self, work: impl Future<Output = T>) -> Result<T, DriveError> {
        tokio::pin!(work);
        loop {
            let Some(due) = self.renewal else { return Ok(work.await) };
            tokio::select! {
                biased;
                done = &mut work => return Ok(done),
                () = self.driver.clock.sleep_until(due) => self.renew().await?,
            }
        }
    }
}

/// For an entry with which a call was wanted: whether a person wanted it made again there.
fn wants_again(entry: &JournalEntry, id: &CallId) -> Option<bool> {
    let wants = |event: &Event| matches!(&event.kind, EventKind::Called(call) if call.id == *id);
    let is_again = matches!(&entry.cause, EntryCause::Input(InputKind::Answered { ask, .. })
        if ask.0.strip_suffix(".lost") == Some(id.0.as_str()));
    entry.events.iter().any(wants).then_some(is_again)
}

/// The outcome of a call that was cut off, as far as it is known.
fn outcome(probed: Option<ProbeResult>) -> Outcome {
    let message = Str::from("the run was interrupted while this call was under way, and then cancelled");
    match probed {
        Some(ProbeResult::Happened(result)) => Outcome::answer(result),
        Some(ProbeResult::Not) => {
            Outcome::failed(ErrorKind::Cancelled, "the call did not take place, and the run was cancelled")
        }
        Some(ProbeResult::Unknown(why)) => {
            Outcome::Unknown { message: ecow::eco_format!("{message}; {why}") }
        }
        None => Outcome::Unknown { message },
    }
}
