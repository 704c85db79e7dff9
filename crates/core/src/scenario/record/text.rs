//! The text of a recorded scenario and of its script.
//!
//! `serde_yaml` does not write it. It has no mappings and lists on one line, so that a path of sixty nodes takes sixty lines
//! and a call six. It leaves characters that hide or turn a text (U+202E, U+200B) as they are, which an answer from outside
//! must not bring into a file that people read. And it leaves `yes`, `on`, `12:30` and `2026-01-01` without quotes, which
//! other programs read as something else than a text.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::answers::{Asked, RecordedAnswer, RecordedReply};
use super::expect::Expected;
use super::inherited::InheritedDefaults;
use crate::machine::Start;
use crate::program::Program;
use crate::program::graph::LinkedNodeKind;
use crate::scenario::play::with_named_tools;
use crate::scenario::read::plain_tool;
use crate::source::display;
use crate::syntax::{yaml_block, yaml_text};
use crate::value::{List, Map, Str, Value, duration, usd};

/// A recorded scenario, before it is written.
#[derive(Clone, Copy)]
pub(super) struct RecordedScenario<'a> {
    pub(super) graph: &'a str,
    /// The name of the scenario.
    pub(super) name: &'a str,
    /// The comment above the file.
    pub(super) comments: &'a [String],
    pub(super) start: &'a Start,
    /// The defaults of its file.
    pub(super) inherited: &'a InheritedDefaults,
    /// True if the tools on offer are written, unless they are the usual ones.
    pub(super) has_catalogue: bool,
    pub(super) program: &'a Program,
    pub(super) recorded: &'a [RecordedAnswer],
    /// True if the times that answers took are written.
    pub(super) timed: bool,
    pub(super) expected: &'a Expected,
}

impl RecordedScenario<'_> {
    /// The scenario file.
    pub(super) fn file(&self) -> String {
        let mut page = Page::default();
        self.comments.iter().for_each(|comment| page.comment(comment));
        if !self.expected.left_out.is_empty() {
            page.comment(&left_out_comment(&self.expected.left_out));
        }
        page.0 += &opening(self.graph);
        page.0 += &self.item();
        page.0
    }

    /// The scenario alone, as an item of the list.
    pub(super) fn item(&self) -> String {
        let Self { inherited, recorded, expected, .. } = *self;
        let mut page = Page::default();
        page.line(1, &format!("- name: {}", yaml_text(self.name, false)));
        page.begin(self);
        page.answers(2, recorded, self.timed);
        let waits = expected.keys.iter().any(|(key, _)| *key == "waiting");
        if waits && inherited.has_people && recorded.iter().all(|answer| answer.from != Asked::Person) {
            page.line(2, "human: []");
        }
        match &expected.keys[..] {
            [] if expected.is_stated => page.line(2, "expect: {}"),
            [] => {}
            keys => {
                page.line(2, "expect:");
                for (key, value) in keys {
                    page.listed(3, key, value);
                }
            }
        }
        page.0
    }
}

/// The lines of a scenario file before its first scenario.
pub(super) fn opening(graph: &str) -> String {
    format!("graph: {}\nscenarios:\n", yaml_text(graph, false))
}

/// Words on the facts that are not expected.
pub(super) fn left_out_comment(left_out: &[String]) -> String {
    let list = left_out.join(", ");
    format!("Not expected, since it differs on a clock that starts at 0: {list}.")
}

/// A scenario file that says why there is no scenario in it.
pub(super) fn without(graph: &str, run: &str, lost: &[String]) -> String {
    let mut page = Page::default();
    page.comment(&format!("The run {run} cannot be written as a scenario:"));
    for why in lost {
        page.comment(&format!("- {why}"));
    }
    page.line(0, &format!("graph: {}", yaml_text(graph, false)));
    page.line(0, "scenarios: []");
    page.0
}

pub(super) fn script(run: &str, recorded: &[RecordedAnswer], timed: bool, lost: &[String]) -> String {
    let mut page = Page::default();
    page.comment(&format!("The answers of models, tools and people in the run {run}, for `run --script`."));
    if !lost.is_empty() {
        page.comment("A run with it may take another path:");
        for why in lost {
            page.comment(&format!("- {why}"));
        }
    }
    page.answers(0, recorded, timed);
    page.0
}

/// A text that grows by lines.
#[derive(Default)]
struct Page(String);

