//! A run in which every answer holds the marks of its source and of all that was asked with it.

use loopwright::check::FlowSource;
use loopwright::machine::{
    Call, Input, InputKind, Outcome, Output, Phase, Question, QuestionReason, Request, Snapshot, Start, Time,
    Usage, step,
};
use loopwright::model::Model;
use loopwright::model::expr::SlotKind;
use loopwright::model::types::{Kind, Type};
use loopwright::program::Program;
use loopwright::value::{List, Map, Value, json};
use rand::Rng;
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;

use super::listed::ListedFlows;
use super::marks::{marked, marks, marks_in};
use super::shadow::Shadow;
use crate::clean::awaited::awaited;
use crate::clean::values::ValueMaker;

/// Inputs after which a run is stopped.
const MAX_INPUTS: usize = 120;

/// The tools of the random graphs, and of those by hand.
const TOOLS: [&str; 14] = [
    "probe",
    "search",
    "pay",
    "web",
    "mail",
    "shell",
    "tip",
    "note",
    "refund",
    "post",
    "tell",
    "read_file",
    "list_files",
    "calculator",
];

const ERRORS: [&str; 5] = ["tool_failed", "unavailable", "denied", "timeout", "oops"];

/// One run, with its shadow.
pub(super) struct TaggedRun<'a> {
    program: &'a Program,
    model: &'a Model,
    shadow: Shadow<'a>,
    random: SmallRng,
    bad: f64,
    timer: Option<Time>,
    calls: Vec<Call>,
    asks: Vec<Question>,
}

impl<'a> TaggedRun<'a> {
    pub(super) fn new(
        program: &'a Program,
        model: &'a Model,
        listed: &'a mut ListedFlows,
        mut random: SmallRng,
    ) -> Self {
        let bad = [0.0, 0.1, 0.4][random.random_range(0..3)];
        let shadow = Shadow::new(program, model, listed);
        Self { program, model, shadow, random, bad, timer: None, calls: Vec::new(), asks: Vec::new() }
    }

    fn start(&mut self) -> Start {
        let types = &self.model.types;
        let mut input = Map::new();
        for slot in self.model.root().slots.iter().filter(|slot| slot.kind == SlotKind::Input) {
            let free = slot.init.is_some() || slot.ty.nullable || slot.ty.kind == Kind::Any;
            if !(free && self.random.random_bool(0.3)) {
                let number = self.shadow.bits.number(&FlowSource::Input(slot.name.value.clone()));
                let value = ValueMaker { types, random: &mut self.random }.of(&slot.ty, 3);
                input.insert(slot.name.value.clone(), marked(types, &slot.ty, value, &marks(1 << number)));
            }
        }
        let operator = self.shadow.bits.number(&FlowSource::Operator);
        let tool = |name: &str| {
            let mut map = Map::new();
            map.set("name", name);
            map.set("description", format!("A tool.{}", marks(1 << operator)).as_str());
            map.set("delivery", "idempotent");
            Value::Map(map)
        };
        let tools = List::from_iter(TOOLS.map(tool));
        Start { run: "r".into(), input, seed: 1, tools, ..Start::default() }
    }

    /// Runs to the end, or for as long as is worth it. The flow that is not listed, if there was one.
    pub(super) fn run(mut self) -> Option<String> {
        let mut snapshot = Snapshot::new();
        let start = self.start();
        let mut next = InputKind::Started(Box::new(start));
        for _ in 0..MAX_INPUTS {
            let at = match (&next, self.timer) {
                (InputKind::Time, Some(timer)) => timer.max(snapshot.at),
                _ => snapshot.at,
            };
            let mut out = Vec::new();
            step(self.program, &mut snapshot, Input { at, kind: next }, &mut out);
            for output in out {
                self.take(output);
            }
            if snapshot.done.is_some() || self.shadow.unlisted.is_some() {
                break;
            }
            next = self.next(&snapshot);
        }
        self.shadow.unlisted
    }

    fn take(&mut self, output: Output) {
        match output {
            Output::Record(event) => self.shadow.take(&event),
            Output::Call(call) => self.calls.push(*call),
            Output::Cancel(id) => self.calls.retain(|call| call.id != id),
            Output::Ask(ask) => {
                self.asks.retain(|own| own.id != ask.id);
                self.asks.push(*ask);
            }
            Output::Withdraw(id) => self.asks.retain(|own| own.id != id),
            Output::Wait(until) => self.timer = Some(until),
            Output::Rollback { .. } | Output::Done(_) => {}
        }
    }

    fn next(&mut self, snapshot: &Snapshot) -> InputKind {
        let waiting = self.calls.len() + self.asks.len();
        if waiting == 0 {
            return InputKind::Time;
        }
        let chosen = self.random.random_range(0..waiting);
        if chosen >= self.calls.len() {
            return self.person(snapshot, chosen - self.calls.len());
        }
        let call = self.calls.remove(chosen);
        InputKind::Resolved { call: call.id.clone(), outcome: self.outcome(snapshot, &call) }
    }

