//! The ports of a driver for an engine that drives runs in its own way.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::ready;
use serde_json::{Value as Json, json};

use super::driver::Driver;
use crate::config::RunLimits;
use crate::machine::{Call, Event, Outcome, Question, Request};
use crate::port::{BoxFuture, Clock, HumanReply, Leftovers, Observer, ProbeResult, RunView, ToolHost};
use crate::program::error::ErrorKind;
use crate::value::{List, Str};

/// The longest a probe is waited for.
const MAX_PROBE: Duration = Duration::from_mins(10);

/// The time between two looks at something that cannot be ended from here.
const AT_WORK_PAUSE: Duration = Duration::from_secs(1);

/// The message of a call that was cut off.
const CUT_OFF: &str = "the run was interrupted while this call was under way";

/// The ports of a driver, for an engine that drives runs in its own way: it makes calls, puts questions and shows what happened, and
/// stores what it wants to.
#[derive(Clone)]
pub struct RunPorts(Driver);

impl Driver {
    /// Makes a call, unless it is past a limit. The ports are asked at once; tools do nothing before the future is polled.
    pub(super) fn make(&self, run: &Str, call: &Call, view: RunView<'_>) -> BoxFuture<'static, Outcome> {
        let refused = self.ledger.as_ref().and_then(|own| own.refuse_tool(run, call, self.clock.now()));
        match (refused, &call.request) {
            (Some(refused), _) => ready(refused).boxed(),
            (None, Request::Model { .. }) => self.model.ask(call, view),
            (None, Request::Tool { .. }) => self.tools.call(call, view),
        }
    }

    /// Shows an event that is stored to the onlookers, and counts it against the limits.
    pub(super) fn show(&self, run: &Str, event: &Event, graph: u32, view: RunView<'_>) {
        if let Some(ledger) = &self.ledger {
            ledger.observe(run, event);
        }
        self.observers.iter().for_each(|observer| observer.recorded(event, graph, view));
    }
}

impl RunPorts {
    /// Those of a driver. Its store is not used.
    #[must_use]
    pub const fn of(driver: Driver) -> Self {
        Self(driver)
    }

    /// The tools.
    #[must_use]
    pub fn tools(&self) -> &Arc<dyn ToolHost> {
        &self.0.tools
    }

    /// The catalogue of tools, as a run has it from its start.
    #[must_use]
    pub fn catalogue(&self) -> List {
        self.0.catalogue()
    }

    /// The clock.
    #[must_use]
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.0.clock
    }

    /// The limits of a run.
    #[must_use]
    pub const fn limits(&self) -> RunLimits {
        self.0.limits
    }

    /// The tools that are not granted and that the program may call.
    #[must_use]
    pub fn missing_grants(&self) -> Vec<Str> {
        self.0.missing_grants()
    }

