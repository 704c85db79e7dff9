//! Events as JSON.

use serde_json::{Map, Value as Json, json};

use super::attempts::{attempt_json, usage_json};
use super::graph_of;
use super::names::GraphNames;
use super::time::timestamp;
use crate::machine::call::{Call, Outcome, Question, Request, Usage};
use crate::machine::event::{Changes, Done, Event, EventKind, Spend};
use crate::machine::input::Start;
use crate::program::Program;
use crate::value::Value;

/// The version of the form, under `v` of every object. A field is never renamed or given another meaning within one
/// version; new ones may come.
pub const REPORT_VERSION: u32 = 1;

/// An event as one JSON object.
///
/// Every object has `v`, `seq`, `at` (UTC), `frame`, `graph` (its id) and `type`; what else it has depends on the type.
/// The changes of a unit are in `writes`, `spends`, `emits` and `branches`, which are left out when empty.
/// `graph_of_frame` gives the number of a frame's graph.
#[must_use]
pub fn event_json(program: &Program, graph_of_frame: impl Fn(u32) -> u32, event: &Event) -> Json {
    let names = GraphNames::new(program, graph_of(event, graph_of_frame));
    let mut object = Object(Map::new());
    object.put("v", REPORT_VERSION);
    object.put("seq", event.seq);
    object.put("at", timestamp(event.at));
    object.put("frame", event.frame);
    object.put("graph", names.graph());
    object.put("type", event.kind.name());
    object.kind(names, &event.kind);
    Json::Object(object.0)
}

struct Object(Map<String, Json>);

impl Object {
    fn put(&mut self, key: &str, value: impl Into<Json>) {
        self.0.insert(key.to_owned(), value.into());
    }

    fn value(&mut self, key: &str, value: &Value) {
        self.put(key, value.to_json());
    }

    fn kind(&mut self, names: GraphNames<'_>, kind: &EventKind) {
        match kind {
            EventKind::Started { start, program } => self.started(start, program),
            EventKind::Opened { parent, lane, input, graph: _ } => {
                self.put("parent", *parent);
                self.put("lane", *lane);
                self.value("input", input);
            }
            EventKind::Crossed { node, changes } | EventKind::Completed { node, changes } => {
                self.put("node", names.node(*node));
                self.changes(names, changes);
            }
            EventKind::Entered { node, visit, changes } => {
                self.put("node", names.node(*node));
                self.put("visit", *visit);
                self.changes(names, changes);
            }
            EventKind::Failed { node, error, changes } => {
                self.put("node", names.node(*node));
                self.value("error", error);
                self.changes(names, changes);
            }
            EventKind::Took { edge, changes } => self.took(names, *edge, changes),
            EventKind::Charged(spend) => self.0.extend(spend_json(names, spend)),
            EventKind::Retrying { node, attempt, until } => {
                self.put("node", names.node(*node));
                self.put("attempt", *attempt);
                self.put("until", timestamp(*until));
            }
            EventKind::Waiting { node, until } => {
                self.put("node", names.node(*node));
                self.put("until", timestamp(*until));
            }
            EventKind::Closed { outcome, ok, output } => {
                self.put("outcome", outcome.as_str());
                self.put("ok", *ok);
                self.value("output", output);
            }
            EventKind::Done(done) => self.done(done),
            _ => self.exchange(kind),
        }
    }

    /// Events about calls and questions.
    fn exchange(&mut self, kind: &EventKind) {
        match kind {
            EventKind::Called(call) => self.called(call),
            EventKind::Resolved { call, outcome } | EventKind::Late { call, outcome } => {
                self.put("call", call.0.as_str());
                self.outcome(outcome);
            }
            EventKind::Abandoned { call } => self.put("call", call.0.as_str()),
            EventKind::Asked(ask) => self.asked(ask),
            EventKind::Answered { ask, answer } => {
                self.put("ask", ask.0.as_str());
                self.value("answer", answer);
            }
            _ => {}
        }
    }

    fn started(&mut self, start: &Start, program: &str) {
        self.put("run", start.run.as_str());
        self.put("program", program);
        self.value("input", &Value::Map(start.input.clone()));
        self.put("seed", start.seed);
        self.value("tools", &Value::List(start.tools.clone()));
        if let Some(interrupt) = &start.interrupt {
            let when = interrupt.when.as_ref().map(ToString::to_string);
            self.put("interrupt", json!({"when": when, "every": interrupt.every}));
        }
        if let Some(given) = &start.given {
            let at = given.at.as_ref().map(ToString::to_string);
            let (state, budgets) = (Value::Map(given.state.clone()), Value::Map(given.budgets.clone()));
            self.put("given", json!({"at": at, "state": state.to_json(), "budgets": budgets.to_json()}));
        }
    }

