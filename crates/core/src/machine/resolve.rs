//! Inputs from the world: answers, failures, time-outs, retries.

use super::call::{Call, CallId, CallProgress, Outcome, Request};
use super::event::{Changes, EventKind};
use super::fault;
use super::random::next_random;
use super::snapshot::{NodeExit, Phase};
use super::step::Machine;
use crate::program::error::ErrorKind;
use crate::program::graph::{GraphCode, LinkedNodeKind, ModelCode, RetryCode};
use crate::program::{Stop, narrow};
use crate::value::json::{self, JsonLimits};
use crate::value::{List, Map, Str, Value};

/// Waits before a second attempt when the graph says nothing: one second, doubled each time, a minute at most.
const FIRST_WAIT_NS: i64 = 1_000_000_000;
const MAX_WAIT_NS: i64 = 60_000_000_000;

impl Machine<'_> {
    /// A call came back.
    pub(super) fn resolved(&mut self, id: &CallId, outcome: Outcome) {
        let waiting = |lane: &Option<Box<super::snapshot::Lane>>| matches!(lane.as_deref().map(|l| &l.phase), Some(Phase::Calling(call)) if call.id == *id);
        let Some(place) = self.snap.lanes.iter().position(waiting) else { return self.late(id, outcome) };
        if self.snap.done.is_some() {
            return self.late(id, outcome);
        }
        let lane = u32::try_from(place).expect("lanes are counted in u32");
        self.bill(lane, outcome.usage());
        self.record(lane, || EventKind::Resolved { call: id.clone(), outcome: Box::new(outcome.clone()) });
        let Phase::Calling(call) = self.lane(lane).phase.clone() else { return };
        match outcome {
            Outcome::Answer { value, .. } => match self.read(lane, &call, value) {
                Ok(value) => self.finish(lane, &value),
                Err(error) => self.failed(lane, call, error, None, CallProgress::Unsaid),
            },
            Outcome::Failed { kind, message, details, retry_after, progress, .. } => {
                let error = fault::error(self.graph(lane), kind, message, details, call.attempt);
                self.failed(lane, call, error, retry_after, progress);
            }
            Outcome::Unknown { message } => {
                let error = fault::error(self.graph(lane), "unknown", message, Value::Null, call.attempt);
                self.fail(lane, NodeExit::Unknown(call, error), Changes::default());
            }
        }
    }

    /// Reads an answer against its type: a model's text strictly, a tool's value against the place it goes to.
    pub(super) fn read(&self, lane: u32, call: &Call, value: Value) -> Result<Value, Value> {
        let graph = self.graph(lane);
        let node = &graph.nodes[self.lane(lane).frame.node as usize];
        let refuse = |why: List, raw: &Value| {
            let mut details = Map::new();
            details.set("raw", raw.clone());
            unfit(graph, why, details, call.attempt)
        };
        let one = |message: String| List::from_iter([Value::from(message)]);
        match &node.kind {
            LinkedNodeKind::Model(model) if model.reply.is_some() => {
                self.reply(call, model, &value).map_err(|unfit| unfit.error(graph, call.attempt, &value))
            }
            LinkedNodeKind::Model(model) if !model.output.raw => {
                let Value::Str(raw) = &value else {
                    return Err(refuse(one("the answer of a model is a text".to_owned()), &value));
                };
                let parsed = json::parse_strict(raw, JsonLimits::default())
                    .map_err(|fault| refuse(one(fault.to_string()), &value))?;
                self.answer(call, model, &parsed).map_err(|why| refuse(why, &value))
            }
            LinkedNodeKind::Model(model) => {
                self.answer(call, model, &value).map_err(|why| refuse(why, &value))
            }
            LinkedNodeKind::Tool(tool) => match &tool.into {
                Some(place) => self.fit(place.shape, value.clone()).map_err(|why| refuse(why, &value)),
                None => Ok(value),
            },
            _ => Ok(value),
        }
    }

    /// The answer of a model as one of its type. It has to fit its place as well.
    pub(super) fn answer(&self, call: &Call, model: &ModelCode, value: &Value) -> Result<Value, List> {
        let answer = self.typed_answer(call, model, value)?;
        if let Some(place) = &model.into
            && place.shape != model.output.shape
            && self.program.semantics.fits_results()
        {
            self.fit(place.shape, answer.clone())?;
        }
        Ok(answer)
    }

    /// The answer of a model as one of its type, within the limits that it was asked with.
    pub(super) fn typed_answer(&self, call: &Call, model: &ModelCode, raw: &Value) -> Result<Value, List> {
        let answer = self.fit(model.output.shape, raw.clone())?;
        let Request::Model { limits: Some(limits), .. } = &call.request else { return Ok(answer) };
        let outside = narrow::outside(limits, raw, &answer);
        if outside.is_empty() { Ok(answer) } else { Err(outside) }
    }

    pub(super) fn fit(&self, shape: u32, value: Value) -> Result<Value, List> {
        self.program
            .shapes
            .fit(shape, value)
            .map_err(|misfits| misfits.iter().map(|m| Value::from(m.to_string())).collect())
    }

    /// The second unit: the result is stored, `then` runs.
    pub(super) fn finish(&mut self, lane: u32, result: &Value) {
        let graph = self.graph(lane);
        let node = self.lane(lane).frame.node;
        let code = &graph.nodes[node as usize];
        self.lane_mut(lane).frame.result = result.clone();
        let mut misfits = List::new();
        let (done, changes) = self.unit(lane, |exec| {
            super::store::store(exec, &code.kind, result, &mut misfits)?;
            exec.run(code.then)
        });
        match done {
            Ok(()) => {
                self.record(lane, || EventKind::Completed { node, changes });
                self.lane_mut(lane).phase = Phase::Leave { at: node, exit: NodeExit::Done };
            }
            Err(stop) if misfits.is_empty() => self.fail(lane, fault::exit(graph, lane, stop), changes),
            Err(_) => {
                let error = unfit(graph, misfits, Map::new(), 1);
                self.fail(lane, NodeExit::Error(error), changes);
            }
        }
    }

    /// A call failed: it is tried again if the node says so, otherwise the node leaves.
    fn failed(
        &mut self,
        lane: u32,
        call: Box<Call>,
        error: Value,
        retry_after: Option<i64>,
        progress: CallProgress,
    ) {
        match self.wait_before(lane, &call, &error, retry_after) {
            Ok(Some(_)) if self.may_have_begun(&call, progress) => {
                self.fail(lane, NodeExit::Unknown(call, error), Changes::default());
            }
            Ok(Some(wait)) => {
                let mut next = *call;
                next.attempt += 1;
                next.id = CallId(self.name_call(lane, &next.attempt.to_string()));
                let until = self.snap.at.saturating_add(wait);
                let node = self.lane(lane).frame.node;
                self.record(lane, || EventKind::Retrying { node, attempt: next.attempt, until });
                self.lane_mut(lane).phase = Phase::Backoff { call: Box::new(next), until };
                if wait == 0 {
                    self.again(lane);
                }
            }
            Ok(None) => self.fail(lane, NodeExit::Error(error), Changes::default()),
            Err(stop) => {
                let exit = fault::exit(self.graph(lane), lane, stop);
                self.fail(lane, exit, Changes::default());
            }
        }
    }

    /// Returns true if a call may not be made again, since it may reach its tool at most once and may have done so.
    fn may_have_begun(&self, call: &Call, progress: CallProgress) -> bool {
        self.program.semantics.holds_delivery() && call.is_once() && progress != CallProgress::NeverBegan
    }

    /// The wait before the next attempt, in nanoseconds; [`None`] when there is none.
    fn wait_before(
        &mut self,
        lane: u32,
        call: &Call,
        error: &Value,
        retry_after: Option<i64>,
    ) -> Result<Option<i64>, Stop> {
        let graph = self.graph(lane);
        let code = &graph.nodes[self.lane(lane).frame.node as usize];
        let Some(retry) = code.retry.as_deref() else { return Ok(None) };
        let (kind, class) = (fault::text(error, "kind"), fault::text(error, "class"));
        if !retry.on.iter().any(|word| word == kind || word == class) {
            return Ok(None);
        }
        let attempt = i64::from(call.attempt);
        let (plan, _) = self.unit(lane, |exec| {
            let attempts = exec.eval(retry.attempts)?.as_int().unwrap_or(1);
            if attempt >= attempts {
                return Ok(None);
            }
            delays(exec, retry).map(Some)
        });
        let Some((first, factor, longest, jitter)) = plan? else { return Ok(None) };
        let exponent = i32::try_from(attempt - 1).unwrap_or(i32::MAX);
        let mut wait = nanoseconds(float(first) * factor.powi(exponent)).min(longest);
        if jitter > 0.0 {
            let share = self.random() * jitter;
            wait = nanoseconds(float(wait) * (1.0 - share));
        }
        Ok(Some(wait.max(retry_after.unwrap_or(0))))
    }

    /// Makes the call of a lane that waited for it.
    pub(super) fn again(&mut self, lane: u32) {
        let Phase::Backoff { call, .. } = self.lane(lane).phase.clone() else { return };
        let mut call = *call;
        call.deadline = call.timeout.map(|t| self.snap.at.saturating_add(t));
        match self.may_charge(lane, super::effect::charge_of(&call.request)) {
            Ok(()) => self.make(lane, call),
            Err(refused) => self.fail(lane, refused, Changes::default()),
        }
    }

    /// A call did not come back in time.
    pub(super) fn timed_out(&mut self, lane: u32) {
        let Phase::Calling(call) = self.lane(lane).phase.clone() else { return };
        self.give_up(lane, call.id.clone());
        let limit = crate::value::duration::text(call.timeout.unwrap_or(0));
        let message = format!("no answer within {limit}");
        let error = fault::error(self.graph(lane), ErrorKind::Timeout, message, Value::Null, call.attempt);
        // Whether a call that may reach the tool only once took place is not known: it is never made again.
        if call.is_once() {
            self.fail(lane, NodeExit::Unknown(call, error), Changes::default());
        } else {
            self.failed(lane, call, error, None, CallProgress::Unsaid);
        }
    }

    /// The next random number in `0..1`: part of the snapshot, so that replay sees the same ones.
    fn random(&mut self) -> f64 {
        let number = next_random(&mut self.snap.random);
        f64::from(u32::try_from(number >> 32).unwrap_or(0)) / 4_294_967_296.0
    }
}

