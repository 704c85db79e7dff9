//! The calls that runs made, held against the limits of the operator.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use crate::config::{CallLimit, CallLimits};
use crate::machine::{Call, CallId, CallProgress, Event, EventKind, ModelAttempt, Outcome, Request, Time};
use crate::port::{CallLedger, LimitRefusal};
use crate::program::error::ErrorKind;
use crate::value::{Str, usd};

const MINUTE_NS: Time = 60_000_000_000;

/// The runs whose calls are known at a time, so that they need not be counted again when they are driven again.
const MAX_KNOWN_RUNS: usize = 10_000;

/// The calls of the runs of a process, as their journals have them, and the limits they are held against.
///
/// It counts what is recorded, so that a run that is resumed, here or elsewhere, is held against what it made before. What a
/// limit refuses is an outcome like any other: it is recorded, and a replay needs no ledger.
#[derive(Debug)]
pub struct LimitLedger {
    limits: CallLimits,
    runs: Mutex<FxHashMap<Str, RunCalls>>,
}

/// The calls of one run.
#[derive(Debug, Default, Serialize, Deserialize)]
struct RunCalls {
    tools: FxHashMap<Str, Counted>,
    models: FxHashMap<Str, Counted>,
    /// Calls of tools without an outcome, with their tool and number.
    open: FxHashMap<CallId, (Str, u64)>,
    /// Attempts of models whose calls have no outcome yet.
    in_progress: Vec<OpenAttempt>,
    /// The number of the first event that was not counted.
    next: u64,
    /// True while nobody drives the run here.
    is_left: bool,
}

#[derive(Debug, Serialize, Deserialize)]
struct OpenAttempt {
    call: CallId,
    entry: Str,
    at: Time,
    cost: u64,
}

/// Calls of one tool or one model.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Counted {
    calls: u64,
    cost: u64,
    /// The number of the next call.
    next: u64,
    /// The calls of the last minute: their numbers and times, in order.
    recent: VecDeque<(u64, Time)>,
}

impl LimitLedger {
    /// An empty ledger.
    #[must_use]
    pub fn new(limits: CallLimits) -> Self {
        Self { limits, runs: Mutex::default() }
    }

    /// The names that limits have. Of others nothing is counted.
    fn limited(&self) -> Vec<&Str> {
        let CallLimits { tools, models } = &self.limits;
        tools.iter().chain(models).map(|(name, _)| name).collect()
    }

    fn runs(&self) -> MutexGuard<'_, FxHashMap<Str, RunCalls>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CallLedger for LimitLedger {
    fn load(&self, run: &Str, events: &[Event]) {
        self.runs().remove(run);
        self.catch_up(run, events);
    }

    fn next_event(&self, run: &Str) -> u64 {
        self.runs().get(run).map_or(0, |calls| calls.next)
    }

    fn catch_up(&self, run: &Str, events: &[Event]) {
        let mut runs = self.runs();
        let calls = runs.entry(run.clone()).or_default();
        calls.is_left = false;
        // What was not recorded of an attempt is not known to anybody else either.
        calls.in_progress.clear();
        let next = calls.next;
        for event in events.iter().filter(|event| event.seq >= next) {
            calls.observe(event, &self.limits);
        }
    }

    fn leave(&self, run: &Str) {
        let mut runs = self.runs();
        if let Some(calls) = runs.get_mut(run) {
            calls.is_left = true;
        }
        if runs.len() > MAX_KNOWN_RUNS {
            // Some of them may have ended elsewhere. Whoever drives one again counts its calls from the first one on.
            runs.retain(|_, calls| !calls.is_left);
        }
    }

    fn observe(&self, run: &Str, event: &Event) {
        let mut runs = self.runs();
        if matches!(event.kind, EventKind::Done(_)) {
            runs.remove(run);
            return;
        }
        runs.entry(run.clone()).or_default().observe(event, &self.limits);
    }

    fn memory(&self, run: &Str) -> Json {
        let runs = self.runs();
        json!({"limited": self.limited(), "calls": runs.get(run)})
    }

    fn recall(&self, run: &Str, memory: &Json) -> bool {
        let limited =
            |name: &&Str| memory["limited"].as_array().is_some_and(|names| names.contains(&json!(name)));
        let Ok(calls) = serde_json::from_value::<RunCalls>(memory["calls"].clone()) else { return false };
        if !self.limited().iter().all(limited) {
            return false;
        }
        self.runs().insert(run.clone(), calls);
        true
    }

    fn refuse_tool(&self, run: &Str, call: &Call, now: Time) -> Option<Outcome> {
        let Request::Tool { tool, .. } = &call.request else { return None };
        let limit = self.limits.of_tool(tool)?;
        let runs = self.runs();
        let calls = runs.get(run)?;
        let (_, number) = calls.open.get(&call.id)?;
        let later = calls.open.values().filter(|(own, open)| own == tool && open >= number).count();
        let counted = calls.tools.get(tool)?;
        let recent = counted.recent.iter().filter(|(own, _)| own < number).map(|(_, at)| *at).collect();
        let earlier = EarlierCalls { calls: counted.calls.saturating_sub(later as u64), cost: 0, recent };
        let refusal = earlier.refuse(limit, &format!("the tool `{tool}`"), now)?;
        Some(outcome(refusal))
    }

