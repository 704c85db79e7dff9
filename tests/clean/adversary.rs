//! Runs of a clean graph in which everything outside answers what its types allow, and at times something else.

use std::collections::{BTreeSet, HashMap};
use std::fmt;

use loopwright::check::bound;
use loopwright::machine::{
    Beginning, Call, EventKind, Input, InputKind, NodeExit, Outcome, Output, Phase, Question, QuestionReason,
    Request, Snapshot, Start, Time, Usage, beginning,
};
use loopwright::model::Graph;
use loopwright::model::expr::{Block, SlotKind, StatementKind};
use loopwright::model::types::{Kind, Type};
use loopwright::program::error::ErrorKind;
use loopwright::value::{List, Map, Value};
use rand::Rng;
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;

use super::awaited::awaited;
use super::excused::{self, Doings};
use super::files::CleanGraph;
use super::values::{ValueMaker, misfit};
use crate::rebuilt::Machine;

/// Inputs after which a run is stopped.
const MAX_INPUTS: usize = 300;

const ERRORS: [&str; 9] = [
    "tool_failed",
    "unavailable",
    "rate_limited",
    "denied",
    "context_limit",
    "timeout",
    "oops",
    "later",
    "invalid_output",
];

/// A promise that a run broke.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Breach {
    /// An expression had no value, for a reason that no row of the table excuses.
    Evaluation(String),
    /// No edge fits.
    Stuck(String),
    /// A field holds what its type does not have.
    IllTyped(String),
    /// More was done than the bound says.
    PastBound(String),
    /// The run ended with an error that nobody answers.
    Unanswered(String),
    /// The program itself is at fault.
    Internal(String),
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Evaluation(why) => write!(f, "evaluation: {why}"),
            Self::Stuck(why) => write!(f, "stuck: {why}"),
            Self::IllTyped(why) => write!(f, "ill-typed: {why}"),
            Self::PastBound(why) => write!(f, "past the bound: {why}"),
            Self::Unanswered(why) => write!(f, "unanswered: {why}"),
            Self::Internal(why) => write!(f, "internal: {why}"),
        }
    }
}

impl Breach {
    /// The same fault of a smaller graph may have other words.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

/// The results of runs.
#[derive(Debug, Default, Clone)]
pub(super) struct RunTally {
    pub(super) runs: usize,
    pub(super) steps: usize,
    pub(super) ended: usize,
    pub(super) bounded: usize,
    pub(super) excused: std::collections::BTreeMap<&'static str, usize>,
}

impl RunTally {
    pub(super) fn add(&mut self, other: &Self) {
        self.runs += other.runs;
        self.steps += other.steps;
        self.ended += other.ended;
        self.bounded += other.bounded;
        for (row, times) in &other.excused {
            *self.excused.entry(row).or_default() += times;
        }
    }
}

/// The kinds that the `fail` statements of a graph name.
fn kinds_of(graph: &Graph) -> BTreeSet<String> {
    let nodes = graph.graph.node_weights().flat_map(|node| [&node.entry, &node.then]);
    let edges = graph.graph.edge_weights().map(|edge| &edge.action);
    let mut open: Vec<&Block> =
        nodes.chain(edges).chain(graph.actions.iter().map(|action| &action.body)).collect();
    let mut kinds = BTreeSet::new();
    while let Some(block) = open.pop() {
        for statement in &block.statements {
            match &statement.kind {
                StatementKind::Fail(kind, _) => {
                    kinds.insert(kind.to_string());
                }
                StatementKind::If(arms, otherwise) => {
                    open.extend(arms.iter().map(|(_, body)| body).chain(otherwise));
                }
                StatementKind::For(_, _, body) => open.push(body),
                _ => {}
            }
        }
    }
    kinds
}

/// One run.
pub(super) struct HostileRun<'a> {
    graph: &'a CleanGraph,
    doings: Doings,
    random: SmallRng,
    bad: f64,
    stubborn: f64,
    habits: HashMap<String, Option<&'static str>>,
    timer: Option<Time>,
    calls: Vec<Call>,
    asks: Vec<Question>,
    done: [u64; 3],
    /// An operator's order makes numbers of calls count no more.
    ordered: bool,
    aborted: bool,
    /// The node where an error that the table names was the last thing that happened: a second one there goes past its edges.
    excused_at: Option<u32>,
    /// An error that the table names ended a called graph: it goes on to the node that calls.
    goes_on: bool,
    /// Kinds that the graph's own `fail` statements name: it may end by them.
    declared: BTreeSet<String>,
    tally: &'a mut RunTally,
}