    fn took(&mut self, names: GraphNames<'_>, edge: u32, changes: &Changes) {
        let (from, to) = names.ends(edge);
        self.put("from", from);
        self.put("to", to);
        self.put("edge", edge);
        if let Some(label) = names.edge(edge).and_then(|edge| edge.label.as_ref()) {
            self.put("label", label.as_str());
        }
        self.changes(names, changes);
    }

    fn called(&mut self, call: &Call) {
        self.put("call", call.id.0.as_str());
        self.put("node", call.node.as_str());
        if !call.lane.is_empty() {
            self.put("lane", call.lane.as_str());
        }
        self.put("attempt", call.attempt);
        if let Some(deadline) = call.deadline {
            self.put("deadline", timestamp(deadline));
        }
        match &call.request {
            Request::Model { role, system, prompt, messages, offer, .. } => {
                self.put("role", role.as_str());
                if let Some(system) = system {
                    self.put("system", system.as_str());
                }
                match messages {
                    Some(messages) => self.value("messages", &Value::List(messages.clone())),
                    None => self.put("prompt", prompt.as_str()),
                }
                if let Some(offer) = offer {
                    self.value("offer", &Value::List(offer.clone()));
                }
            }
            Request::Tool { tool, args, delivery } => {
                self.put("tool", tool.as_str());
                self.value("args", &Value::Map(args.clone()));
                self.put("delivery", serde_json::to_value(delivery).unwrap_or_default());
            }
        }
    }

    fn outcome(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Answer { value, usage, .. } => {
                self.put("ok", true);
                self.value("result", value);
                self.usage(*usage);
            }
            Outcome::Failed { kind, message, details, usage, .. } => {
                self.put("ok", false);
                let mut error = Map::new();
                error.insert("kind".to_owned(), kind.as_str().into());
                error.insert("message".to_owned(), message.as_str().into());
                if !details.is_null() {
                    error.insert("details".to_owned(), details.to_json());
                }
                self.put("error", error);
                self.usage(*usage);
            }
            Outcome::Unknown { message } => {
                self.put("ok", false);
                self.put("error", json!({"kind": "unknown", "message": message.as_str()}));
            }
        }
        if !outcome.attempts().is_empty() {
            let attempts: Vec<_> = outcome.attempts().iter().map(attempt_json).collect();
            self.put("attempts", attempts);
        }
    }

    fn usage(&mut self, usage: Usage) {
        if usage == Usage::default() {
            return;
        }
        self.put("usage", usage_json(usage));
    }

    fn asked(&mut self, question: &Question) {
        // Each field is named, so that the compiler asks where a further one is printed.
        let Question { id, node, lane, reason, text, schema, misfit: _, deadline } = question;
        self.put("ask", id.0.as_str());
        self.put("node", node.as_str());
        if !lane.is_empty() {
            self.put("lane", lane.as_str());
        }
        self.put("reason", reason.name());
        self.put("text", text.as_str());
        self.value("schema", schema);
        if let Some(deadline) = *deadline {
            self.put("deadline", timestamp(deadline));
        }
    }

    fn done(&mut self, done: &Done) {
        self.put("outcome", done.outcome.as_str());
        self.put("ok", done.ok);
        self.value("output", &done.output);
        if !done.error.is_null() {
            self.value("error", &done.error);
        }
    }

    fn changes(&mut self, names: GraphNames<'_>, changes: &Changes) {
        let writes = changes.writes().map(|write| {
            let mut object = Map::new();
            object.insert("place".to_owned(), names.place(write).into());
            if write.append {
                object.insert("append".to_owned(), true.into());
            }
            object.insert("value".to_owned(), write.value.to_json());
            Json::Object(object)
        });
        self.some("writes", writes.collect());
        let spends = changes.spends().map(|spend| Json::Object(spend_json(names, spend)));
        self.some("spends", spends.collect());
        let emits = changes
            .emits()
            .map(|emit| json!({"name": emit.name.as_str(), "payload": emit.payload.to_json()}));
        self.some("emits", emits.collect());
        self.some("branches", changes.branches().map(Json::from).collect());
    }

    fn some(&mut self, key: &str, items: Vec<Json>) {
        if !items.is_empty() {
            self.put(key, items);
        }
    }
}

fn spend_json(names: GraphNames<'_>, spend: &Spend) -> Map<String, Json> {
    let mut object = Map::new();
    object.insert("budget".to_owned(), names.budget(spend.budget).into());
    if let Some(key) = &spend.key {
        object.insert("key".to_owned(), key.as_str().into());
    }
    object.insert("amount".to_owned(), spend.amount.into());
    object
}
