//! A search with all values of tiny types, in which no two states are held for one.
//!
//! It knows nothing of uses: every answer of a type and every failure is tried, a state is everything that a snapshot is, and the program
//! is the whole one.

use std::collections::{BTreeSet, VecDeque};

use loopwright::explore::{AnswerCache, State, StateSpace, TakenInput};
use loopwright::machine::{
    EventCursor, EventKind, Input, InputKind, Outcome, Output, Phase, QuestionReason, step_judged,
};
use loopwright::model::Model;
use loopwright::model::node::NodeKind;
use loopwright::model::types::{Kind, Type};
use loopwright::value::{List, Map, Value};

/// The texts that are tried: all of at most two of these letters.
const LETTERS: [&str; 2] = ["a", "b"];

/// The kinds of error that calls of tools and of models fail with, one of them a kind that no graph names, and those that only calls
/// of either do.
const FAILURES: [&str; 5] = ["unavailable", "rate_limited", "denied", "timeout", "other_error"];
const TOOL_FAILURE: &str = "tool_failed";
const MODEL_FAILURE: &str = "context_limit";

/// The calls of a run that a person orders to be made again: there is no end of them, and what a further one comes to is known.
const MAX_ORDERS: usize = 2;

/// What runs come to.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Reached {
    /// Nodes and edges, by graph and number.
    pub(super) nodes: BTreeSet<(u32, u32)>,
    pub(super) edges: BTreeSet<(u32, u32)>,
    /// Outcomes, with success.
    pub(super) outcomes: BTreeSet<(String, bool)>,
    /// Broken properties, by graph and number.
    pub(super) broken: BTreeSet<(u32, u32)>,
}

/// What a search came to.
pub(super) struct Searched {
    pub(super) reached: Reached,
    pub(super) states: usize,
}

/// All values of a type. Numbers need bounds, lists a greatest length.
fn values(model: &Model, ty: &Type) -> Vec<Value> {
    let mut all = match &ty.kind {
        Kind::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Kind::Int(Some((low, high))) => (*low..=*high).map(Value::Int).collect(),
        Kind::Enum(members) => members.members.iter().cloned().map(Value::Str).collect(),
        Kind::String(_) => {
            let one = LETTERS.map(str::to_owned);
            let two = LETTERS.iter().flat_map(|a| LETTERS.map(|b| format!("{a}{b}")));
            let texts = std::iter::once(String::new()).chain(one).chain(two);
            texts.map(|text| Value::from(text.as_str())).collect()
        }
        Kind::List(item, Some(most)) => {
            let items = values(model, item);
            let mut all: Vec<Vec<Value>> = vec![Vec::new()];
            let mut last = all.clone();
            for _ in 0..*most {
                let longer = |list: &Vec<Value>| {
                    let shorter = list.clone();
                    items.iter().map(move |item| shorter.iter().cloned().chain([item.clone()]).collect())
                };
                last = last.iter().flat_map(longer).collect();
                all.extend(last.iter().cloned());
            }
            all.into_iter().map(|list| Value::List(List::from_iter(list))).collect()
        }
        Kind::Record(id) => {
            let mut all = vec![Map::new()];
            for field in &*model.types.record(*id).fields {
                let own = values(model, &field.ty);
                let with = |map: Map| {
                    own.iter().map(move |value| {
                        let mut map = map.clone();
                        map.insert(field.name.clone(), value.clone());
                        map
                    })
                };
                all = all.into_iter().flat_map(with).collect();
            }
            all.into_iter().map(Value::Map).collect()
        }
        // Two that are equal, and one that is neither.
        Kind::Any => vec![Value::Int(0), Value::from(0.0), Value::from("a")],
        other => panic!("{other:?} is no tiny type"),
    };
    if ty.nullable {
        all.push(Value::Null);
    }
    all
}

