//! The inputs that are possible in a state.

use std::sync::Arc;

use super::alike::SentAnswers;
use super::answers::{are_written, written};
use super::space::{AnswerCache, State, StateSpace};
use super::still::BEGINNING;
use crate::machine::{
    Call, CallId, Input, InputKind, Lane, Outcome, Phase, Question, QuestionReason, Request, Start, Time,
    Usage,
};
use crate::model::node::NodeId;
use crate::value::{Map, Value};

/// Steps back that a person chooses among, the nearest first.
const MAX_STEPS_BACK: u64 = 16;

/// Some of the inputs that are possible in a state.
#[derive(Debug)]
pub(super) enum ChoiceGroup {
    /// Answers of one call at one cost.
    Answers(AnswerGroup),
    /// Single ones.
    Inputs(Vec<Input>),
}

/// Answers of one call at one cost.
#[derive(Debug)]
pub(super) struct AnswerGroup {
    /// The number of the lane that waits for it.
    pub(super) lane: u32,
    pub(super) call: CallId,
    pub(super) at: Time,
    pub(super) usage: Usage,
    pub(super) values: Arc<[Value]>,
    /// True if they are sent as JSON texts.
    pub(super) are_written: bool,
}

impl ChoiceGroup {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Answers(answers) => answers.values.len(),
            Self::Inputs(inputs) => inputs.len(),
        }
    }

    pub(super) fn input(&self, at: usize) -> Option<Input> {
        match self {
            Self::Answers(answers) => answers.values.get(at).map(|value| answers.input(value)),
            Self::Inputs(inputs) => inputs.get(at).cloned(),
        }
    }
}

impl AnswerGroup {
    /// The answers as they are sent.
    pub(super) const fn sent(&self) -> SentAnswers<'_> {
        SentAnswers { values: &self.values, are_written: self.are_written }
    }

    /// One of the answers as an input.
    pub(super) fn input(&self, value: &Value) -> Input {
        let value = if self.are_written { written(value) } else { value.clone() };
        let outcome = Outcome::answer(value).with_usage(self.usage);
        Input { at: self.at, kind: InputKind::Resolved { call: self.call.clone(), outcome } }
    }
}

impl StateSpace<'_> {
    /// The inputs that are possible in a state, always in the same order.
    #[must_use]
    pub fn choices(&self, state: &State, cache: &mut AnswerCache) -> Vec<Input> {
        let groups = self.choice_groups(state, cache);
        groups.iter().flat_map(|group| (0..group.len()).filter_map(|at| group.input(at))).collect()
    }

    /// The input of that number among the choices of a state.
    #[must_use]
    pub fn choice(&self, state: &State, number: u32, cache: &mut AnswerCache) -> Option<Input> {
        let mut at = number as usize;
        for group in self.choice_groups(state, cache) {
            if at < group.len() {
                return group.input(at);
            }
            at -= group.len();
        }
        None
    }

    /// The inputs that are possible in a state, in groups.
    pub(super) fn choice_groups(&self, state: &State, cache: &mut AnswerCache) -> Vec<ChoiceGroup> {
        let snapshot = &state.snapshot;
        let at = snapshot.at;
        if snapshot.program.is_empty() {
            let start =
                |start: &Start| Input { at: BEGINNING, kind: InputKind::Started(Box::new(start.clone())) };
            return vec![ChoiceGroup::Inputs(self.starts.iter().map(start).collect())];
        }
        let mut all = Vec::new();
        if snapshot.done.is_some() {
            return all;
        }
        for (number, lane) in (0..).zip(&snapshot.lanes) {
            let Some(lane) = lane.as_deref() else { continue };
            match &lane.phase {
                Phase::Calling(call) => self.outcomes(state, (number, lane), call, cache, &mut all),
                phase => {
                    let Some(ask) = phase.ask() else { continue };
                    let answers = self.answers_to(state, lane, ask, cache).into_iter();
                    let input = |answer| InputKind::Answered { ask: ask.id.clone(), answer };
                    let answers = answers.map(|answer| Input { at, kind: input(answer) });
                    all.push(ChoiceGroup::Inputs(answers.collect()));
                }
            }
        }
        let mut others = Vec::new();
        if let Some(timer) = snapshot.timer {
            others.push(Input { at: timer.max(at), kind: InputKind::Time });
        }
        if self.errors.answer_cancel() {
            others.push(Input { at, kind: InputKind::Cancel { reason: "ended from outside".into() } });
        }
        all.push(ChoiceGroup::Inputs(others));
        all
    }

    fn outcomes(
        &self,
        state: &State,
        (number, lane): (u32, &Lane),
        call: &Call,
        cache: &mut AnswerCache,
        all: &mut Vec<ChoiceGroup>,
    ) {
        let graph = &self.model.graphs[lane.frame.graph as usize];
        let node = NodeId::new(lane.frame.node as usize);
        let kind = &graph.graph[node].kind;
        let examples = self.examples.of_call(call);
        let is_example = !examples.is_empty();
        let values = if is_example { cache.given(examples) } else { self.values(state, lane, cache) };
        let usages: &[Usage] = match call.request {
            Request::Model { .. } => &self.usages,
            Request::Tool { .. } => &self.usages[..1],
        };
        let at = state.snapshot.at;
        all.extend(usages.iter().map(|usage| {
            let (call, values) = (call.id.clone(), Arc::clone(&values));
            let are_written = !is_example && are_written(kind);
            ChoiceGroup::Answers(AnswerGroup { lane: number, call, at, usage: *usage, values, are_written })
        }));
        let failed = self.errors.failures(call, graph, node).into_iter();
        let failed = failed.map(|outcome| InputKind::Resolved { call: call.id.clone(), outcome });
        all.push(ChoiceGroup::Inputs(failed.map(|kind| Input { at, kind }).collect()));
    }

    fn answers_to(&self, state: &State, lane: &Lane, ask: &Question, cache: &mut AnswerCache) -> Vec<Value> {
        match ask.reason {
            QuestionReason::Pause => {
                let mut all = vec![Value::from("resume"), Value::from("abort")];
                if self.rollbacks > 0 && state.snapshot.back.is_none() && lane.parent.is_none() {
                    let step = state.snapshot.step();
                    let back = (step.saturating_sub(MAX_STEPS_BACK)..step).rev();
                    let rollback = |to: u64| {
                        let to = Value::Int(i64::try_from(to).unwrap_or(i64::MAX));
                        Value::Map([("rollback", to)].into_iter().collect::<Map>())
                    };
                    all.extend(back.map(rollback));
                }
                all
            }
            QuestionReason::Approval => ask.approving().into_iter().chain([Value::from("deny")]).collect(),
            QuestionReason::Unknown => {
                let result =
                    |value: &Value| Value::Map([("result", value.clone())].into_iter().collect::<Map>());
                [Value::from("retry"), Value::from("fail")]
                    .into_iter()
                    .chain(self.plainest(lane).map(result))
                    .collect()
            }
            _ => {
                let examples = self.examples.of_question(ask);
                if examples.is_empty() { self.values(state, lane, cache).to_vec() } else { examples }
            }
        }
    }
}
