//! A segment while it is driven.

mod beginning;
mod telling;
mod waiting;
mod words;

use std::collections::VecDeque;
use std::sync::Arc;

use restate_sdk::endpoint::ContextInternal;
use restate_sdk::errors::HandlerError;
use restate_sdk::prelude::RunFuture;
use rustc_hash::FxHashSet;

use self::waiting::Next;
pub(super) use self::words::word_promise;
use super::in_progress::InProgress;
use super::journaled::{Settings, Trail};
use super::onlookers::Onlookers;
use crate::app::GraphHost;
use crate::drive::RunPorts;
use crate::machine::{self, Call, Input, InputKind, Output, Phase, Snapshot, Time};
use crate::port::{EntryCause, JournalEntry, RunInfo, RunStatus};
use crate::value::Str;
use crate::worker::restate::faults::Faults;
use crate::worker::restate::message::{DroppedWord, Ending, PostedWord};
use crate::worker::restate::service::{MAX_INPUT_BYTES, fresh_number};
use crate::worker::restate::wakes::WakePlace;

/// Words are looked for after so long.
const LOOK_NS: Time = 1_000_000_000;

/// The size of a segment's events after which it ends, in bytes: a Restate server holds a whole journal in 32 MiB, and journals each
/// event about twice.
const MAX_SEGMENT_BYTES: usize = 4 << 20;

/// The size of a segment's journal past which it begins nothing more, in bytes; before, it ends when nothing is in progress.
const MAX_FULL_BYTES: usize = 24 << 20;

/// The longest entry of a run's journal, in bytes.
const MAX_ENTRY_BYTES: usize = MAX_INPUT_BYTES - (8 << 20);

/// The size of a look in the journal of Restate, in bytes.
const LOOK_BYTES: usize = 512;

/// The reason of a run that is cancelled because its invocation is.
const BY_RESTATE: &str = "the invocation was cancelled in Restate";

/// Where a segment belongs.
pub(super) struct SegmentPlace {
    /// The run.
    pub(super) run: Str,
    /// Its number.
    pub(super) number: u64,
    /// Its key.
    pub(super) key: String,
    /// The number of steps of the journal after which it ends.
    pub(super) effects: u32,
}

/// A segment while it is driven.
pub(super) struct Segment<'s> {
    ctx: &'s ContextInternal,
    host: &'s Arc<dyn GraphHost>,
    place: SegmentPlace,
    wake: &'s WakePlace,
    faults: &'s Faults,
    settings: Settings,
    ports: RunPorts,
    info: RunInfo,
    snapshot: Snapshot,
    trail: Trail,
    onlookers: Onlookers,
    /// Outputs not yet acted on.
    queue: VecDeque<Output>,
    in_progress: InProgress,
    /// The marks of intents that this attempt made itself.
    marks: FxHashSet<u64>,
    /// Entries that the object has not been sent, the number of the first, and the time of the last sending.
    unsent: Vec<JournalEntry>,
    unsent_bytes: usize,
    sent: u64,
    sent_at: Time,
    sent_status: RunStatus,
    sent_word: u64,
    /// The number of the next word, those that were dropped and of which the object has not been told, those that were given to the
    /// segment, and when it was looked for the next.
    word: u64,
    dropped: Vec<DroppedWord>,
    words: VecDeque<PostedWord>,
    looked_at: Time,
    /// The steps of Restate's journal so far, and the looks for words beside them.
    steps: u32,
    looks: usize,
    /// The time of the last thing that came back.
    back_at: Time,
    /// The time from which `[run] timeout` counts; none once it was reached.
    limited_since: Option<Time>,
    ending: Option<Ending>,
    /// True if the invocation was cancelled before the run was there to be.
    is_cancelled: bool,
}

