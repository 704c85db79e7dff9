//! People: questions, pauses, calls whose outcome nobody knows.

use super::answer::check_answer;
use super::call::{Ask, AskId, AskReason, Call};
use super::event::{Changes, EventKind};
use super::fault;
use super::output::Output;
use super::snapshot::{Exit, Phase};
use super::step::Machine;
use crate::program::graph::NodeKind;
use crate::value::Value;

impl Machine<'_> {
    /// A person answered. An answer that does not fit is asked for again.
    pub(super) fn answered(&mut self, id: &AskId, answer: &Value) {
        let Some(lane) = self.asking(id) else { return };
        if self.snap.done.is_some() {
            return;
        }
        let phase = self.lane(lane).phase.clone();
        self.record(lane, || EventKind::Answered { ask: id.clone(), answer: Box::new(answer.clone()) });
        match phase {
            Phase::Asking(ask) => {
                let shape = match &self.graph(lane).nodes[self.lane(lane).frame.node as usize].kind {
                    NodeKind::Human(human) => human.answer,
                    _ => return,
                };
                match self.fit(shape, answer.clone()) {
                    Ok(value) => self.finish(lane, value),
                    Err(_) => self.ask_again(*ask, answer),
                }
            }
            Phase::Paused { ask, at, exit } => match answer {
                Value::Str(word) if word == "resume" => self.lane_mut(lane).phase = Phase::Leave { at, exit },
                Value::Str(word) if word == "abort" => {
                    let exit =
                        self.error(lane, "cancelled", "a person ended the run at a pause", Value::Null);
                    self.fail_at(lane, at, exit, Changes::default());
                }
                // Nobody goes back to what has not happened yet.
                other => match rollback(other).filter(|step| *step <= self.snap.step()) {
                    Some(step) => self.out.push(Output::Rollback { step }),
                    None => self.ask_again(*ask, other),
                },
            },
            Phase::Lost { ask, call } => self.told(lane, &ask, *call, answer),
            _ => {}
        }
    }

    /// The outcome of a call is not known and no edge says what then: a person is asked.
    pub(super) fn lost(&mut self, lane: u32, call: Box<Call>, error: &Value) {
        let node = self.lane(lane).frame.node;
        let id = AskId(self.name_call(lane, &format!("{}.lost", call.attempt)));
        let what = super::resolve::message(error);
        let text = ecow::eco_format!(
            "Nobody knows whether this call took place ({what}). Answer `retry` to make it again, `fail` to go on as if it had failed, or {{\"result\": …}} with its result."
        );
        let ask = Box::new(self.question(lane, node, id, AskReason::Unknown, text, None));
        self.lane_mut(lane).phase = Phase::Lost { ask: ask.clone(), call };
        self.put_question(lane, *ask);
    }

    /// A person says what became of a call.
    fn told(&mut self, lane: u32, ask: &Ask, call: Call, answer: &Value) {
        match answer {
            Value::Str(word) if word == "retry" => {
                let mut call = call;
                call.deadline = call.timeout.map(|t| self.snap.at.saturating_add(t));
                match self.may_charge(lane, super::effect::charge_of(&call.request)) {
                    Ok(()) => self.make(lane, call),
                    Err(refused) => self.fail(lane, refused, Changes::default()),
                }
            }
            Value::Str(word) if word == "fail" => {
                let message = "a person says that the call failed";
                let error = fault::error(self.graph(lane), "tool_failed", message, Value::Null, call.attempt);
                self.fail(lane, Exit::Error(error), Changes::default());
            }
            Value::Map(map) => match map.get("result") {
                Some(result) => self.finish(lane, result.clone()),
                None => self.ask_again(ask.clone(), answer),
            },
            _ => self.ask_again(ask.clone(), answer),
        }
    }

    /// Puts the same question once more, and says why.
    fn ask_again(&mut self, mut ask: Ask, answer: &Value) {
        let fits = check_answer(self.program, self.snap, &ask.id, answer);
        ask.misfit = fits.err().unwrap_or_default().into();
        self.out.push(Output::Ask(Box::new(ask)));
    }

    /// A person did not answer in time.
    pub(super) fn not_answered(&mut self, lane: u32) {
        let Phase::Asking(ask) = self.lane(lane).phase.clone() else { return };
        self.out.push(Output::Withdraw(ask.id));
        let exit = self.error(lane, "timeout", "nobody answered in time", Value::Null);
        self.fail(lane, exit, Changes::default());
    }

    fn asking(&self, id: &AskId) -> Option<u32> {
        let asks = |phase: &Phase| match phase {
            Phase::Asking(ask) | Phase::Paused { ask, .. } | Phase::Lost { ask, .. } => ask.id == *id,
            _ => false,
        };
        let place = self.snap.lanes.iter().position(|l| l.as_deref().is_some_and(|l| asks(&l.phase)))?;
        u32::try_from(place).ok()
    }
}

/// The step a person wants to go back to.
pub(super) fn rollback(answer: &Value) -> Option<u64> {
    let step = answer.as_map()?.get("rollback")?.as_int()?;
    u64::try_from(step).ok()
}
