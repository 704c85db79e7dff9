//! A script: the answers of a scripted world as they are given, one after the other.

mod encode;
mod lane;
mod missing_answer;
mod unfit_answer;

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

pub(crate) use self::encode::encoded;
use self::encode::text;
pub(super) use self::lane::same_lane;
pub use self::missing_answer::MissingAnswer;
use self::missing_answer::dry;
use self::unfit_answer::LastCall;
pub use self::unfit_answer::UnfitAnswer;
use super::bind::{BoundExpressions, NoValue};
use super::data::Data;
use super::file::{ScriptedAnswer, ScriptedAnswers, ScriptedReply};
use crate::diag::nearest_of_unsorted;
use crate::machine::{
    Call, CallId, CallProgress, Event, EventKind, Outcome, Phase, Question, QuestionId, Request, Snapshot,
};
use crate::source::{Span, Spanned};
use crate::value::{List, Str, Value};

/// Scripted models, tools and people. It follows a run by its events ([`Script::observe`]) and answers its calls
/// and questions.
///
/// An answer goes to the first call it fits: by role or tool, and by node and lane where it names them. Answers of
/// one role or tool are given in order of the text. The same answers go to the same calls when a run is taken up
/// again and its recorded events are shown to the script first.
#[derive(Debug, Clone, Default)]
pub struct Script {
    answers: ScriptedAnswers,
    bound: Arc<BoundExpressions>,
    used: Used,
    /// Calls in progress and which answer is theirs.
    assigned: FxHashMap<CallId, Option<usize>>,
    /// Calls of tools in progress, by the lane that made them.
    tools: FxHashMap<CallId, Str>,
    /// Questions that were asked.
    asked: FxHashMap<QuestionId, Question>,
    /// Questions this script has answered and whose answers were not recorded yet.
    announced: FxHashSet<QuestionId>,
    /// The result of the last tool of each lane.
    results: FxHashMap<Str, Value>,
    /// The last call of each frame.
    last: FxHashMap<u32, LastCall>,
    /// The answers that calls were given.
    given: FxHashMap<CallId, Span>,
    /// Answers that were refused.
    unfit: Vec<UnfitAnswer>,
    /// Answers that were asked for in vain.
    missing: Vec<MissingAnswer>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Used {
    models: FxHashSet<usize>,
    tools: FxHashSet<usize>,
    people: FxHashSet<usize>,
}

/// An answer that is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenAnswer<T> {
    /// The answer.
    pub answer: T,
    /// After how long, in nanoseconds.
    pub after: i64,
}

impl Script {
    /// A script from its answers and their compiled expressions.
    #[must_use]
    pub fn new(answers: ScriptedAnswers, bound: Arc<BoundExpressions>) -> Self {
        Self { answers, bound, ..Self::default() }
    }

    /// The tools it answers for, as a catalogue that knows their names alone. Calls that name no tool add nothing.
    #[must_use]
    pub fn catalogue(&self) -> List {
        let mut names: Vec<&Str> =
            self.answers.tools.iter().filter_map(|a| a.from.as_ref()).map(|n| &n.value).collect();
        names.sort_unstable();
        names.dedup();
        names.into_iter().map(|name| super::read::plain_tool(name.clone())).collect()
    }