    fn admit_model(&self, run: &Str, call: &CallId, entry: &Str, now: Time) -> Result<(), LimitRefusal> {
        let Some(limit) = self.limits.of_model(entry) else { return Ok(()) };
        let mut runs = self.runs();
        let calls = runs.entry(run.clone()).or_default();
        let mut earlier = EarlierCalls::default();
        if let Some(counted) = calls.models.get(entry) {
            (earlier.calls, earlier.cost) = (counted.calls, counted.cost);
            earlier.recent.extend(counted.recent.iter().map(|(_, at)| *at));
        }
        for attempt in calls.in_progress.iter().filter(|attempt| attempt.entry == *entry) {
            earlier.calls += 1;
            earlier.cost = earlier.cost.saturating_add(attempt.cost);
            earlier.recent.push(attempt.at);
        }
        if let Some(refusal) = earlier.refuse(limit, &format!("[models.{entry}]"), now) {
            return Err(refusal);
        }
        calls.in_progress.push(OpenAttempt { call: call.clone(), entry: entry.clone(), at: now, cost: 0 });
        Ok(())
    }

    fn settle_model(&self, run: &Str, call: &CallId, cost: u64) {
        let mut runs = self.runs();
        let open = runs
            .get_mut(run)
            .and_then(|calls| calls.in_progress.iter_mut().rev().find(|attempt| attempt.call == *call));
        if let Some(attempt) = open {
            attempt.cost = cost;
        }
    }
}

impl RunCalls {
    fn observe(&mut self, event: &Event, limits: &CallLimits) {
        self.next = event.seq + 1;
        match &event.kind {
            EventKind::Called(call) => {
                if let Request::Tool { tool, .. } = &call.request
                    && let Some(limit) = limits.of_tool(tool)
                {
                    let number = self.tools.entry(tool.clone()).or_default().add(event.at, 0, limit);
                    self.open.insert(call.id.clone(), (tool.clone(), number));
                }
            }
            EventKind::Resolved { call, outcome } | EventKind::Late { call, outcome } => {
                self.resolved(call, outcome, limits);
            }
            EventKind::Abandoned { call } => self.in_progress.retain(|attempt| attempt.call != *call),
            _ => {}
        }
    }

    fn resolved(&mut self, call: &CallId, outcome: &Outcome, limits: &CallLimits) {
        if let Some((tool, number)) = self.open.remove(call)
            && matches!(outcome, Outcome::Failed { progress: CallProgress::NeverBegan, .. })
            && let Some(counted) = self.tools.get_mut(&tool)
        {
            // It was refused, here or by the tool: nothing was done.
            counted.calls = counted.calls.saturating_sub(1);
            counted.recent.retain(|(own, _)| *own != number);
        }
        self.in_progress.retain(|attempt| attempt.call != *call);
        for attempt in outcome.attempts().iter().filter(|attempt| attempt.was_sent()) {
            let ModelAttempt { entry, at, usage, .. } = attempt;
            if let Some(limit) = limits.of_model(entry) {
                self.models.entry(entry.clone()).or_default().add(*at, usage.cost, limit);
            }
        }
    }
}

impl Counted {
    /// Counts a call, and gives its number.
    fn add(&mut self, at: Time, cost: u64, limit: CallLimit) -> u64 {
        let number = self.next;
        self.next += 1;
        self.calls += 1;
        self.cost = self.cost.saturating_add(cost);
        if limit.per_minute.is_some() {
            self.recent.retain(|(_, then)| then.saturating_add(MINUTE_NS) > at);
            self.recent.push_back((number, at));
        }
        number
    }
}

/// The calls before the one that is about to be made.
#[derive(Debug, Default)]
struct EarlierCalls {
    calls: u64,
    cost: u64,
    /// The latest times.
    recent: Vec<Time>,
}

impl EarlierCalls {
    /// The refusal of one more call, if a limit is reached.
    fn refuse(mut self, limit: CallLimit, what: &str, now: Time) -> Option<LimitRefusal> {
        let denied = |message: Str| LimitRefusal { kind: ErrorKind::Denied, message, retry_after: None };
        if let Some(most) = limit.calls.filter(|most| self.calls >= *most) {
            let message =
                ecow::eco_format!("{what} is past its limit: calls = {most} in a run (see [limits])");
            return Some(denied(message));
        }
        if let Some(most) = limit.cost.filter(|most| self.cost >= *most) {
            let most = usd::text(i64::try_from(most).unwrap_or(i64::MAX));
            let message =
                ecow::eco_format!("{what} is past its limit: cost = ${most} in a run (see [limits])");
            return Some(denied(message));
        }
        let most = limit.per_minute?;
        self.recent.retain(|at| at.saturating_add(MINUTE_NS) > now);
        self.recent.sort_unstable();
        let last = *self.recent.get(self.recent.len().checked_sub(most)?)?;
        Some(LimitRefusal {
            kind: ErrorKind::RateLimited,
            message: ecow::eco_format!(
                "{what} is past its limit: per_minute = {most} in a run (see [limits])"
            ),
            retry_after: Some(last.saturating_add(MINUTE_NS).saturating_sub(now)),
        })
    }
}

/// A refusal as the outcome of a call that never began.
fn outcome(refusal: LimitRefusal) -> Outcome {
    let mut outcome = Outcome::never_began(refusal.kind, refusal.message);
    if let Outcome::Failed { retry_after, .. } = &mut outcome {
        *retry_after = refusal.retry_after;
    }
    outcome
}