    /// Makes a call to its end; nothing if it has its turn after the end of the view's claim. Where `begun` is true an earlier
    /// attempt may have made it: what that left at work is ended first, and a call that may reach its tool at most once is made
    /// only if its probe says that it did not take place.
    #[must_use]
    pub fn settle(
        &self,
        run: &Str,
        call: &Call,
        begun: bool,
        view: RunView<'_>,
    ) -> BoxFuture<'static, Option<Outcome>> {
        let claim = view.claim.clone();
        let probe = || if call.is_once() { self.0.tools.probe(call, view) } else { None };
        let (before, after) = (if begun { probe() } else { None }, probe());
        let (ports, call, work) = (self.clone(), call.clone(), self.0.make(run, call, view));
        async move {
            if begun && let Some(known) = ports.begun_before(&call, before).await {
                return Some(known);
            }
            // It waited for its turn, was asked after, or the process stood still: somebody else may make it now.
            if claim.is_over() {
                return None;
            }
            let outcome = work.await;
            if !call.is_once() {
                return Some(outcome);
            }
            Some(match outcome.of_once() {
                Outcome::Unknown { message } => ports.asked_after(&call, after, message).await,
                known => known,
            })
        }
        .boxed()
    }

    /// The outcome of a call that an earlier attempt may have made; none if it is to be made.
    async fn begun_before(
        &self,
        call: &Call,
        probe: Option<BoxFuture<'static, ProbeResult>>,
    ) -> Option<Outcome> {
        if let Err(why) = self.ended(call).await {
            return Some(Outcome::Unknown { message: ecow::eco_format!("{CUT_OFF}; {why}") });
        }
        if !call.is_once() {
            return None;
        }
        let Some(probe) = probe else { return Some(Outcome::Unknown { message: CUT_OFF.into() }) };
        match self.probed(probe).await {
            ProbeResult::Happened(result) => Some(Outcome::answer(result)),
            ProbeResult::Unknown(why) => {
                Some(Outcome::Unknown { message: ecow::eco_format!("{CUT_OFF}; {why}") })
            }
            ProbeResult::Not if call.deadline.is_some_and(|end| end <= self.0.clock.now()) => {
                let message = "the call did not take place, and its time is over";
                Some(Outcome::never_began(ErrorKind::Timeout, message))
            }
            ProbeResult::Not => None,
        }
    }

    /// The outcome of a call that was made here, and of which it is not known whether it took place.
    async fn asked_after(
        &self,
        call: &Call,
        probe: Option<BoxFuture<'static, ProbeResult>>,
        message: Str,
    ) -> Outcome {
        let unknown = |why: &str| Outcome::Unknown { message: ecow::eco_format!("{message}; {why}") };
        if let Err(why) = self.ended(call).await {
            return unknown(&why);
        }
        let Some(probe) = probe else { return Outcome::Unknown { message } };
        match self.probed(probe).await {
            ProbeResult::Happened(result) => Outcome::answer(result),
            ProbeResult::Unknown(why) => unknown(&why),
            ProbeResult::Not => unknown("its probe says that it did not take place"),
        }
    }

    /// Ends what was left at work of a call. What cannot be ended is waited for, unless the call may be made at most once.
    async fn ended(&self, call: &Call) -> Result<(), Str> {
        while let Some(remains) = self.0.tools.remains(call) {
            match remains.await {
                Leftovers::Gone(ended) => {
                    if let Some(ended) = ended {
                        self.0.note_ended(&call.id, &ended);
                    }
                    return Ok(());
                }
                Leftovers::AtWork(why) if call.is_once() => return Err(why),
                Leftovers::AtWork(_) => tokio::time::sleep(AT_WORK_PAUSE).await,
            }
        }
        Ok(())
    }

    async fn probed(&self, probe: BoxFuture<'static, ProbeResult>) -> ProbeResult {
        tokio::select! {
            biased;
            probed = probe => probed,
            () = tokio::time::sleep(MAX_PROBE) => ProbeResult::Unknown("the probe took longer than 10m".into()),
        }
    }

    /// Puts a question to whoever is here.
    #[must_use]
    pub fn put(&self, ask: &Question, view: RunView<'_>) -> BoxFuture<'static, HumanReply> {
        self.0.human.ask(ask, view)
    }

    /// Says something to the onlookers that no event tells.
    pub fn say(&self, note: &str) {
        self.0.observers.iter().for_each(|observer| observer.noted(note));
    }

    /// Shows an event that is stored to the onlookers, and counts it against the limits.
    pub fn show(&self, run: &Str, event: &Event, graph: u32, view: RunView<'_>) {
        self.0.show(run, event, graph, view);
    }

    /// Returns true if somebody wants to be shown what was recorded before a run is driven on.
    #[must_use]
    pub fn looks_back(&self) -> bool {
        self.0.ledger.is_some() || self.looking_back().next().is_some()
    }

    /// Begins the counts of a run anew.
    pub fn forget(&self, run: &Str) {
        if let Some(ledger) = &self.0.ledger {
            ledger.load(run, &[]);
        }
    }

    /// The counts of a run, and the knowledge of those who look back, for whoever drives it on.
    #[must_use]
    pub fn memory(&self, run: &Str) -> Json {
        let ledger = self.0.ledger.as_ref().map(|ledger| ledger.memory(run));
        json!({"ledger": ledger, "observers": self.looking_back().map(|own| own.memory()).collect::<Vec<_>>()})
    }

    /// Goes on from that; false if it lacks something that is counted here, or that somebody wants to know.
    #[must_use]
    pub fn recall(&self, run: &Str, memory: &Json) -> bool {
        let ledger = self.0.ledger.as_ref().is_none_or(|ledger| ledger.recall(run, &memory["ledger"]));
        ledger && self.looking_back().zip(0_usize..).all(|(own, n)| own.recall(&memory["observers"][n]))
    }

    fn looking_back(&self) -> impl Iterator<Item = &Arc<dyn Observer>> {
        self.0.observers.iter().filter(|observer| observer.looks_back())
    }

    /// Shows an event that was recorded, and shown, in an earlier life of the run.
    pub fn catch_up(&self, run: &Str, event: &Event) {
        if let Some(ledger) = &self.0.ledger {
            ledger.observe(run, event);
        }
        self.0.observers.iter().for_each(|observer| observer.caught_up(event));
    }
}
