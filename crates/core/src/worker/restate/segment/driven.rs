//! A segment while it is driven.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use restate_sdk::context::DurableFuture;
use restate_sdk::endpoint::ContextInternal;
use restate_sdk::errors::{HandlerError, TerminalError};
use restate_sdk::prelude::{DurableFuturesUnordered, Json, RunFuture};
use rustc_hash::FxHashSet;
use tokio::sync::Notify;

use super::in_progress::InProgress;
use super::journaled::{Happened, Journaled, Origin, Trail};
use super::onlookers::Onlookers;
use crate::app::{DriverOfRun, GraphHost, missing_inputs};
use crate::config::inputs_of_map;
use crate::drive::Driver;
use crate::machine::{
    self, Call, Input, InputKind, Output, Phase, Snapshot, Start, Time, check_answer, edited_call,
};
use crate::port::{BoxFuture, Claim, EntryCause, JournalEntry, RunInfo, RunStatus};
use crate::value::{Map, Str, duration};
use crate::worker::restate::message::{
    AfterArguments, Beginning, Continuation, Creation, Ending, HandOver, PostedWord, Record, RunReply,
    SegmentInput, Word,
};
use crate::worker::restate::service::{of_run, refused, segments_name};

/// Entries are sent to the object after so many, and after so long.
const SENT_ENTRIES: usize = 50;
const SENT_AFTER_NS: Time = 200_000_000;

/// Words are looked for after so long, and while nothing comes back at most after so long.
const LOOK_NS: Time = 1_000_000_000;
const MAX_LOOK_NS: Time = 20_000_000_000;

/// The time for which the graph of a run that is cancelled may answer.
const MAX_ANSWER_NS: Time = 60_000_000_000;

/// The status of HTTP with which Restate ends what a person cancelled there.
const CANCELLED: u16 = 409;

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

/// The promise that a word is.
pub(super) fn word_promise(number: u64) -> String {
    format!("word/{number}")
}

/// Ends what was started for a run, also where the attempt to drive it is dropped.
struct EndOfDriver(Option<BoxFuture<'static, ()>>);

impl Drop for EndOfDriver {
    fn drop(&mut self) {
        if let (Some(end), Ok(runtime)) = (self.0.take(), tokio::runtime::Handle::try_current()) {
            runtime.spawn(end);
        }
    }
}

/// The next thing that happens to a run.
enum Next {
    Feed(Time, InputKind),
    Word(PostedWord),
    /// Look again.
    Look(Time),
}

/// A segment while it is driven.
pub(super) struct Segment<'s> {
    ctx: &'s ContextInternal,
    host: &'s Arc<dyn GraphHost>,
    place: SegmentPlace,
    wake: &'s Notify,
    driver: Driver,
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
    sent: u64,
    sent_at: Time,
    sent_status: RunStatus,
    /// The number of the next word, those that were given to the segment, and when it was looked for the next.
    word: u64,
    words: VecDeque<PostedWord>,
    looked_at: Time,
    /// The steps of Restate's journal so far.
    steps: u32,
    /// The time of the last thing that came back.
    back_at: Time,
    /// The time since which the run did not only wait.
    busy_since: Time,
    ending: Option<Ending>,
}

impl<'s> Segment<'s> {
    /// Drives a segment to its end: that of the run, or the beginning of the next segment.
    pub(super) async fn drive(
        ctx: &'s ContextInternal,
        host: &'s Arc<dyn GraphHost>,
        place: SegmentPlace,
        wake: &'s Notify,
        input: SegmentInput,
    ) -> Result<(), HandlerError> {
        let DriverOfRun { driver, end } = host.driver().await.map_err(|why| busy(&why))?;
        let _end = EndOfDriver(Some(end));
        let mut segment = match input {
            SegmentInput::Begin(beginning) => Self::begin(ctx, host, place, wake, driver, beginning).await?,
            SegmentInput::Continue(state) => Self::go_on(ctx, host, place, wake, driver, *state).await?,
        };
        segment.turn().await
    }