    /// The marks that a call is given: those in its request.
    fn passed_on(&mut self, call: &Call) -> String {
        let (source, text) = match &call.request {
            Request::Tool { tool, args, .. } => {
                (FlowSource::Tool(Some(tool.clone())), json::canonical(&Value::Map(args.clone())))
            }
            Request::Model { role, system, prompt, messages, .. } => {
                let messages = messages.iter().map(|list| json::canonical(&Value::List(list.clone())));
                let texts =
                    system.iter().map(ToString::to_string).chain([prompt.to_string()]).chain(messages);
                (FlowSource::Model(Some(role.clone())), texts.collect::<Vec<_>>().join("\n"))
            }
            _ => return String::new(),
        };
        marks(marks_in(&text) | 1 << self.shadow.bits.number(&source))
    }

    fn outcome(&mut self, snapshot: &Snapshot, call: &Call) -> Outcome {
        let marks = self.passed_on(call);
        if self.random.random_bool(self.bad) {
            let kind = *ERRORS.choose(&mut self.random).expect("there are some");
            return match self.random.random_range(0..6) {
                0 => Outcome::Unknown { message: format!("lost {marks}").as_str().into() },
                1 => Outcome::never_began(kind, format!("as planned {marks}").as_str()),
                _ => Outcome::failed(kind, format!("as planned {marks}").as_str()),
            };
        }
        let ty = awaited(
            self.model,
            self.program,
            snapshot,
            |phase| matches!(phase, Phase::Calling(own) if own.id == call.id),
        );
        let ty = ty.unwrap_or(Type::of(Kind::Any));
        let types = &self.model.types;
        let value = ValueMaker { types, random: &mut self.random }.of(&ty, 3);
        let narrowed = matches!(&call.request, Request::Model { limits: Some(_), .. });
        let value = if narrowed { value } else { marked(types, &ty, value, &marks) };
        let value = match (&call.request, value) {
            (Request::Model { offer: Some(offer), .. }, value) => {
                let offer = if self.random.random_bool(0.6) { offer.clone() } else { List::new() };
                reply(&value, &offer, &marks)
            }
            (Request::Model { schema, .. }, value) if !schema.is_null() => {
                Value::from(value.to_json().to_string().as_str())
            }
            (Request::Model { .. }, Value::Str(text)) => Value::Str(text),
            (Request::Model { .. }, _) => Value::from(format!("words{marks}").as_str()),
            (_, value) => value,
        };
        let usage = Usage { input_tokens: 10, output_tokens: 1, cost: 1, ..Usage::default() };
        Outcome::Answer { value, usage, attempts: Vec::new() }
    }

    fn person(&mut self, snapshot: &Snapshot, chosen: usize) -> InputKind {
        let ask = self.asks[chosen].clone();
        let ty = awaited(self.model, self.program, snapshot, |phase| {
            phase.ask().is_some_and(|own| own.id == ask.id)
        });
        let ty = ty.unwrap_or(Type::of(Kind::Any));
        let answer = match ask.reason {
            QuestionReason::Pause => Value::from("resume"),
            QuestionReason::Approval => ask.approving().unwrap_or_default(),
            QuestionReason::Unknown => Value::from("fail"),
            _ => {
                let number = self.shadow.bits.number(&FlowSource::Person);
                let types = &self.model.types;
                let value = ValueMaker { types, random: &mut self.random }.of(&ty, 3);
                marked(types, &ty, value, &marks(1 << number))
            }
        };
        // A misfit is asked for again.
        if loopwright::machine::check_answer(self.program, snapshot, &ask.id, &answer).is_ok() {
            self.asks.remove(chosen);
        }
        InputKind::Answered { ask: ask.id, answer }
    }
}

/// A reply that asks for a call of each tool that is offered; the answer alone where none is.
fn reply(answer: &Value, offer: &List, marks: &str) -> Value {
    let text = match answer {
        Value::Str(text) => text.to_string(),
        other => other.to_json().to_string(),
    };
    if offer.is_empty() {
        return Value::from(text.as_str());
    }
    let call = |(number, tool): (usize, &Value)| {
        let args = Map::from_iter([("text", Value::from(marks))]);
        let id = Value::from(format!("c{number}").as_str());
        Value::Map(Map::from_iter([("id", id), ("tool", tool.clone()), ("args", Value::Map(args))]))
    };
    let calls: List = offer.iter().enumerate().map(call).collect();
    Value::Map(Map::from_iter([("text", Value::from(marks)), ("tool_calls", Value::List(calls))]))
}
