//! People: questions, pauses, calls whose outcome nobody knows.

use super::answer::{AnswerMeaning, asking, meaning};
use super::call::{Call, Question, QuestionId, QuestionReason};
use super::event::{Changes, EventKind};
use super::fault;
use super::output::Output;
use super::snapshot::{NodeExit, Phase};
use super::step::Machine;
use crate::program::error::ErrorKind;
use crate::value::Value;

impl Machine<'_> {
    /// A person answered. An answer that does not fit is asked for again.
    pub(super) fn answered(&mut self, id: &QuestionId, answer: &Value) {
        let Some(lane) = asking(self.snap, id) else { return };
        if self.snap.done.is_some() {
            return;
        }
        let phase = self.lane(lane).phase.clone();
        let read = meaning(self.program, self.snap.step(), self.lane(lane), answer);
        self.record(lane, || EventKind::Answered { ask: id.clone(), answer: Box::new(answer.clone()) });
        match (phase, read) {
            (phase, Err(misfit)) => {
                // The same question once more, and why.
                let again = phase.ask().map(|ask| Question { misfit: misfit.into(), ..ask.clone() });
                self.out.extend(again.map(|ask| Output::Ask(Box::new(ask))));
            }
            (_, Ok(AnswerMeaning::Given(value) | AnswerMeaning::Happened(value))) => {
                self.finish(lane, &value);
            }
            (Phase::Paused { at, exit, .. }, Ok(AnswerMeaning::Resume)) => {
                self.lane_mut(lane).phase = Phase::Leave { at, exit };
            }
            (Phase::Paused { at, .. }, Ok(AnswerMeaning::Abort)) => {
                let exit =
                    self.error(lane, ErrorKind::Cancelled, "a person ended the run at a pause", Value::Null);
                self.fail_at(lane, at, exit, Changes::default());
            }
            (_, Ok(AnswerMeaning::Rollback(step))) => self.out.push(Output::Rollback { step }),
            (Phase::Lost { call, .. }, Ok(AnswerMeaning::Retry)) => self.retry_lost(lane, *call),
            (Phase::Lost { call, .. }, Ok(AnswerMeaning::Fail)) => {
                let message = "a person says that the call failed";
                let error =
                    fault::error(self.graph(lane), ErrorKind::ToolFailed, message, Value::Null, call.attempt);
                self.fail(lane, NodeExit::Error(error), Changes::default());
            }
            // A yes that is late is none, whoever comes first: it or the timer.
            (Phase::Approving { ask, .. }, Ok(AnswerMeaning::Approve(_)))
                if ask.deadline.is_some_and(|deadline| deadline <= self.snap.at) =>
            {
                self.not_approved(lane);
            }
            (Phase::Approving { ask, call }, Ok(AnswerMeaning::Approve(yes))) => {
                self.approved(lane, ask.id, *call, yes);
            }
            (Phase::Approving { call, .. }, Ok(AnswerMeaning::Deny)) => self.denied(lane, &call),
            _ => {}
        }
    }

    /// A person says that a call did not take place: it is made once more.
    fn retry_lost(&mut self, lane: u32, mut call: Call) {
        call.deadline = call.timeout.map(|t| self.snap.at.saturating_add(t));
        match self.may_charge(lane, super::effect::charge_of(&call.request)) {
            Ok(()) => self.make(lane, call),
            Err(refused) => self.fail(lane, refused, Changes::default()),
        }
    }

    /// The outcome of a call is not known and no edge says what then: a person is asked.
    pub(super) fn lost(&mut self, lane: u32, call: Box<Call>, error: &Value) {
        let node = self.lane(lane).frame.node;
        let id = QuestionId(self.name_call(lane, &format!("{}.lost", call.attempt)));
        let what = super::resolve::message(error);
        let text = ecow::eco_format!(
            "Nobody knows whether this call took place ({what}). Answer `retry` to make it again, `fail` to go on as if it had failed, or {{\"result\": …}} with its result."
        );
        let ask = Box::new(self.question(lane, node, id, QuestionReason::Unknown, text, None));
        self.lane_mut(lane).phase = Phase::Lost { ask: ask.clone(), call };
        self.put_question(lane, *ask);
    }

    /// A person did not answer in time.
    pub(super) fn not_answered(&mut self, lane: u32) {
        let Phase::Asking(ask) = self.lane(lane).phase.clone() else { return };
        self.out.push(Output::Withdraw(ask.id));
        let exit = self.error(lane, ErrorKind::Timeout, "nobody answered in time", Value::Null);
        self.fail(lane, exit, Changes::default());
    }
}