    /// Answers of the scenario's own that nobody asked for.
    pub fn unused(&self) -> impl Iterator<Item = &ScriptedAnswer> {
        let left = |answers: &'_ [ScriptedAnswer], used: &FxHashSet<usize>| -> Vec<usize> {
            (0..answers.len()).filter(|i| !used.contains(i) && !answers[*i].shared).collect()
        };
        let models =
            left(&self.answers.models, &self.used.models).into_iter().map(|i| &self.answers.models[i]);
        let tools = left(&self.answers.tools, &self.used.tools).into_iter().map(|i| &self.answers.tools[i]);
        let people =
            left(&self.answers.people, &self.used.people).into_iter().map(|i| &self.answers.people[i]);
        models.chain(tools).chain(people)
    }

    /// Shows the script what was recorded, in order. To be done with every event before the answers that follow it.
    pub fn observe(&mut self, event: &Event) {
        let refused = self.last.get_mut(&event.frame).and_then(|last| last.next(&event.kind));
        let unfit = refused.and_then(|(call, why)| {
            let span = *self.given.get(&call)?;
            Some(UnfitAnswer { span, why: format!("the scripted answer does not fit its type: {why}") })
        });
        self.unfit.extend(unfit);
        self.note_call(event);
        match &event.kind {
            EventKind::Called(call) => {
                self.assign(call);
            }
            EventKind::Resolved { call, outcome } => {
                self.assigned.remove(call);
                if let (Some(lane), Outcome::Answer { value, .. }) = (self.tools.remove(call), &**outcome) {
                    self.results.insert(lane, value.clone());
                }
            }
            EventKind::Asked(ask) => {
                self.asked.insert(ask.id.clone(), (**ask).clone());
            }
            EventKind::Answered { ask, .. } => {
                // An answer that was given in an earlier life of the run counts as given.
                let question = self.asked.remove(ask);
                if !self.announced.remove(ask)
                    && let Some(question) = question
                {
                    self.person(&question);
                }
            }
            _ => {}
        }
    }

    /// Takes a call down without an answer: of that of a model, which is set aside only when the model is asked.
    pub fn note_call(&mut self, event: &Event) {
        if let EventKind::Called(call) = &event.kind {
            self.last.insert(event.frame, LastCall { call: call.id.clone(), is_value: false });
        }
    }

    /// Answers that were refused where they were to go, in order.
    #[must_use]
    pub fn unfit(&self) -> &[UnfitAnswer] {
        &self.unfit
    }

    /// Answers that were asked for in vain, in order.
    #[must_use]
    pub fn missing(&self) -> &[MissingAnswer] {
        &self.missing
    }

    /// Its knowledge of the run that it was shown, for another one that follows the run from here on.
    #[must_use]
    pub fn memory(&self) -> Json {
        let Self { used, assigned, tools, asked, announced, results, .. } = self;
        serde_json::to_value((used, assigned, tools, asked, announced, results)).unwrap_or_default()
    }

    /// Goes on from what another one knew; false if that is no such memory.
    pub fn recall(&mut self, memory: &Json) -> bool {
        let Ok((used, assigned, tools, asked, announced, results)) = Deserialize::deserialize(memory) else {
            return false;
        };
        *self = Self { used, assigned, tools, asked, announced, results, ..std::mem::take(self) };
        true
    }

    /// The outcome of a call of a model or a tool. The snapshot is the run after the step that made the call.
    ///
    /// # Errors
    /// There is no answer that fits, or it cannot be made.
    pub fn call(&mut self, snapshot: &Snapshot, call: &Call) -> Result<GivenAnswer<Outcome>, MissingAnswer> {
        let given = self.outcome(snapshot, call);
        self.missing.extend(given.as_ref().err().cloned());
        given
    }

    fn outcome(&mut self, snapshot: &Snapshot, call: &Call) -> Result<GivenAnswer<Outcome>, MissingAnswer> {
        let answers = if is_tool(call) { &self.answers.tools } else { &self.answers.models };
        let assigned = match self.assigned.get(&call.id) {
            Some(assigned) => *assigned,
            None => None,
        };
        let assigned = assigned.map(|i| answers[i].clone());
        let Some(answer) = assigned.or_else(|| self.assign(call)) else { return Err(self.dry(call)) };
        let fill = |data: &Data| {
            self.fill(data, snapshot, &call.node, &call.lane, |phase| is_calling(phase, &call.id))
        };
        let usage = answer.usage;
        let outcome = match &answer.reply {
            ScriptedReply::Value(data) => {
                Outcome::Answer { value: encoded(fill(data)?, &call.request), usage, attempts: Vec::new() }
            }
            ScriptedReply::Failed { kind, message, details, retry_after, never_began } => Outcome::Failed {
                kind: kind.value.clone(),
                message: text(fill(message)?),
                details: fill(details)?,
                usage,
                retry_after: *retry_after,
                progress: if *never_began { CallProgress::NeverBegan } else { CallProgress::Unsaid },
                attempts: Vec::new(),
            },
            ScriptedReply::Unknown(message) => Outcome::Unknown { message: text(fill(message)?) },
        };
        Ok(GivenAnswer { answer: outcome, after: answer.after })
    }

    /// The answer to a question; nothing where nobody answers.
    ///
    /// # Errors
    /// The answer cannot be made.
    pub fn ask(
        &mut self,
        snapshot: &Snapshot,
        ask: &Question,
    ) -> Result<Option<GivenAnswer<Value>>, MissingAnswer> {
        let Some(answer) = self.person(ask) else { return Ok(None) };
        self.announced.insert(ask.id.clone());
        let (ScriptedReply::Value(data) | ScriptedReply::Unknown(data)) = &answer.reply else {
            return Ok(None);
        };
        let value = self.fill(data, snapshot, &ask.node, &ask.lane, |phase| is_asking(phase, &ask.id))?;
        // Whoever writes a script has no hash at hand, and means the call that is asked about.
        let value = if value.is_str("approve") { ask.approving().unwrap_or(value) } else { value };
        Ok(Some(GivenAnswer { answer: value, after: answer.after }))
    }

    /// Sets an answer aside for a call.
    fn assign(&mut self, call: &Call) -> Option<ScriptedAnswer> {
        if let Some(Some(index)) = self.assigned.get(&call.id) {
            let answers = if is_tool(call) { &self.answers.tools } else { &self.answers.models };
            return Some(answers[*index].clone());
        }
        let (answers, used, name) = match &call.request {
            Request::Model { role, .. } => (&self.answers.models, &mut self.used.models, role),
            Request::Tool { tool, .. } => (&self.answers.tools, &mut self.used.tools, tool),
        };
        if is_tool(call) {
            self.tools.insert(call.id.clone(), call.lane.clone());
        }
        let found = first(answers, used, Some(name), &call.node, &call.lane);
        self.assigned.insert(call.id.clone(), found);
        if let Some(found) = found {
            self.given.insert(call.id.clone(), answers[found].span);
        }
        found.map(|i| answers[i].clone())
    }

    /// No answer is left for a call.
    fn dry(&self, call: &Call) -> MissingAnswer {
        let (answers, used, name) = match &call.request {
            Request::Model { role, .. } => (&self.answers.models, &self.used.models, role),
            Request::Tool { tool, .. } => (&self.answers.tools, &self.used.tools, tool),
        };
        let left = answers.iter().enumerate().filter(|(place, _)| !used.contains(place));
        let names: Vec<&Spanned<Str>> = left.filter_map(|(_, answer)| answer.from.as_ref()).collect();
        let near = nearest_of_unsorted(name, names.iter().map(|from| from.value.as_str()));
        let near = names.iter().find(|from| Some(from.value.as_str()) == near && from.value != *name);
        let of = |answer: &&ScriptedAnswer| answer.from.as_ref().is_none_or(|from| from.value == *name);
        let all = || self.answers.models.iter().chain(&self.answers.tools).chain(&self.answers.people);
        let last = answers.iter().rfind(of).or_else(|| all().last());
        dry(call, near.map(|from| (*from).clone()), last.map(|answer| answer.span))
    }

    fn person(&mut self, ask: &Question) -> Option<ScriptedAnswer> {
        let found = first(&self.answers.people, &mut self.used.people, None, &ask.node, &ask.lane);
        found.map(|i| self.answers.people[i].clone())
    }

    fn fill(
        &self,
        data: &Data,
        snapshot: &Snapshot,
        node: &Str,
        path: &Str,
        asks: impl Fn(&Phase) -> bool,
    ) -> Result<Value, MissingAnswer> {
        let lane = snapshot.lanes.iter().flatten().find(|lane| asks(&lane.phase)).map(|lane| &**lane);
        data.fill(&mut |expression| {
            let lane = lane.ok_or_else(|| NoValue {
                message: "its result is no longer needed".to_owned(),
                span: expression.span,
            })?;
            self.bound.value(expression, snapshot, lane, self.results.get(path).unwrap_or(&Value::Null))
        })
        .map_err(|fault| MissingAnswer::NoValue { node: node.clone(), fault })
    }
}

/// The first answer that is not used and fits; it is used from then on.
fn first(
    answers: &[ScriptedAnswer],
    used: &mut FxHashSet<usize>,
    from: Option<&Str>,
    node: &Str,
    lane: &Str,
) -> Option<usize> {
    let fits = |answer: &ScriptedAnswer| {
        let by = |wanted: &Option<Spanned<Str>>, found: &Str| {
            wanted.as_ref().is_none_or(|wanted| wanted.value == *found)
        };
        from.is_none_or(|from| by(&answer.from, from))
            && by(&answer.node, node)
            && answer.lane.as_ref().is_none_or(|wanted| same_lane(&wanted.value, lane))
    };
    let found = (0..answers.len()).find(|i| !used.contains(i) && fits(&answers[*i]))?;
    used.insert(found);
    Some(found)
}

fn is_tool(call: &Call) -> bool {
    matches!(call.request, Request::Tool { .. })
}

fn is_calling(phase: &Phase, id: &CallId) -> bool {
    matches!(phase, Phase::Calling(call) if call.id == *id)
}

fn is_asking(phase: &Phase, id: &QuestionId) -> bool {
    phase.ask().is_some_and(|ask| ask.id == *id)
}