impl Page {
    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.0, "{:width$}{text}", "", width = depth * 2);
    }

    /// A comment on one line, with what hides or is obeyed written out.
    fn comment(&mut self, text: &str) {
        self.line(0, &format!("# {}", display::line(text)));
    }

    /// Writes the start of the run.
    fn begin(&mut self, scenario: &RecordedScenario<'_>) {
        let RecordedScenario { start, inherited, has_catalogue, program, recorded, .. } = *scenario;
        if !start.input.is_empty() {
            self.fields(2, "input", &start.input);
        }
        if let Some(given) = &start.given {
            self.line(2, "given:");
            if let Some(at) = &given.at {
                self.line(3, &format!("at: {}", yaml_text(at, false)));
            }
            self.fields(3, "state", &given.state);
            self.fields(3, "budgets", &given.budgets);
        }
        if start.seed != 0 || inherited.is_seeded {
            self.line(2, &format!("seed: {}", start.seed));
        }
        let calls = program.graphs.iter().flat_map(|graph| &graph.nodes);
        if !has_catalogue || usual_tools(inherited, program, recorded) == start.tools {
            return;
        }
        if !start.tools.is_empty() {
            self.line(2, "catalogue:");
            start.tools.iter().for_each(|tool| self.line(3, &format!("- {}", flow(&offered(tool)))));
        } else if inherited.catalogue.is_some()
            || !inherited.tools.is_empty()
            || calls.into_iter().any(|node| matches!(node.kind, LinkedNodeKind::Tool(_)))
        {
            self.line(2, "catalogue: []");
        }
    }

    /// A mapping, one entry a line.
    fn fields(&mut self, depth: usize, key: &str, map: &Map) {
        if map.is_empty() {
            return;
        }
        self.line(depth, &format!("{key}:"));
        for (name, value) in map {
            self.value(depth + 1, &yaml_text(name, false), value, Braces::AsTheyAre);
        }
    }

    /// A key of `expect`: lists of mappings and mappings one entry a line.
    fn listed(&mut self, depth: usize, key: &str, value: &Value) {
        match value {
            Value::Map(map) => self.fields(depth, key, map),
            Value::List(list) if list.iter().all(|item| matches!(item, Value::Map(_))) => {
                self.line(depth, &format!("{key}:"));
                list.iter().for_each(|item| self.line(depth + 1, &format!("- {}", flow(item))));
            }
            _ => self.value(depth, key, value, Braces::AsTheyAre),
        }
    }

    /// The answers, by who gave them.
    fn answers(&mut self, depth: usize, recorded: &[RecordedAnswer], timed: bool) {
        let mut roles: Vec<&Str> = Vec::new();
        for answer in recorded {
            if let Asked::Model(role) = &answer.from
                && !roles.contains(&role)
            {
                roles.push(role);
            }
        }
        if !roles.is_empty() {
            self.line(depth, "model:");
        }
        for role in roles {
            self.line(depth + 1, &format!("{}:", yaml_text(role, false)));
            let own = |answer: &&RecordedAnswer| matches!(&answer.from, Asked::Model(from) if from == role);
            recorded.iter().filter(own).for_each(|answer| self.answer(depth + 2, answer, timed));
        }
        let tools: Vec<_> = recorded.iter().filter(|answer| matches!(answer.from, Asked::Tool(_))).collect();
        let people: Vec<_> = recorded.iter().filter(|answer| answer.from == Asked::Person).collect();
        for (key, answers) in [("tools", tools), ("human", people)] {
            if !answers.is_empty() {
                self.line(depth, &format!("{key}:"));
                for answer in answers {
                    self.answer(depth + 1, answer, timed);
                }
            }
        }
    }

    fn answer(&mut self, depth: usize, recorded: &RecordedAnswer, timed: bool) {
        let mut item = Self::default();
        if let Asked::Tool(tool) = &recorded.from {
            item.line(depth + 1, &format!("tool: {}", yaml_text(tool, false)));
        }
        item.line(depth + 1, &format!("node: {}", yaml_text(&recorded.node, false)));
        let lane = recorded.lane.trim_end_matches('/');
        if !lane.is_empty() {
            item.line(depth + 1, &format!("lane: {}", yaml_text(lane, false)));
        }
        if recorded.after > 0 && (timed || matches!(recorded.reply, RecordedReply::Nothing)) {
            item.line(depth + 1, &format!("after: {}", duration::text(recorded.after)));
        }
        if matches!(recorded.from, Asked::Model(_)) && !recorded.usage.is_free() {
            let cost = usd::text(i64::try_from(recorded.usage.cost).unwrap_or(i64::MAX));
            let mut usage = String::new();
            for (kind, count) in recorded.usage.kinds() {
                let _ = write!(usage, "{kind}: {count}, ");
            }
            item.line(depth + 1, &format!("usage: {{{usage}cost: {cost}}}"));
        }
        item.reply(depth + 1, recorded);
        // The first line of an item begins with its dash.
        item.0.replace_range(depth * 2..=depth * 2, "-");
        self.0.push_str(&item.0);
    }

    fn reply(&mut self, depth: usize, recorded: &RecordedAnswer) {
        match &recorded.reply {
            RecordedReply::Ok(value) => self.value(depth, "ok", value, Braces::Written),
            RecordedReply::Failed { kind, message, details, retry_after, never_began } => {
                let mut error = format!("kind: {}", yaml_text(kind, true));
                if !message.is_empty() && message != kind {
                    let _ = write!(error, ", message: {}", yaml_text(&written(message), true));
                }
                if !details.is_null() {
                    let _ = write!(error, ", details: {}", flow_of(details, Braces::Written));
                }
                if let Some(wait) = retry_after {
                    let _ = write!(error, ", retry_after: {}", duration::text(*wait));
                }
                if *never_began {
                    error += ", never_began: true";
                }
                self.line(depth, &format!("error: {{{error}}}"));
            }
            RecordedReply::Unknown(message) => {
                let message = yaml_text(&written(message), true);
                self.line(depth, &format!("error: {{kind: unknown, message: {message}}}"));
            }
            // It comes when nobody waits any more.
            RecordedReply::Nothing if recorded.from == Asked::Person => self.line(depth, "ok: null"),
            RecordedReply::Nothing => {
                self.line(depth, "error: {kind: unavailable, message: it never came back}");
            }
        }
    }

    fn value(&mut self, depth: usize, key: &str, value: &Value, braces: Braces) {
        if let Value::Str(text) = value {
            let text = braces.text(text);
            if let Some((sign, lines)) = yaml_block(&text) {
                self.line(depth, &format!("{key}: {sign}"));
                for line in lines {
                    let indent = if line.is_empty() { 0 } else { depth + 1 };
                    self.line(indent, &line);
                }
                return;
            }
        }
        self.line(depth, &format!("{key}: {}", flow_of(value, braces)));
    }
}