    /// Begins the run.
    async fn begin(
        ctx: &'s ContextInternal,
        host: &'s Arc<dyn GraphHost>,
        place: SegmentPlace,
        wake: &'s Notify,
        driver: Driver,
        beginning: Beginning,
    ) -> Result<Self, HandlerError> {
        if place.number != 0 {
            return Err(refused(400, "a run begins with its segment 0"));
        }
        let run = Driver::run_id(&place.run, 0).map_err(|error| refused(400, &error.to_string()))?;
        let input = input_of(&**host, &beginning.input).map_err(|why| refused(400, &why))?;
        let missing = driver.missing_grants();
        if !missing.is_empty() {
            return Err(busy(&format!("the worker lacks a grant of {}", missing.join(", "))));
        }
        let (clock, tools) = (Arc::clone(driver.time()), driver.tool_catalogue());
        let origin = move || async move { Ok(Json(Origin { at: clock.now(), tools })) };
        let Json(Origin { at, tools }) = ctx.run(origin).name("begin").await?;
        let program = host.program();
        let info = RunInfo {
            run: run.clone(),
            graph: program.graphs[0].id.clone(),
            program: program.digest.clone(),
            started: at,
            status: RunStatus::Running,
        };
        let segments = segments_name(&info.graph, &info.program);
        let creation = Creation { info: info.clone(), text: host.text().clone(), segments };
        of_run(ctx, &run, "create", creation).call().await?;
        let state = Continuation {
            info,
            snapshot: Snapshot::new(),
            entries: 0,
            word: 0,
            words: Vec::new(),
            ending: None,
        };
        let mut segment = Self::of(ctx, host, place, wake, driver, state);
        let start = Start { run, input, seed: beginning.seed, tools, ..Start::default() };
        segment.busy_since = at;
        segment.feed(at, InputKind::Started(Box::new(start)));
        Ok(segment)
    }

    /// Continues the run where the segment before left it.
    async fn go_on(
        ctx: &'s ContextInternal,
        host: &'s Arc<dyn GraphHost>,
        place: SegmentPlace,
        wake: &'s Notify,
        driver: Driver,
        state: Continuation,
    ) -> Result<Self, HandlerError> {
        if state.snapshot.program != host.program().digest {
            return Err(refused(400, "the run goes by another program than this workflow serves"));
        }
        let (entries, looks_back) = (state.entries, driver.looks_back());
        let mut segment = Self::of(ctx, host, place, wake, driver, state);
        // What looks back follows from the operator's configuration, which may change while a segment is replayed: it is journaled.
        let Json(looks_back) =
            ctx.run(move || async move { Ok(Json(looks_back)) }).name("looks back").await?;
        if looks_back {
            segment.look_back(entries).await?;
        }
        let calls = segment.snapshot.calls().cloned().map(|call| Output::Call(Box::new(call)));
        let calls: Vec<Output> = calls.collect();
        let asks = segment.snapshot.asks().cloned().map(|ask| Output::Ask(Box::new(ask)));
        segment.queue = calls.into_iter().chain(asks).collect();
        Ok(segment)
    }

    fn of(
        ctx: &'s ContextInternal,
        host: &'s Arc<dyn GraphHost>,
        place: SegmentPlace,
        wake: &'s Notify,
        driver: Driver,
        state: Continuation,
    ) -> Self {
        let Continuation { info, snapshot, entries, word, words, ending } = state;
        // Restate gives an invocation to one attempt at a time; an older one learns of that when it journals.
        let claim = Claim::endless(Arc::clone(driver.time()));
        let at = snapshot.at;
        Self {
            ctx,
            host,
            wake,
            trail: Trail::default(),
            onlookers: Onlookers::new(place.run.clone(), driver.clone(), claim.clone(), &snapshot),
            queue: VecDeque::new(),
            in_progress: InProgress::new(driver.clone(), place.run.clone(), claim),
            marks: FxHashSet::default(),
            unsent: Vec::new(),
            sent: entries,
            sent_at: at,
            sent_status: info.status.clone(),
            word,
            words: words.into(),
            looked_at: at,
            steps: 0,
            back_at: at,
            busy_since: at,
            ending,
            place,
            driver,
            info,
            snapshot,
        }
    }

    /// Shows the events of earlier segments to those who look back.
    async fn look_back(&mut self, entries: u64) -> Result<(), HandlerError> {
        let mut after = 0;
        while after < entries {
            let call = of_run(self.ctx, &self.place.run, "entries", AfterArguments { after }).call();
            let Json(reply) = call.await?;
            let reply: RunReply = serde_json::from_value(reply)?;
            if reply.next == after {
                break;
            }
            after = reply.next;
            self.onlookers.look_back(reply.entries.into_iter().flat_map(|entry| entry.events));
        }
        Ok(())
    }

