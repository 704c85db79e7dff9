//! Runs in which everything outside is against them: answers, errors, silence, people.

use std::collections::HashMap;

use loopwright::machine::{
    Event, EventKind, Input, InputKind, MidwayStart, Outcome, Output, QuestionReason, Request, Snapshot,
    Start, Time,
};
use loopwright::program::Program;
use loopwright::value::{List, Map, Value};
use rand::Rng;
use rand::rngs::SmallRng;

use crate::rebuilt::Machine;

const ERRORS: &[&str] =
    &["tool_failed", "unavailable", "unavailable", "denied", "oops", "budget_exhausted", "cancelled"];

/// What a run did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Deeds {
    pub(super) transitions: u64,
    pub(super) model_calls: u64,
    pub(super) tool_calls: u64,
}

/// How a run went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Went {
    /// It came to an end.
    Ended(Deeds),
    /// It was stopped.
    Stopped(Deeds),
}

/// An adversary with habits: it mostly does at a node what it did there before.
#[derive(Debug)]
pub(super) struct Adversary<'r> {
    random: &'r mut SmallRng,
    /// What it did at each node.
    habits: HashMap<String, Deed>,
    /// How likely it keeps to that.
    stubborn: f64,
    /// How likely a call fails.
    bad: f64,
    /// The operator may end a run.
    cancels: bool,
}

#[derive(Debug, Clone, Copy)]
enum Deed {
    Answer(i64),
    Fail(&'static str),
    Unknown,
    Silence,
}

impl<'r> Adversary<'r> {
    pub(super) fn new(random: &'r mut SmallRng, cancels: bool) -> Self {
        let stubborn = [0.0, 0.5, 0.9, 1.0][random.random_range(0..4)];
        let bad = [0.0, 0.1, 0.5, 0.9][random.random_range(0..4)];
        Self { random, habits: HashMap::new(), stubborn, bad, cancels }
    }

    fn deed(&mut self, node: &str) -> Deed {
        if let Some(deed) = self.habits.get(node).copied()
            && self.random.random_bool(self.stubborn)
        {
            return deed;
        }
        let deed = if self.random.random_bool(self.bad) {
            match self.random.random_range(0..8) {
                0 => Deed::Unknown,
                1 => Deed::Silence,
                _ => Deed::Fail(ERRORS[self.random.random_range(0..ERRORS.len())]),
            }
        } else {
            Deed::Answer(self.random.random_range(0..3))
        };
        self.habits.insert(node.to_owned(), deed);
        deed
    }

    /// Runs a program until it ends or has taken `most` inputs.
    pub(super) fn run(&mut self, program: &Program, most: usize) -> Went {
        let (mut snapshot, mut world, mut next) = begin(None);
        let mut machine = Machine::new();
        for _ in 0..most {
            let mut out = Vec::new();
            let input = Input { at: world.at(&snapshot, &next), kind: next };
            machine.step(program, &mut snapshot, input, &mut out);
            for output in out {
                world.take(output);
            }
            if snapshot.done.is_some() {
                return Went::Ended(world.deeds);
            }
            next = self.input(&mut world);
        }
        Went::Stopped(world.deeds)
    }

    fn input(&mut self, world: &mut World) -> InputKind {
        if self.cancels && self.random.random_bool(0.01) {
            return InputKind::Cancel { reason: "enough".into() };
        }
        let waiting = world.calls.len() + world.asks.len();
        if waiting == 0 {
            return InputKind::Time;
        }
        let chosen = self.random.random_range(0..waiting);
        if chosen >= world.calls.len() {
            return self.answer(world, chosen - world.calls.len());
        }
        let (id, node, model) = world.calls[chosen].clone();
        let outcome = match self.deed(&node) {
            Deed::Answer(n) if model => Outcome::answer(n.to_string()),
            Deed::Answer(n) => Outcome::answer(n),
            Deed::Fail(kind) => Outcome::failed(kind, "as told"),
            Deed::Unknown => Outcome::Unknown { message: "as told".into() },
            Deed::Silence if world.timer.is_some() => return InputKind::Time,
            Deed::Silence => Outcome::answer("no number"),
        };
        world.calls.remove(chosen);
        InputKind::Resolved { call: id, outcome }
    }