/// The error of a value that does not fit its type.
pub(super) fn unfit(graph: &GraphCode, why: List, mut details: Map, attempt: u32) -> Value {
    let message = why.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("; ");
    details.set("violations", why);
    fault::error(graph, ErrorKind::InvalidOutput, message, Value::Map(details), attempt)
}

/// First wait, factor, longest wait, jitter.
fn delays(
    exec: &mut crate::program::exec::Exec<'_>,
    retry: &RetryCode,
) -> Result<(i64, f64, i64, f64), Stop> {
    let first = retry.first.map_or(Ok(FIRST_WAIT_NS), |op| super::effect::duration(exec, op))?;
    let longest = retry.max.map_or(Ok(MAX_WAIT_NS), |op| super::effect::duration(exec, op))?;
    let mut number = |op: Option<crate::program::op::OpId>, default: f64| -> Result<f64, Stop> {
        Ok(match op.map(|op| exec.eval(op)).transpose()? {
            Some(Value::Float(f)) if f.is_finite() && f >= 0.0 => f,
            Some(Value::Int(n)) if n >= 0 => float(n),
            _ => default,
        })
    };
    let factor = number(retry.factor, 2.0)?;
    let jitter = number(retry.jitter, 0.0)?.min(1.0);
    Ok((first, factor, longest, jitter))
}

#[expect(clippy::cast_precision_loss, reason = "waits need no more than a float's 53 bits")]
const fn float(n: i64) -> f64 {
    n as f64
}

#[expect(clippy::cast_possible_truncation, reason = "the cast saturates, and waits are capped behind it")]
const fn nanoseconds(f: f64) -> i64 {
    f as i64
}

/// The message a person or log shows for an error value.
pub(super) fn message(error: &Value) -> Str {
    fault::text(error, "message").into()
}