    async fn turn(&mut self) -> Result<(), HandlerError> {
        loop {
            self.act().await?;
            if self.snapshot.done.is_some() {
                self.show().await?;
                self.send();
                return Ok(());
            }
            if self.is_long() && self.in_progress.is_empty() {
                return self.hand_over().await;
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
        self.steps >= self.place.effects
    }

    /// Acts on every output, in order.
    async fn act(&mut self) -> Result<(), HandlerError> {
        while let Some(output) = self.queue.pop_front() {
            match output {
                // What is not begun any more is begun by the next segment.
                Output::Call(call) if !self.is_long() => self.want(*call).await?,
                Output::Cancel(call) => self.in_progress.cancel(&call),
                Output::Ask(ask) if !self.is_long() => self.in_progress.ask(*ask, &self.snapshot),
                Output::Withdraw(ask) => self.in_progress.withdraw(&ask),
                Output::Rollback { step } => {
                    let note = format!(
                        "the run {} is not sent back to step {step}: a run that Restate drives cannot be; its question stays open",
                        self.place.run
                    );
                    self.driver.say(&note);
                }
                // The snapshot says when the timer is due and how the run ended.
                Output::Call(_) | Output::Ask(_) | Output::Wait(_) | Output::Done(_) | Output::Record(_) => {}
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
            let mark = fresh_mark();
            self.marks.insert(mark);
            let intent = move || async move { Ok(mark) };
            let stored = self.ctx.run(intent).name(format!("intent {}", call.id.0)).await?;
            self.steps += 1;
            begun = !self.marks.contains(&stored);
        }
        self.in_progress.call(call, begun, &self.snapshot);
        Ok(())
    }

    /// Lets the machine take an input.
    fn feed(&mut self, at: Time, kind: InputKind) {
        let at = at.max(self.snapshot.at);
        let mut out = Vec::new();
        let cause = EntryCause::Input(kind.clone());
        machine::step(self.host.program(), &mut self.snapshot, Input { at, kind }, &mut out);
        let mut events = Vec::new();
        let mut outputs = Vec::new();
        for output in out {
            match output {
                Output::Record(event) => events.push(event),
                other => outputs.push(other),
            }
        }
        let entry = JournalEntry { at, cause, step: self.snapshot.step(), events };
        self.trail.add(&entry);
        outputs.iter().for_each(|output| self.trail.want(output));
        self.queue.extend(outputs);
        self.onlookers.add(self.host.program(), &entry.events, &self.snapshot);
        self.unsent.push(entry);
    }

    /// Ends a run that is being cancelled and whose graph has had its time to answer, or waits for people.
    fn ends_now(&mut self) -> bool {
        let waits = self.in_progress.is_empty() && self.waits_for_people();
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

    /// The time at which the limit of `[run] timeout` is reached, while the run does not only wait.
    fn limit(&self) -> Option<Time> {
        let timeout = self.driver.run_limits().timeout?;
        Some(self.busy_since.saturating_add(timeout)).filter(|_| self.ending.is_none())
    }

    async fn following(&mut self) -> Result<Next, HandlerError> {
        if let Some(posted) = self.given() {
            return Ok(Next::Word(posted));
        }
        self.steps += 1;
        if self.in_progress.is_empty() {
            return self.wait().await;
        }
        let journaled = self.in_progress().await?;
        let Journaled { at, what, .. } = journaled;
        self.in_progress.settle(&what, &self.snapshot);
        if !matches!(what, Happened::Look) {
            self.back_at = at;
        }
        Ok(match what {
            Happened::Outcome { call, outcome } => Next::Feed(at, InputKind::Resolved { call, outcome }),
            Happened::Answer { ask, answer } => Next::Feed(at, InputKind::Answered { ask, answer }),
            Happened::Time => self.due(at),
            Happened::Unattended { .. } | Happened::Again { .. } | Happened::Look => Next::Look(at),
        })
    }

    /// What is due at a time.
    fn due(&self, at: Time) -> Next {
        if self.limit().is_some_and(|limit| limit <= at) {
            let limit = duration::text(self.driver.run_limits().timeout.unwrap_or_default());
            return Next::Feed(
                at,
                InputKind::Cancel { reason: ecow::eco_format!("the run took longer than {limit}") },
            );
        }
        Next::Feed(at, InputKind::Time)
    }

    /// A word that was given to the segment.
    fn given(&mut self) -> Option<PostedWord> {
        // What the object sent again is dropped.
        while let Some(posted) = self.words.pop_front() {
            if posted.number == self.word {
                return Some(posted);
            }
        }
        None
    }

    /// Waits for the first thing that happens while something is in progress here.
    async fn in_progress(&mut self) -> Result<Journaled, HandlerError> {
        let after = self.trail.stand(self.snapshot.seq);
        let look = (self.snapshot.at.max(self.looked_at) - self.back_at).clamp(LOOK_NS, MAX_LOOK_NS);
        let timer = [self.timer(), self.limit()].into_iter().flatten().min();
        let name = self.in_progress.name();
        let mut executed = false;
        let Self { ctx, host, wake, driver, onlookers, in_progress, .. } = self;
        let (is_executed, now, clock) = (&mut executed, after.clone(), Arc::clone(driver.time()));
        let program = host.program();
        let step = move || async move {
            *is_executed = true;
            onlookers.show(program);
            in_progress.start(program);
            let timer = timer.map(|timer| clock.sleep_until(timer));
            let timer = async {
                match timer {
                    Some(timer) => timer.await,
                    None => std::future::pending().await,
                }
            };
            let look = clock.sleep_until(clock.now().saturating_add(look));
            let what = tokio::select! {
                biased;
                () = timer => Happened::Time,
                what = in_progress.next() => what,
                () = wake.notified() => Happened::Look,
                () = look => Happened::Look,
            };
            Ok(Json(Journaled { at: clock.now(), after: now, what }))
        };
        let journaled = ctx.run(step).name(name).await;
        if !executed {
            self.onlookers.pass();
        }
        match journaled {
            Ok(Json(journaled)) => {
                journaled.after.check(&after).map_err(|why| busy(&format!("{}: {why}", self.place.key)))?;
                Ok(journaled)
            }
            Err(error) => self.cancelled(error, after),
        }
    }

    /// Takes a cancellation in Restate as one of the run. Nothing in progress is waited for.
    fn cancelled(
        &mut self,
        error: TerminalError,
        after: super::journaled::Stand,
    ) -> Result<Journaled, HandlerError> {
        if error.code() != CANCELLED {
            return Err(error.into());
        }
        let at = self.snapshot.at;
        self.cancel(at, "the invocation was cancelled in Restate".into());
        Ok(Journaled { at, after, what: Happened::Look })
    }

    fn cancel(&mut self, at: Time, reason: Str) {
        let until = at.saturating_add(MAX_ANSWER_NS);
        self.ending = Some(Ending { reason: reason.clone(), until });
        self.feed(at, InputKind::Cancel { reason });
    }

    /// Waits for a word or for the timer, while nothing is in progress. The process may be gone meanwhile.
    async fn wait(&mut self) -> Result<Next, HandlerError> {
        self.show().await?;
        self.send();
        let timer = self.timer();
        if timer.is_none() && !self.waits_for_people() {
            return Err(busy("the run waits for nothing and has not ended; this is a bug of loopwright"));
        }
        let name = word_promise(self.word);
        let mut first = DurableFuturesUnordered::new();
        let word = self.ctx.promise::<Json<PostedWord>>(&name).map_ok(|Json(posted)| Some(posted));
        first.push(Box::pin(word) as Durable<'_>);
        if let Some(timer) = timer {
            let left = u64::try_from(timer.saturating_sub(self.driver.time().now())).unwrap_or_default();
            first.push(Box::pin(self.ctx.sleep(Duration::from_nanos(left)).map_ok(|()| None)));
        }
        let happened = match first.next().await {
            Ok(Some((_, happened))) => happened,
            Ok(None) => return Ok(Next::Look(self.snapshot.at)),
            Err(error) => Err(error),
        };
        drop(first);
        match happened {
            Ok(Some(posted)) => {
                self.busy_since = posted.at;
                self.back_at = posted.at;
                Ok(Next::Word(posted))
            }
            Ok(None) => {
                let at = timer.unwrap_or(self.snapshot.at);
                self.busy_since = at;
                self.back_at = at;
                Ok(Next::Feed(at, InputKind::Time))
            }
            Err(error) if error.code() == CANCELLED => {
                let at = self.snapshot.at;
                self.cancel(at, "the invocation was cancelled in Restate".into());
                Ok(Next::Look(at))
            }
            Err(error) => Err(error.into()),
        }
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
                self.take_word(posted).await?;
                at
            }
            Next::Look(at) => at,
        };
        // In one step after another without a pause, words are looked for now and then.
        if self.snapshot.done.is_none() && (looks || at.saturating_sub(self.looked_at) >= LOOK_NS) {
            self.looked_at = at;
            self.look().await?;
            if !self.unsent.is_empty() {
                self.send();
            }
        }
        Ok(())
    }

    /// Takes every word that has arrived.
    async fn look(&mut self) -> Result<(), HandlerError> {
        while self.snapshot.done.is_none() {
            let name = word_promise(self.word);
            let Some(Json(posted)) = self.ctx.peek_promise::<Json<PostedWord>>(&name).await? else {
                return Ok(());
            };
            self.take_word(posted).await?;
        }
        Ok(())
    }

    async fn take_word(&mut self, posted: PostedWord) -> Result<(), HandlerError> {
        self.word = posted.number + 1;
        let at = posted.at;
        match posted.word {
            Word::Abort { reason } => self.feed(at, InputKind::Cancel { reason }),
            Word::Cancel { reason } => self.cancel(at, reason),
            Word::Answer { ask, value } => {
                let answer = self.host.mask().value(value);
                let mut misfit = check_answer(self.host.program(), &self.snapshot, &ask, &answer).err();
                if misfit.is_none()
                    && let Some(call) = edited_call(&self.snapshot, &ask, &answer)
                {
                    let tools = Arc::clone(self.driver.tool_host());
                    let looks =
                        move || async move { Ok(Json(tools.misfit(&call).map(|why| why.to_string()))) };
                    let Json(found) = self.ctx.run(looks).name("arguments").await?;
                    misfit = found;
                }
                match misfit {
                    None => {
                        self.in_progress.withdraw(&ask);
                        self.feed(at, InputKind::Answered { ask, answer });
                    }
                    Some(why) => self
                        .driver
                        .say(&format!("an answer for the run {} is dropped: {why}", self.place.run)),
                }
            }
        }
        Ok(())
    }

    /// Shows what happened to the onlookers, in a step of its own.
    async fn show(&mut self) -> Result<(), HandlerError> {
        if !self.onlookers.is_behind() {
            return Ok(());
        }
        self.steps += 1;
        let mut executed = false;
        let Self { ctx, host, onlookers, .. } = self;
        let (is_executed, program) = (&mut executed, host.program());
        let shown = ctx
            .run(move || {
                *is_executed = true;
                onlookers.show(program);
                async { Ok(()) }
            })
            .name("show")
            .await;
        if !executed {
            self.onlookers.pass();
        }
        match shown {
            Err(error) if error.code() != CANCELLED => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// Returns true if the object has not been told for long.
    fn is_behindhand(&self) -> bool {
        self.unsent.len() >= SENT_ENTRIES
            || !self.unsent.is_empty() && self.snapshot.at.saturating_sub(self.sent_at) >= SENT_AFTER_NS
    }

    /// The part of the journal that the object has not been sent.
    fn unsent(&mut self) -> Record {
        let (from, entries, status) = (self.sent, std::mem::take(&mut self.unsent), self.status());
        self.sent += entries.len() as u64;
        self.sent_at = self.snapshot.at;
        self.sent_status = status.clone();
        Record { from, entries, status }
    }

    /// Tells the object what happened.
    fn send(&mut self) {
        if self.unsent.is_empty() && self.sent_status == self.status() {
            return;
        }
        let record = self.unsent();
        let _sent = of_run(self.ctx, &self.place.run, "record", record).send();
    }

    /// Leaves the run to the next segment.
    async fn hand_over(&mut self) -> Result<(), HandlerError> {
        self.show().await?;
        let record = self.unsent();
        let state = Continuation {
            info: self.info.clone(),
            snapshot: self.snapshot.clone(),
            entries: self.sent,
            word: self.word,
            words: Vec::new(),
            ending: self.ending.take(),
        };
        let over = HandOver { segment: self.place.number, record, state };
        let _sent = of_run(self.ctx, &self.place.run, "hand_over", over).send();
        Ok(())
    }
}

/// A future of Restate's, on the way to the next word or the end of a timer.
type Durable<'f> =
    std::pin::Pin<Box<dyn DurableFuture<Output = Result<Option<PostedWord>, TerminalError>> + Send + 'f>>;

/// A fault after which Restate tries again.
fn busy(why: &str) -> HandlerError {
    tracing::error!(why, "a segment cannot be driven now");
    std::io::Error::other(why.to_owned()).into()
}

/// A number that no other attempt has.
fn fresh_mark() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(std::process::id())
}

/// The inputs of a run, with those that the operator has set.
pub(super) fn input_of(host: &dyn GraphHost, given: &Map) -> Result<Map, String> {
    let (program, set) = (host.program(), host.inputs());
    let mut input = inputs_of_map(program, given).map_err(|faults| {
        let all: Vec<String> = faults.iter().map(|fault| format!("{fault}; {}", fault.help)).collect();
        all.join("; ")
    })?;
    for (name, value) in set {
        if !input.contains_key(name.as_str()) {
            input.insert(name.clone(), value.clone());
        }
    }
    let missing = missing_inputs(program, &input);
    if missing.is_empty() {
        return Ok(host.mask().map(input));
    }
    let names: Vec<String> =
        missing.iter().map(|input| format!("`{}` ({})", input.name, input.wanted)).collect();
    Err(format!("the graph lacks inputs: {}", names.join(", ")))
}