impl<'a> HostileRun<'a> {
    pub(super) fn new(
        graph: &'a CleanGraph,
        doings: Doings,
        mut random: SmallRng,
        tally: &'a mut RunTally,
    ) -> Self {
        let bad = [0.0, 0.1, 0.3, 0.7][random.random_range(0..4)];
        let stubborn = [0.0, 0.5, 0.9][random.random_range(0..3)];
        Self {
            graph,
            doings,
            random,
            bad,
            stubborn,
            habits: HashMap::new(),
            timer: None,
            calls: Vec::new(),
            asks: Vec::new(),
            done: [0; 3],
            ordered: false,
            aborted: false,
            excused_at: None,
            goes_on: false,
            declared: kinds_of(&graph.model().graphs[0]),
            tally,
        }
    }

    fn chance(&mut self, of: f64) -> bool {
        self.random.random_bool(of)
    }

    fn values(&mut self) -> ValueMaker<'_> {
        ValueMaker { types: &self.graph.model().types, random: &mut self.random }
    }

    fn start(&mut self) -> Start {
        let slots = &self.graph.model().root().slots;
        let mut input = Map::new();
        for slot in slots.iter().filter(|slot| slot.kind == SlotKind::Input) {
            let free = slot.init.is_some() || slot.ty.nullable || slot.ty.kind == Kind::Any;
            if !(free && self.chance(0.4)) {
                let value = self.values().of(&slot.ty, 3);
                input.insert(slot.name.value.clone(), value);
            }
        }
        let approved = self.chance(0.15);
        let tool = |(name, delivery): (&str, &str)| {
            let mut map = Map::new();
            map.set("name", name);
            map.set("description", "");
            map.set("delivery", delivery);
            if approved {
                map.set("approval", Value::Bool(true));
            }
            Value::Map(map)
        };
        let tools = [("probe", "pure"), ("search", "idempotent"), ("pay", "at_most_once")];
        let tools = List::from_iter(tools.map(tool));
        Start { run: "r".into(), input, seed: 1, tools, ..Start::default() }
    }

    /// Runs to the end, or for as long as is worth it.
    pub(super) fn run(mut self) -> Result<(), Breach> {
        let (mut snapshot, mut machine) = (Snapshot::new(), Machine::new());
        let start = self.start();
        let begins = beginning(&self.graph.program, &start.input).ok();
        let mut next = InputKind::Started(Box::new(start));
        self.tally.runs += 1;
        for step in 0..MAX_INPUTS {
            let at = match (&next, self.timer) {
                (InputKind::Time, Some(timer)) => timer.max(snapshot.at),
                _ => snapshot.at,
            };
            let mut out = Vec::new();
            machine.step(&self.graph.program, &mut snapshot, Input { at, kind: next }, &mut out);
            self.tally.steps += 1;
            let refused =
                step == 0 && snapshot.done.as_ref().is_some_and(|done| done.outcome == "invalid_args");
            for output in out {
                self.take(output, refused)?;
            }
            self.judge_state(&snapshot)?;
            if snapshot.done.is_some() {
                self.tally.ended += 1;
                break;
            }
            next = self.next(&snapshot);
        }
        self.judge_bound(begins.as_ref())
    }

    fn take(&mut self, output: Output, refused: bool) -> Result<(), Breach> {
        match output {
            Output::Record(event) => match event.kind {
                EventKind::Took { .. } => {
                    self.done[0] += 1;
                    self.excused_at = None;
                }
                EventKind::Called(call) => match call.request {
                    Request::Model { .. } => self.done[1] += 1,
                    _ => self.done[2] += 1,
                },
                EventKind::Failed { node, error, .. } => {
                    let goes_on = std::mem::take(&mut self.goes_on);
                    if self.judge_error(&error)? || goes_on {
                        self.excused_at = Some(node);
                    } else if self.excused_at != Some(node) {
                        self.excused_at = None;
                    }
                }
                EventKind::Closed { ok: false, output, .. } => {
                    self.goes_on = self.judge_error(&output)? || self.excused_at.is_some();
                }
                EventKind::Done(done) if !done.error.is_null() && !refused => {
                    let _ = self.judge_error(&done.error)?;
                    self.judge_end(&done.error)?;
                }
                _ => {}
            },
            Output::Call(call) => self.calls.push(*call),
            Output::Cancel(id) => self.calls.retain(|call| call.id != id),
            Output::Ask(ask) => {
                self.asks.retain(|own| own.id != ask.id);
                self.asks.push(*ask);
            }
            Output::Withdraw(id) => self.asks.retain(|ask| ask.id != id),
            Output::Wait(until) => self.timer = Some(until),
            Output::Rollback { .. } | Output::Done(_) => {}
        }
        Ok(())
    }

    /// True if the table excuses an error.
    fn judge_error(&mut self, error: &Value) -> Result<bool, Breach> {
        let text = |field: &str| {
            error.as_map().and_then(|map| map.get(field)?.as_str()).unwrap_or_default().to_owned()
        };
        let (kind, message) = (text("kind"), text("message"));
        match ErrorKind::named(&kind) {
            Some(ErrorKind::Stuck) => Err(Breach::Stuck(message)),
            Some(ErrorKind::Internal) => Err(Breach::Internal(message)),
            Some(ErrorKind::Evaluation | ErrorKind::TooLarge) => {
                match excused::row(&kind, &message, self.doings) {
                    Some(row) => {
                        *self.tally.excused.entry(row).or_default() += 1;
                        Ok(true)
                    }
                    None => Err(Breach::Evaluation(message)),
                }
            }
            _ => Ok(false),
        }
    }

    /// An error that ends the run: the table excuses it, or somebody wanted it.
    fn judge_end(&self, error: &Value) -> Result<(), Breach> {
        let text = |field: &str| {
            error.as_map().and_then(|map| map.get(field)?.as_str()).unwrap_or_default().to_owned()
        };
        let (kind, message) = (text("kind"), text("message"));
        // Calls that a person orders anew are charged as well.
        let recharged = self.ordered && ErrorKind::BudgetExhausted.is(&kind);
        let wanted = self.aborted
            || recharged
            || self.declared.contains(&kind)
            || self.excused_at.is_some()
            || excused::row(&kind, &message, self.doings).is_some();
        if wanted || !self.doings.answered {
            Ok(())
        } else {
            Err(Breach::Unanswered(format!("{kind}: {message}")))
        }
    }

    /// Every field of every lane holds a value of its declared type.
    fn judge_state(&self, snapshot: &Snapshot) -> Result<(), Breach> {
        let model = self.graph.model();
        for lane in snapshot.lanes.iter().flatten() {
            let graph = &model.graphs[lane.frame.graph as usize];
            let code = &self.graph.program.graphs[lane.frame.graph as usize];
            // A graph that was refused at its start has no state.
            let leaves = matches!(&lane.phase, Phase::Leave { exit: NodeExit::Error(_), .. });
            if lane.frame.visits.iter().all(|visits| *visits == 0) || leaves {
                continue;
            }
            let at = &code.nodes[lane.frame.node as usize];
            for ((slot, own), value) in graph.slots.iter().zip(&code.slots).zip(&lane.frame.slots) {
                let active =
                    own.scope.is_none_or(|scope| at.chain.contains(&scope) || scope == lane.frame.node);
                // A composite that could not begin is left at once; no edge of it reads what has no value.
                let unready = own.scope == Some(lane.frame.node) && value.is_null();
                if !active || unready {
                    continue;
                }
                if let Some(why) = misfit(&model.types, &slot.ty, value) {
                    return Err(Breach::IllTyped(format!(
                        "{} of {}: {why}",
                        slot.name.value, graph.id.value
                    )));
                }
            }
        }
        Ok(())
    }

    /// Holds the run against the bound of every run, and against that of runs with its inputs.
    fn judge_bound(&mut self, begins: Option<&Beginning>) -> Result<(), Breach> {
        let stated = self.graph.checked.bound.as_ref();
        let own = begins.and_then(|begins| bound(self.graph.model(), begins));
        for (i, done) in self.done.into_iter().enumerate() {
            let numbers =
                [stated, own.as_ref()].map(|bound| bound.and_then(|bound| bound.amounts()[i].1.number));
            let Some(most) = numbers.into_iter().flatten().min() else { continue };
            self.tally.bounded += 1;
            if done > most && !(self.ordered && i > 0) {
                let what = ["transitions", "model calls", "tool calls"][i];
                return Err(Breach::PastBound(format!("{done} {what} of at most {most}")));
            }
        }
        Ok(())
    }

    fn next(&mut self, snapshot: &Snapshot) -> InputKind {
        if self.chance(0.004) {
            self.aborted = true;
            let reason = "enough".into();
            return if self.chance(0.5) { InputKind::Cancel { reason } } else { InputKind::End { reason } };
        }
        let waiting = self.calls.len() + self.asks.len();
        if waiting == 0 || self.timer.is_some() && self.chance(0.1) {
            return InputKind::Time;
        }
        let chosen = self.random.random_range(0..waiting);
        if chosen >= self.calls.len() {
            return self.person(snapshot, chosen - self.calls.len());
        }
        let call = self.calls.remove(chosen);
        InputKind::Resolved { call: call.id.clone(), outcome: self.outcome(snapshot, &call) }
    }

    fn outcome(&mut self, snapshot: &Snapshot, call: &Call) -> Outcome {
        let habit = self.habits.get(call.node.as_str()).copied();
        let failure = match habit {
            Some(habit) if self.random.random_bool(self.stubborn) => habit,
            _ => self
                .random
                .random_bool(self.bad)
                .then(|| *ERRORS.choose(&mut self.random).expect("there are some")),
        };
        self.habits.insert(call.node.to_string(), failure);
        let usage = match self.random.random_range(0..4) {
            0 => Usage { input_tokens: 1000, output_tokens: 1, cost: 1, ..Usage::default() },
            1 => {
                Usage { input_tokens: u64::MAX, output_tokens: u64::MAX, cost: u64::MAX, ..Usage::default() }
            }
            _ => Usage::default(),
        };
        if let Some(kind) = failure {
            return match self.random.random_range(0..6) {
                0 => Outcome::Unknown { message: "lost".into() },
                1 => Outcome::never_began(kind, "as planned"),
                _ => Outcome::failed(kind, "as planned"),
            };
        }
        let ty = awaited(
            self.graph.model(),
            &self.graph.program,
            snapshot,
            |phase| matches!(phase, Phase::Calling(own) if own.id == call.id),
        );
        let ty = ty.unwrap_or(Type::of(Kind::Any));
        let value = self.values().answer(&ty);
        let value = match &call.request {
            Request::Model { schema, .. } if self.chance(0.8) => self.within(schema, value),
            _ => value,
        };
        let value = match (&call.request, value) {
            (Request::Model { schema, .. }, value) if !schema.is_null() => {
                Value::from(value.to_json().to_string().as_str())
            }
            (Request::Model { .. }, Value::Str(text)) => Value::Str(text),
            (Request::Model { .. }, _) => Value::from("words"),
            (_, value) => value,
        };
        Outcome::Answer { value, usage, attempts: Vec::new() }
    }

    /// An answer within the limits of its request: where a field is one of some texts, it has one of them.
    fn within(&mut self, schema: &Value, answer: Value) -> Value {
        let Value::Map(mut answer) = answer else { return answer };
        let properties = schema.as_map().and_then(|schema| schema.get("properties")?.as_map());
        for (name, property) in properties.into_iter().flatten() {
            if let Some(Value::List(members)) = property.as_map().and_then(|property| property.get("enum")) {
                let members: Vec<Value> = members.iter().cloned().collect();
                let chosen = members.choose(&mut self.random).cloned().unwrap_or_default();
                answer.set(name.clone(), chosen);
            }
        }
        Value::Map(answer)
    }

    fn person(&mut self, snapshot: &Snapshot, chosen: usize) -> InputKind {
        let ask = self.asks[chosen].clone();
        let ty = awaited(self.graph.model(), &self.graph.program, snapshot, |phase| {
            phase.ask().is_some_and(|own| own.id == ask.id)
        });
        let ty = ty.unwrap_or(Type::of(Kind::Any));
        let answer = match ask.reason {
            QuestionReason::Pause if self.chance(0.2) => {
                self.aborted = true;
                Value::from("abort")
            }
            QuestionReason::Pause => Value::from("resume"),
            QuestionReason::Approval if self.chance(0.3) => Value::from("deny"),
            QuestionReason::Approval => ask.approving().unwrap_or_default(),
            QuestionReason::Unknown => match self.random.random_range(0..4) {
                0 => {
                    self.ordered = true;
                    Value::from("retry")
                }
                1 => Value::from("fail"),
                _ if !self.doings.lost => Value::from("fail"),
                _ => {
                    let own = self.chance(0.6);
                    let mut values = self.values();
                    let result = if own { values.of(&ty, 3) } else { values.anything(2) };
                    Value::Map(Map::from_iter([("result", result)]))
                }
            },
            _ => self.values().answer(&ty),
        };
        // A misfit is asked for again.
        if loopwright::machine::check_answer(&self.graph.program, snapshot, &ask.id, &answer).is_ok() {
            self.asks.remove(chosen);
        }
        InputKind::Answered { ask: ask.id, answer }
    }
}
