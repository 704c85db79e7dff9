//! A recorded run that answers in place of models and tools.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

use futures::FutureExt;
use futures::future::ready;

use crate::drive::{differing, events_on_path};
use crate::machine::{Call, EventKind, Outcome, Request};
use crate::port::{BoxFuture, JournalEntry, Listener, ModelClient, RunView, ToolHost, ToolInfo};
use crate::program::Approval;
use crate::program::error::ErrorKind;
use crate::program::graph::Delivery;
use crate::value::{Map, Str, Value};

/// The most characters of a value that a message shows.
const MAX_SHOWN: usize = 80;

/// The calls of a recorded run with their outcomes. Each answers one equal request, in the order in which they were made.
pub struct RecordedCalls {
    run: Str,
    tools: Vec<ToolInfo>,
    calls: Mutex<Vec<RecordedCall>>,
    listener: Option<Arc<dyn Listener>>,
}

struct RecordedCall {
    call: Call,
    /// The outcome; none where the run ended before it.
    outcome: Option<Outcome>,
    is_given: bool,
}

impl RecordedCalls {
    /// The calls of a run, from its journal.
    #[must_use]
    pub fn new(run: impl Into<Str>, journal: &[JournalEntry]) -> Self {
        let start = journal.iter().flat_map(|entry| &entry.events).find_map(|event| match &event.kind {
            EventKind::Started { start, .. } => Some(start),
            _ => None,
        });
        let entries = start.map(|start| &start.tools).into_iter().flatten();
        let tools = entries.filter_map(Value::as_map).filter_map(tool_info).collect();
        Self { run: run.into(), tools, calls: Mutex::new(calls(journal)), listener: None }
    }

    /// Takes the calls that a run has made already, from its journal, for given: it continues behind them. A call that did not
    /// come back is asked again.
    #[must_use]
    pub fn resuming(self, journal: &[JournalEntry]) -> Self {
        let mut left = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        for made in calls(journal).iter().filter(|made| made.outcome.is_some()) {
            take(&mut left, &made.call);
        }
        drop(left);
        self
    }

    /// Sets who hears the texts of answers, where the graph allows it. Each comes in one piece.
    #[must_use]
    pub fn listener(mut self, listener: Option<Arc<dyn Listener>>) -> Self {
        self.listener = listener;
        self
    }

    /// The outcome of an equal request, or `unavailable` with the first thing that differs.
    fn outcome(&self, call: &Call) -> Outcome {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        match take(&mut calls, call).map(|made| made.outcome.clone()) {
            Some(Some(outcome)) => outcome,
            Some(None) => self.unavailable(call, "there it was not answered before the run ended"),
            None => self.unavailable(call, &difference(&calls, call)),
        }
    }

    fn unavailable(&self, call: &Call, why: &str) -> Outcome {
        let (kind, name) = call.request.called();
        let message = format!(
            "the run {} has no answer to this request of `{}` to the {kind} {name}: {why}",
            self.run, call.node
        );
        Outcome::never_began(ErrorKind::Unavailable, message)
    }
}

/// The calls of a journal, each with its outcome.
fn calls(journal: &[JournalEntry]) -> Vec<RecordedCall> {
    let mut calls = Vec::<RecordedCall>::new();
    for event in events_on_path(journal) {
        match &event.kind {
            EventKind::Called(call) => {
                calls.push(RecordedCall { call: (**call).clone(), outcome: None, is_given: false });
            }
            EventKind::Resolved { call, outcome } => {
                let made = calls.iter_mut().rfind(|made| made.call.id == *call && made.outcome.is_none());
                if let Some(made) = made {
                    made.outcome = Some((**outcome).clone());
                }
            }
            _ => {}
        }
    }
    calls
}

/// The first call of an equal request that was not given yet; it is now.
fn take<'c>(calls: &'c mut [RecordedCall], call: &Call) -> Option<&'c RecordedCall> {
    let equal = calls.iter_mut().find(|made| !made.is_given && made.call.request == call.request)?;
    equal.is_given = true;
    Some(equal)
}

/// In words: where a request first differs from the one that was recorded in its place.
fn difference(calls: &[RecordedCall], call: &Call) -> String {
    let (kind, name) = call.request.called();
    let is_alike = |made: &&RecordedCall| !made.is_given && made.call.request.called().0 == kind;
    let mut left = calls.iter().filter(is_alike);
    let next = calls.iter().filter(is_alike).find(|made| made.call.node == call.node).or_else(|| left.next());
    let Some(next) = next else {
        return format!("all {kind} calls of that run were answered before, and it made no further one");
    };
    let mut words = format!("next there is the request of `{}` ({})", next.call.node, next.call.id.0);
    match differing(&next.call.request, &call.request).into_iter().next() {
        Some((part, before, now)) => {
            let (place, before, now) = first_difference(&before, &now);
            // Writing to a String cannot fail.
            let _ = write!(words, ", whose {part} differs{place}: recorded {before}, now {now}");
        }
        None => words.push_str(", which differs in how it is made"),
    }
    if next.call.request.called().1 != name {
        let _ = write!(words, "; that one is to {}", next.call.request.called().1);
    }
    words
}

/// The line in which texts differ, or the values themselves.
fn first_difference(before: &Value, now: &Value) -> (String, String, String) {
    let (Value::Str(before), Value::Str(now)) = (before, now) else {
        return (String::new(), short(&before.to_json().to_string()), short(&now.to_json().to_string()));
    };
    let (mut old, mut new) = (before.split_inclusive('\n'), now.split_inclusive('\n'));
    let mut line = 1;
    loop {
        match (old.next(), new.next()) {
            (Some(a), Some(b)) if a == b => line += 1,
            (a, b) => {
                let shown = |text: Option<&str>| {
                    text.map_or("nothing".to_owned(), |text| short(&format!("{text:?}")))
                };
                return (format!(" in line {line}"), shown(a), shown(b));
            }
        }
    }
}

fn short(text: &str) -> String {
    let cut: String = text.chars().take(MAX_SHOWN).collect();
    if cut.len() < text.len() { format!("{cut}…") } else { cut }
}

/// A tool as an entry of a recorded catalogue describes it.
fn tool_info(entry: &Map) -> Option<ToolInfo> {
    let text = |key: &str| entry.get(key).and_then(Value::as_str).map(Str::from);
    let mut info = ToolInfo::new(text("name")?, entry.get("schema").cloned().unwrap_or_default());
    info.description = text("description").unwrap_or_default();
    if let Some(Value::List(tags)) = entry.get("tags") {
        info.tags = tags.iter().filter_map(Value::as_str).map(Str::from).collect();
    }
    if let Some(delivery) = text("delivery").and_then(|word| Delivery::named(&word)) {
        info.delivery = delivery;
    }
    info.approval = Approval::of_entry(entry);
    Some(info)
}

impl ModelClient for RecordedCalls {
    fn ask(&self, call: &Call, _: RunView<'_>) -> BoxFuture<'static, Outcome> {
        let outcome = self.outcome(call);
        if let (Some(listener), Outcome::Answer { value: Value::Str(text), .. }) = (&self.listener, &outcome)
            && let Request::Model { stream: Some(_), .. } = &call.request
        {
            listener.heard(call, text);
        }
        ready(outcome).boxed()
    }
}

impl ToolHost for RecordedCalls {
    fn catalogue(&self) -> Vec<ToolInfo> {
        self.tools.clone()
    }

    fn call(&self, call: &Call, _: RunView<'_>) -> BoxFuture<'static, Outcome> {
        ready(self.outcome(call)).boxed()
    }
}