impl Segment<'_> {
    async fn turn(&mut self) -> Result<(), HandlerError> {
        loop {
            self.act().await?;
            if self.snapshot.done.is_some() {
                self.show().await?;
                self.send();
                return Ok(());
            }
            if self.is_long() && self.in_progress.is_empty() {
                if self.hand_over().await? {
                    continue;
                }
                return Ok(());
            }
            if self.ends_now() {
                continue;
            }
            let next = self.following().await?;
            self.take(next).await?;
        }
    }

    /// Returns true if the segment is to end.
    const fn is_long(&self) -> bool {
        self.steps >= self.settings.effects || self.trail.bytes() >= MAX_SEGMENT_BYTES
    }

    /// Returns true if the segment begins nothing more. As long as a call is in progress it does not end, and the other lanes of the
    /// run do not stand still for that.
    fn is_full(&self) -> bool {
        let journaled = 2 * self.trail.bytes() + LOOK_BYTES * self.looks;
        self.is_long() && (self.in_progress.is_empty() || journaled >= MAX_FULL_BYTES)
    }

    /// Acts on every output, in order.
    async fn act(&mut self) -> Result<(), HandlerError> {
        while let Some(output) = self.queue.pop_front() {
            match output {
                // What is not begun any more is begun by the next segment.
                Output::Call(call) if !self.is_full() => self.want(*call).await?,
                Output::Cancel(call) => self.in_progress.cancel(&call),
                Output::Ask(ask) if !self.is_full() => self.in_progress.ask(*ask, &self.snapshot),
                Output::Withdraw(ask) => self.in_progress.withdraw(&ask),
                // The snapshot says when the timer is due and how the run ended.
                Output::Call(_)
                | Output::Ask(_)
                | Output::Wait(_)
                | Output::Done(_)
                | Output::Record(_)
                // No answer that asks for it is taken.
                | Output::Rollback { .. } => {}
            }
        }
        if self.is_behindhand() {
            self.send();
        }
        Ok(())
    }

    /// Wants a call. One that may reach its tool at most once is preceded by a mark that only this attempt knows.
    async fn want(&mut self, call: Call) -> Result<(), HandlerError> {
        let mut begun = true;
        if call.is_once() {
            if self.wake.is_stopped() && !self.in_progress.is_begun() {
                // A mark of this attempt would keep the next one from making the call.
                return Err(stops());
            }
            let mark = fresh_number();
            self.marks.insert(mark);
            let intent = move || async move { Ok(mark) };
            self.steps += 1;
            match self.ctx.run(intent).name(format!("intent {}", call.id.0)).await {
                Ok(stored) => begun = !self.marks.contains(&stored),
                Err(error) => {
                    self.cancelled(error)?;
                    if self.snapshot.calls().any(|open| open.id == call.id) {
                        self.queue.push_back(Output::Call(Box::new(call)));
                    }
                    return Ok(());
                }
            }
            self.in_progress.renew_claim();
        }
        self.in_progress.call(call, begun, &self.snapshot);
        Ok(())
    }

    /// Lets the machine take an input.
    fn feed(&mut self, at: Time, kind: InputKind) {
        let at = at.max(self.snapshot.at);
        let mut out = Vec::new();
        let cause = EntryCause::Input(kind.clone());
        let is_end = matches!(kind, InputKind::End { .. });
        let before = self.snapshot.clone();
        machine::step(&self.host.graph().program, &mut self.snapshot, Input { at, kind }, &mut out);
        let mut events = Vec::new();
        let mut outputs = Vec::new();
        for output in out {
            match output {
                Output::Record(event) => events.push(event),
                other => outputs.push(other),
            }
        }
        let entry = JournalEntry { at, cause, step: self.snapshot.step(), events, by: None };
        let size = size(&entry);
        if size > MAX_ENTRY_BYTES && !is_end {
            self.snapshot = before;
            let reason = ecow::eco_format!(
                "a step of the run records {size} bytes; Restate takes {MAX_ENTRY_BYTES} at a time"
            );
            return self.feed(at, InputKind::End { reason });
        }
        self.unsent_bytes += size;
        self.trail.add(&entry);
        for output in &outputs {
            self.trail.want(output);
        }
        self.queue.extend(outputs);
        self.onlookers.add(&self.host.graph().program, &entry.events, &self.snapshot);
        self.unsent.push(entry);
    }

    /// Ends a run that is being cancelled and whose graph has had its time to answer, or waits for people.
    fn ends_now(&mut self) -> bool {
        let waits = self.is_idle();
        let over = |ending: &Ending| waits || ending.until <= self.snapshot.at;
        let Some(ending) = self.ending.take_if(|ending| over(ending)) else { return false };
        self.feed(self.snapshot.at, InputKind::End { reason: ending.reason });
        true
    }

    /// Returns true if no lane waits for anything but people.
    fn waits_for_people(&self) -> bool {
        let still = |phase: &Phase| phase.ask().is_some() || matches!(phase, Phase::Joining(_));
        self.snapshot.asks().next().is_some()
            && self.snapshot.lanes.iter().flatten().all(|lane| still(&lane.phase))
    }

    fn status(&self) -> RunStatus {
        match self.snapshot.done.as_deref() {
            Some(done) => RunStatus::Done { outcome: done.outcome.clone(), ok: done.ok },
            None if self.waits_for_people() => RunStatus::Waiting,
            None => RunStatus::Running,
        }
    }

    /// The time at which something is to happen although nothing comes back.
    fn timer(&self) -> Option<Time> {
        let timer = self.snapshot.timer.filter(|_| !self.in_progress.is_held());
        [timer, self.ending.as_ref().map(|ending| ending.until)].into_iter().flatten().min()
    }

    /// The time at which the limit of `[run] timeout` is reached. A run that waits for people alone takes no time, and its limit begins
    /// anew when that is over.
    fn limit(&self) -> Option<Time> {
        let limit = self.limited_since?.saturating_add(self.settings.timeout?);
        (self.ending.is_none() && !self.is_idle()).then_some(limit)
    }

    /// Returns true if the run waits for people alone.
    fn is_idle(&self) -> bool {
        self.in_progress.is_empty() && self.waits_for_people()
    }

    async fn take(&mut self, next: Next) -> Result<(), HandlerError> {
        let looks = matches!(next, Next::Look(_));
        let at = match next {
            Next::Feed(at, kind) => {
                self.feed(at, kind);
                at
            }
            Next::Word(posted) => {
                let at = posted.at;
                if self.is_idle() {
                    self.limited_since = Some(at);
                }
                self.take_word(posted).await?;
                at
            }
            Next::Look(at) => at,
        };
        // In one step after another without a pause, words are looked for now and then.
        if self.snapshot.done.is_none() && (looks || at.saturating_sub(self.looked_at) >= LOOK_NS) {
            self.looked_at = at;
            self.look().await?;
            self.send();
        }
        Ok(())
    }
}

/// The size of something as JSON, in bytes.
fn size(of: &impl serde::Serialize) -> usize {
    // What is no JSON cannot be stored either, and is said then.
    serde_json::to_vec(of).map_or(0, |text| text.len())
}

/// The word for Restate that another worker is to continue.
fn stops() -> HandlerError {
    std::io::Error::other("this worker stops; another continues the segment").into()
}
