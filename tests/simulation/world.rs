//! Tools and models: slow, failing, hanging, cut off; what reaches them is noted.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use loopwright::machine::{Call, CallId, CallProgress, Event, Outcome, Request};
use loopwright::port::{
    BoxFuture, Leftovers, ModelClient, Observer, ProbeResult, RunView, ToolHost, ToolInfo, undo_id,
};
use loopwright::program::graph::Delivery;
use loopwright::value::{Str, Value};
use tokio::time::Instant;

use crate::case::Case;
use crate::fault::Fault;
use crate::ledger::{Attempt, Ledger};
use crate::process::Process;
use crate::server::Server;
use crate::simulation::Simulation;

/// The tools of a process, and its models.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) sim: Arc<Simulation>,
    pub(crate) process: Arc<Process>,
    pub(crate) server: Arc<Server>,
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) case: Arc<Case>,
}

/// Why something is called.
#[derive(Clone, Copy)]
enum Reason<'a> {
    Call(&'a Call),
    /// To undo that call.
    Undo(&'a CallId),
}

/// What a call will do.
struct Plan {
    /// It has its effect after so many milliseconds.
    effect: Option<u64>,
    takes: u64,
    outcome: Outcome,
}

/// True if what a call started has to be ended before it is made again.
fn is_left(call: &Call) -> bool {
    matches!(&call.request, Request::Tool { tool, .. } if tool == "left")
}

/// The tools that generated graphs call.
pub(crate) fn tools() -> Vec<ToolInfo> {
    let tool = |name: &str, delivery| ToolInfo::new(name, Value::Null).delivery(delivery);
    vec![
        tool("pure", Delivery::Pure),
        tool("keyed", Delivery::Idempotent),
        tool("again", Delivery::AtLeastOnce),
        tool("left", Delivery::AtLeastOnce),
        tool("once", Delivery::AtMostOnce),
        tool("probed", Delivery::AtMostOnce).probe("look"),
        tool("approved", Delivery::AtMostOnce).approval(),
        tool("undone", Delivery::AtMostOnce).compensate("undo"),
        tool("undone_once", Delivery::AtMostOnce).compensate("undo_once"),
    ]
}

/// The run that a call belongs to.
pub(crate) fn run_of(call: &CallId) -> Str {
    call.0.split(['~', ':']).next().unwrap_or_default().into()
}

/// The part of a call's id that is the same in every run.
pub(crate) fn place_of(call: &str) -> &str {
    call.split_once(':').map_or(call, |(_, place)| place)
}

impl World {
    /// Notes that a call reached what is called, and makes sure that it may.
    fn reach(&self, id: &CallId, plan: &Plan, reason: Reason<'_>) -> usize {
        let (run, by, now) = (run_of(id), self.process.name().clone(), self.sim.now());
        self.sim.note(format_args!("{by} calls {}", id.0));
        let found = self.server.look(|stored| {
            let journal = stored.journals.get(&run)?;
            let intends = match reason {
                Reason::Call(_) => journal.intends(id),
                Reason::Undo(call) => journal.intends_to_undo(call),
            };
            Some((intends, journal.is_driven_by(&by, now)))
        });
        let (intends, drives) = found.unwrap_or_default();
        if !intends {
            self.sim.broken(format!("{} was made, and the journal does not say that it would be", id.0));
        }
        if !drives {
            self.sim.broken(format!("{} was made by {by}, which did not have the run", id.0));
        }
        let known = &mut *self.ledger.known();
        let number = known.calls.values().map(Vec::len).sum::<usize>() + 1;
        let attempts = known.calls.entry(id.clone()).or_default();
        let now = Instant::now();
        let alone = matches!(reason, Reason::Call(call) if is_left(call));
        if alone && attempts.iter().any(|attempt| attempt.is_at_work(now)) {
            self.sim.broken(format!("{} was made while it was at work", id.0));
        }
        let result = match &plan.outcome {
            Outcome::Answer { value, .. } => value.clone(),
            _ => Value::Int(i64::try_from(number).expect("there are few")),
        };
        attempts.push(Attempt {
            effect: plan.effect.map(|millis| now + Duration::from_millis(millis)),
            over: now + Duration::from_millis(plan.takes),
            ended: None,
            result,
            answered: None,
        });
        attempts.len() - 1
    }

    /// Makes a call.
    async fn make(self, id: CallId, plan: Plan, reason: Reason<'_>) -> Outcome {
        let place = self.reach(&id, &plan, reason);
        let open = OpenAttempt { world: self, id, place, is_over: false };
        tokio::time::sleep(Duration::from_millis(plan.takes)).await;
        open.world.process.point().await;
        open.end(plan.outcome)
    }

    /// What a call will do, as the dice say. `answer` is what it gives where nothing is in the way.
    fn plan(&self, answer: Outcome) -> Plan {
        let trouble = self.sim.strikes(|weather| weather.trouble);
        let calm = self.sim.is_calm();
        self.sim.roll(|dice| {
            let takes = if calm { 5 } else { *dice.of(&[0, 1, 2, 5, 20, 100, 400, 1_500]) };
            let effect = dice.between(0, takes);
            if !trouble {
                return Plan { effect: Some(effect), takes, outcome: answer };
            }
            let failed = |kind: &str| Outcome::failed(kind, "as simulated");
            match dice.below(7) {
                0 => Plan { effect: None, takes, outcome: failed("unavailable") },
                1 => Plan { effect: Some(effect), takes, outcome: failed("unavailable") },
                2 => Plan { effect: Some(effect), takes, outcome: failed("tool_failed") },
                3 => {
                    let outcome = Outcome::never_began("unavailable", "as simulated");
                    Plan { effect: None, takes, outcome }
                }
                4 => {
                    let outcome = failed("tool_failed").with_progress(CallProgress::CutOff);
                    Plan { effect: dice.chance(5_000).then_some(effect), takes, outcome }
                }
                5 => {
                    let message = "as simulated".into();
                    let effect = dice.chance(5_000).then_some(effect);
                    Plan { effect, takes, outcome: Outcome::Unknown { message } }
                }
                _ => Plan { effect: Some(effect), takes: 9_000, outcome: answer },
            }
        })
    }

    /// What a tool gives where nothing is in the way.
    fn result(&self, call: &Call) -> Outcome {
        let Some(recorded) = self.case.outcome(&call.id) else {
            let known = self.ledger.known();
            let attempts = known.calls.get(&call.id);
            if let (Request::Tool { delivery: Delivery::Idempotent, .. }, Some(first)) =
                (&call.request, attempts.and_then(|attempts| attempts.first()))
            {
                return Outcome::answer(first.result.clone());
            }
            let number = known.calls.values().map(Vec::len).sum::<usize>() + 1;
            return Outcome::answer(Value::Int(i64::try_from(number).expect("there are few")));
        };
        recorded.clone()
    }
}

/// An attempt that has not come back.
struct OpenAttempt {
    world: World,
    id: CallId,
    place: usize,
    is_over: bool,
}

impl OpenAttempt {
    fn end(mut self, outcome: Outcome) -> Outcome {
        self.is_over = true;
        self.change(|attempt| attempt.answered = Some(outcome.clone()));
        outcome
    }

    fn change(&self, change: impl FnOnce(&mut Attempt)) {
        let mut known = self.world.ledger.known();
        if let Some(attempt) = known.calls.get_mut(&self.id).and_then(|attempts| attempts.get_mut(self.place))
        {
            change(attempt);
        }
    }
}

impl Drop for OpenAttempt {
    /// Whoever gives a call up ends what it started; of a process that was killed it may go on.
    fn drop(&mut self) {
        let goes_on = self.world.process.is_dead() && self.world.sim.roll(|dice| dice.chance(5_000));
        if !self.is_over && !goes_on {
            self.change(|attempt| attempt.ended = Some(Instant::now()));
        }
    }
}

impl ToolHost for World {
    fn catalogue(&self) -> Vec<ToolInfo> {
        tools()
    }

    fn call(&self, call: &Call, _: RunView<'_>) -> BoxFuture<'static, Outcome> {
        let (world, call) = (self.clone(), call.clone());
        async move {
            let plan = world.plan(world.result(&call));
            world.make(call.id.clone(), plan, Reason::Call(&call)).await
        }
        .boxed()
    }

    fn probe(&self, call: &Call, _: RunView<'_>) -> Option<BoxFuture<'static, ProbeResult>> {
        let Request::Tool { tool, .. } = &call.request else { return None };
        if tool == "once" && self.sim.has(Fault::RepeatedCall) {
            return Some(futures::future::ready(ProbeResult::Not).boxed());
        }
        if tool != "probed" {
            return None;
        }
        let (world, id) = (self.clone(), call.id.clone());
        let probe = async move {
            world.sim.wait(1, 50).await;
            if world.sim.strikes(|weather| weather.trouble) {
                return ProbeResult::Unknown("the probe failed".into());
            }
            let said = world.look(&id);
            world.process.point().await;
            said
        };
        Some(probe.boxed())
    }

    fn remains(&self, call: &Call) -> Option<BoxFuture<'static, Leftovers>> {
        let now = Instant::now();
        let at_work = |attempts: &Vec<Attempt>| attempts.iter().any(|attempt| attempt.is_at_work(now));
        if !is_left(call) || !self.ledger.known().calls.get(&call.id).is_some_and(at_work) {
            return None;
        }
        let (world, id) = (self.clone(), call.id.clone());
        let end = async move {
            world.sim.wait(1, 50).await;
            if world.sim.strikes(|weather| weather.trouble / 4) {
                return Leftovers::AtWork("it is on another machine".into());
            }
            let now = Instant::now();
            for attempt in world.ledger.known().calls.get_mut(&id).into_iter().flatten() {
                if attempt.is_at_work(now) {
                    attempt.ended = Some(now);
                }
            }
            world.process.point().await;
            Leftovers::Gone(Some("as simulated".into()))
        };
        Some(end.boxed())
    }

    fn compensation(&self, tool: &str) -> Option<ToolInfo> {
        let undo = |name: &str, delivery| Some(ToolInfo::new(name, Value::Null).delivery(delivery));
        match tool {
            "undone" => undo("undo", Delivery::Idempotent),
            "undone_once" => undo("undo_once", Delivery::AtMostOnce),
            _ => None,
        }
    }

    fn compensate(&self, call: &Call, _: &Value) -> Option<BoxFuture<'static, Outcome>> {
        let (world, call) = (self.clone(), call.id.clone());
        let work = async move {
            let plan = world.plan(Outcome::answer(true));
            world.make(undo_id(&call), plan, Reason::Undo(&call)).await
        };
        Some(work.boxed())
    }
}

impl World {
    /// What a probe says of a call.
    fn look(&self, id: &CallId) -> ProbeResult {
        let now = Instant::now();
        let known = &mut *self.ledger.known();
        let attempts = known.calls.get(id);
        let took_place = attempts.into_iter().flatten().find(|attempt| attempt.took_place(now));
        if let Some(result) = took_place.map(|attempt| attempt.result.clone()) {
            known.confirmed.entry(id.clone()).or_default().push(result.clone());
            return ProbeResult::Happened(result);
        }
        if attempts.into_iter().flatten().any(|attempt| attempt.is_at_work(now)) {
            return ProbeResult::Unknown("it is at work".into());
        }
        *known.denied.entry(id.clone()).or_default() += 1;
        ProbeResult::Not
    }
}

impl ModelClient for World {
    fn ask(&self, call: &Call, _: RunView<'_>) -> BoxFuture<'static, Outcome> {
        let (world, call) = (self.clone(), call.clone());
        async move {
            let answer = match world.case.outcome(&call.id) {
                Some(recorded) => recorded.clone(),
                None => world.sim.roll(|dice| Outcome::answer(*dice.of(&["yes", "no", "no"]))),
            };
            let plan = world.plan(answer);
            world.make(call.id.clone(), plan, Reason::Call(&call)).await
        }
        .boxed()
    }
}

/// Sees what a process shows of a run: all of it must be stored by then.
pub(crate) struct Onlooker {
    pub(crate) sim: Arc<Simulation>,
    pub(crate) server: Arc<Server>,
    pub(crate) run: Str,
}

impl Observer for Onlooker {
    fn recorded(&self, event: &Event, _: u32, _: RunView<'_>) {
        let is_stored = self.server.look(|stored| {
            stored.journals.get(&self.run).and_then(|journal| journal.event(event.seq)) == Some(event)
        });
        if !is_stored {
            self.sim.broken(format!("event {} of {} was shown and is not stored", event.seq, self.run));
        }
    }
}