/// The meaning of two braces in a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Braces {
    /// The braces themselves.
    AsTheyAre,
    /// The beginning of an expression: those of a text are written as one.
    Written,
}

impl Braces {
    fn text(self, text: &str) -> String {
        match self {
            Self::AsTheyAre => text.to_owned(),
            Self::Written => written(text),
        }
    }
}

/// A text in which two braces are an expression whose value they are.
fn written(text: &str) -> String {
    text.replace("{{", "{{ '{{' }}")
}

/// A value on one line.
fn flow(value: &Value) -> String {
    flow_of(value, Braces::AsTheyAre)
}

fn flow_of(value: &Value, braces: Braces) -> String {
    match value {
        Value::Str(text) => yaml_text(&braces.text(text), true),
        Value::List(items) => {
            let items: Vec<String> = items.iter().map(|item| flow_of(item, braces)).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Map(map) => {
            let entry = |(key, value): (&Str, &Value)| {
                format!("{}: {}", yaml_text(key, true), flow_of(value, braces))
            };
            format!("{{{}}}", map.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
        Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Float(_)
        | Value::Usd(_)
        | Value::Duration(_) => match value.to_json() {
            serde_json::Value::String(text) => yaml_text(&text, true),
            other => other.to_string(),
        },
    }
}

/// The tools that a scenario offers which says nothing of them, in their order.
fn usual_tools(inherited: &InheritedDefaults, program: &Program, recorded: &[RecordedAnswer]) -> List {
    if let Some(catalogue) = &inherited.catalogue {
        return catalogue.clone();
    }
    let answering = recorded.iter().filter_map(|answer| match &answer.from {
        Asked::Tool(tool) => Some(tool),
        _ => None,
    });
    let mut answering: BTreeSet<&Str> = answering.collect();
    if answering.is_empty() {
        answering = inherited.tools.iter().collect();
    }
    with_named_tools(answering.into_iter().cloned().map(plain_tool).collect(), program)
}

/// A tool on offer, without what a scenario takes for granted.
fn offered(tool: &Value) -> Value {
    let Value::Map(tool) = tool else { return tool.clone() };
    let empty = |value: &Value| match value {
        Value::Str(text) => text.is_empty(),
        Value::List(list) => list.is_empty(),
        Value::Map(map) => map.is_empty(),
        _ => false,
    };
    Value::Map(tool.iter().filter(|(_, value)| !empty(value)).map(|(k, v)| (k.clone(), v.clone())).collect())
}