/// The inputs in a state: those of the space, with all values in place of those that it tries.
fn inputs(space: &StateSpace<'_>, state: &State) -> Vec<Input> {
    let is_value = |input: &Input| match &input.kind {
        InputKind::Resolved { outcome: Outcome::Answer { .. } | Outcome::Failed { .. }, .. } => true,
        InputKind::Answered { ask, .. } => {
            let question = state.snapshot.asks().find(|own| own.id == *ask);
            question.is_some_and(|own| own.reason == QuestionReason::Node)
        }
        _ => false,
    };
    let mut all = space.choices(state, &mut AnswerCache::default());
    all.retain(|input| !is_value(input));
    let at = state.snapshot.at;
    for lane in state.snapshot.lanes.iter().flatten() {
        let graph = &space.model.graphs[lane.frame.graph as usize];
        let node = graph.graph.node_weights().nth(lane.frame.node as usize).expect("the node is there");
        match (&lane.phase, &node.kind) {
            (Phase::Calling(call), kind) => {
                let (ty, is_text) = match kind {
                    NodeKind::Tool(own) => {
                        (own.into.as_ref().expect("its result goes somewhere").ty.clone(), false)
                    }
                    NodeKind::Model(own) => (own.output.clone(), true),
                    _ => panic!("only tools and models are called"),
                };
                let sent = |value: Value| {
                    let value =
                        if is_text { Value::from(value.to_json().to_string().as_str()) } else { value };
                    InputKind::Resolved { call: call.id.clone(), outcome: Outcome::answer(value) }
                };
                all.extend(values(space.model, &ty).into_iter().map(|value| Input { at, kind: sent(value) }));
                // Models fail with no kind that graphs declare.
                let declared = graph.errors.iter().map(|(kind, _)| kind.value.as_str()).filter(|_| !is_text);
                let own = if is_text { MODEL_FAILURE } else { TOOL_FAILURE };
                all.extend(FAILURES.into_iter().chain([own]).chain(declared).map(|kind| {
                    let outcome = Outcome::failed(kind, "");
                    Input { at, kind: InputKind::Resolved { call: call.id.clone(), outcome } }
                }));
                // One that does not fit.
                let misfit = match ty.kind {
                    Kind::Any => continue,
                    Kind::String(_) => Outcome::answer(0),
                    _ => Outcome::answer(Value::from("no answer of the type")),
                };
                all.push(Input { at, kind: InputKind::Resolved { call: call.id.clone(), outcome: misfit } });
            }
            (Phase::Asking(ask), NodeKind::Human(own)) => {
                let answer = |value| InputKind::Answered { ask: ask.id.clone(), answer: value };
                let answers = values(space.model, &own.answer).into_iter();
                all.extend(answers.map(|value| Input { at, kind: answer(value) }));
            }
            _ => {}
        }
    }
    all
}

impl Searched {
    /// What all runs of a graph come to. None if there are more states than so many.
    pub(super) fn all(space: &StateSpace<'_>, max_states: usize) -> Option<Self> {
        let mut reached = Reached::default();
        let mut seen = std::collections::HashSet::new();
        let mut open = VecDeque::from([(State::default(), 0)]);
        while let Some((state, orders)) = open.pop_front() {
            for input in inputs(space, &state) {
                let orders = orders + usize::from(is_order(&state, &input));
                if orders > MAX_ORDERS {
                    continue;
                }
                let cursor = EventCursor::at(&state.snapshot);
                let taken = take(space, &state, input);
                reached.add(space, &taken, cursor);
                if taken.state.snapshot.done.is_some() {
                    continue;
                }
                // Values that are equal are not one: they are compared as they are stored.
                let stored = serde_json::to_vec(&taken.state.snapshot).expect("a snapshot can be stored");
                if seen.insert((stored, taken.state.judge.clone(), orders)) {
                    open.push_back((taken.state, orders));
                }
            }
            if seen.len() > max_states {
                return None;
            }
        }
        Some(Self { reached, states: seen.len() })
    }
}

impl Reached {
    fn add(&mut self, space: &StateSpace<'_>, taken: &TakenInput, mut cursor: EventCursor) {
        for event in &taken.events {
            let place = cursor.next(space.program, event);
            self.nodes.extend(place.enters.map(|node| (place.graph, node)));
            if let EventKind::Took { edge, .. } = &event.kind {
                self.edges.insert((place.graph, *edge));
            }
        }
        self.broken.extend(taken.violations.iter().map(|own| (own.graph, own.property)));
        if let Some(done) = &taken.state.snapshot.done {
            self.outcomes.insert((outcome(space.model, &done.outcome), done.ok));
        }
    }
}

/// An outcome as both searches tell it: that a failure which nothing answers is one of them, and not of which kind.
pub(super) fn outcome(model: &Model, outcome: &str) -> String {
    let declared = model.graphs.iter().flat_map(|graph| &graph.errors).map(|(kind, _)| kind.value.as_str());
    let mut failures = FAILURES.into_iter().chain([TOOL_FAILURE, MODEL_FAILURE]).chain(declared);
    let is_failure = failures.any(|kind| kind == outcome);
    if is_failure { "(a failure)".to_owned() } else { outcome.to_owned() }
}

/// Takes an input as a run of the graph does.
fn take(space: &StateSpace<'_>, state: &State, input: Input) -> TakenInput {
    let (mut state, mut out) = (state.clone(), Vec::new());
    step_judged(space.program, &mut state.snapshot, input, &mut out, &mut Vec::new(), &mut state.judge);
    let events = out.into_iter().filter_map(|output| match output {
        Output::Record(event) => Some(event),
        Output::Rollback { .. } => panic!("no run goes back"),
        _ => None,
    });
    let violations = state.judge.take_violations();
    TakenInput { events: events.collect(), violations, state }
}

/// True for an answer by which a person orders that a call is made again.
fn is_order(state: &State, input: &Input) -> bool {
    let InputKind::Answered { ask, answer } = &input.kind else { return false };
    let question = state.snapshot.asks().find(|own| own.id == *ask);
    question.is_some_and(|own| own.reason == QuestionReason::Unknown) && answer.is_str("retry")
}