    fn answer(&mut self, world: &mut World, chosen: usize) -> InputKind {
        let (ask, node, reason) = world.asks[chosen].clone();
        let number = match self.deed(&format!("{node}?")) {
            Deed::Answer(n) => n,
            Deed::Silence | Deed::Fail(_) if world.timer.is_some() => return InputKind::Time,
            _ => 0,
        };
        world.asks.remove(chosen);
        // A lost call is never made again here: that is an order of a person, and has no bound.
        let answer = match (reason, number) {
            (QuestionReason::Node, n) => Value::Int(n),
            (QuestionReason::Pause, 2) => Value::from("abort"),
            (QuestionReason::Pause, _) => Value::from("resume"),
            (QuestionReason::Approval, _) => Value::from("deny"),
            (QuestionReason::Unknown, 0) => Value::from("fail"),
            (QuestionReason::Unknown, n) => Value::Map([("result", Value::Int(n))].into_iter().collect()),
            (other, _) => panic!("{other:?} is asked"),
        };
        InputKind::Answered { ask, answer }
    }
}

/// A run before its first input, and that input.
pub(super) fn begin(given: Option<MidwayStart>) -> (Snapshot, World, InputKind) {
    let tool: Map = [("name", Value::from("probe"))].into_iter().collect();
    let start =
        Start { run: "r".into(), tools: List::from_iter([Value::Map(tool)]), given, ..Start::default() };
    (Snapshot::new(), World::default(), InputKind::Started(Box::new(start)))
}

/// What is waited for, and what was done.
#[derive(Debug, Clone, Default)]
pub(super) struct World {
    pub(super) deeds: Deeds,
    timer: Option<Time>,
    calls: Vec<(loopwright::machine::CallId, String, bool)>,
    asks: Vec<(loopwright::machine::QuestionId, String, QuestionReason)>,
}

impl World {
    pub(super) fn at(&self, snapshot: &Snapshot, next: &InputKind) -> Time {
        match (next, self.timer) {
            (InputKind::Time, Some(timer)) => timer.max(snapshot.at),
            _ => snapshot.at,
        }
    }

    pub(super) fn take(&mut self, output: Output) {
        match output {
            Output::Record(Event { kind, .. }) => match kind {
                EventKind::Took { .. } => self.deeds.transitions += 1,
                EventKind::Called(call) => match call.request {
                    Request::Model { .. } => self.deeds.model_calls += 1,
                    _ => self.deeds.tool_calls += 1,
                },
                _ => {}
            },
            Output::Call(call) => {
                let model = matches!(call.request, Request::Model { .. });
                self.calls.push((call.id, call.node.to_string(), model));
            }
            Output::Cancel(id) => self.calls.retain(|(own, ..)| *own != id),
            Output::Ask(ask) => {
                self.asks.retain(|(own, ..)| *own != ask.id);
                self.asks.push((ask.id, ask.node.to_string(), ask.reason));
            }
            Output::Withdraw(id) => self.asks.retain(|(own, ..)| *own != id),
            Output::Wait(until) => self.timer = Some(until),
            Output::Rollback { .. } | Output::Done(_) => {}
        }
    }
}

impl World {
    /// All that can happen next, to what has waited longest.
    pub(super) fn options(&self) -> Vec<InputKind> {
        let mut options = Vec::new();
        if let Some((id, _, model)) = self.calls.first() {
            for n in 0..3_i64 {
                let answer = if *model { Outcome::answer(n.to_string()) } else { Outcome::answer(n) };
                options.push(answer);
            }
            let errors = ["tool_failed", "unavailable", "denied", "oops", "budget_exhausted", "cancelled"];
            options.extend(errors.map(|kind| Outcome::failed(kind, "as told")));
            options.push(Outcome::Unknown { message: "as told".into() });
            let resolved = |outcome| InputKind::Resolved { call: id.clone(), outcome };
            let mut inputs: Vec<InputKind> = options.into_iter().map(resolved).collect();
            inputs.push(InputKind::Time);
            return inputs;
        }
        let Some((ask, _, reason)) = self.asks.first() else { return vec![InputKind::Time] };
        let result = |n| Value::Map([("result", Value::Int(n))].into_iter().collect());
        let answers = match reason {
            QuestionReason::Node => vec![Value::Int(0), Value::Int(1), Value::Int(2)],
            // The pauses are there to be watched: the graph itself has none.
            QuestionReason::Pause => vec![Value::from("resume")],
            QuestionReason::Approval => vec![Value::from("deny")],
            QuestionReason::Unknown => vec![Value::from("fail"), result(0), result(1), result(2)],
            other => panic!("{other:?} is asked"),
        };
        let answered = |answer| InputKind::Answered { ask: ask.clone(), answer };
        answers.into_iter().map(answered).chain([InputKind::Time]).collect()
    }

    /// The input was taken.
    pub(super) fn given(&mut self, input: &InputKind) {
        match input {
            InputKind::Resolved { call, .. } => self.calls.retain(|(own, ..)| own != call),
            InputKind::Answered { ask, .. } => self.asks.retain(|(own, ..)| own != ask),
            _ => {}
        }
    }
}
