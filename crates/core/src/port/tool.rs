//! Tools.

use super::{BoxFuture, RunView};
use crate::machine::{Call, CallId, Outcome};
use crate::program::Approval;
use crate::program::graph::Delivery;
use crate::value::{List, Map, Str, Value};

/// Whoever has the tools that are on offer.
pub trait ToolHost: Send + Sync {
    /// The tools on offer, as the run sees them at its start.
    fn catalogue(&self) -> Vec<ToolInfo>;

    /// Tools that exist but may not be called until the operator grants them.
    fn ungranted(&self) -> Vec<Str> {
        Vec::new()
    }

    /// Explains why the arguments of a call do not fit its tool, before anything is called; none where they fit, or where
    /// nothing is known of them.
    fn misfit(&self, _call: &Call) -> Option<Str> {
        None
    }

    /// Makes a call whose request is a [`Request::Tool`](crate::machine::Request::Tool). The call's id is the
    /// idempotency key. Nothing is done before the future is polled: a call that waits for its turn has not begun.
    fn call(&self, call: &Call, view: RunView<'_>) -> BoxFuture<'static, Outcome>;

    /// The tools that may be called on behalf of another one: its probe, and the one that compensates it. Whoever may
    /// call that one needs them too.
    fn companions(&self, _tool: &str) -> Vec<Str> {
        Vec::new()
    }

    /// Asks the probe of a call's tool whether the call took place; none where the tool has no probe. Nothing is done
    /// before the future is polled. Whoever asks gives up after a while.
    fn probe(&self, _call: &Call, _view: RunView<'_>) -> Option<BoxFuture<'static, ProbeResult>> {
        None
    }

    /// Ends what an earlier maker of a call left at work, and waits for that; none where nothing of the call is at
    /// work. Whoever asks after a call that was interrupted, makes it again or undoes it takes this first: never are
    /// two of one call at work. Nothing is done before the future is polled; it ends in a bounded time.
    fn remains(&self, _call: &Call) -> Option<BoxFuture<'static, Leftovers>> {
        None
    }

    /// The tool that undoes what calls of this one did; none where nobody does.
    fn compensation(&self, _tool: &str) -> Option<ToolInfo> {
        None
    }

    /// Undoes a call that took place with this result; none where no tool does. The idempotency key is
    /// [`undo_id`] of the call. Nothing is done before the future is polled.
    fn compensate(&self, _call: &Call, _result: &Value) -> Option<BoxFuture<'static, Outcome>> {
        None
    }
}

/// Hears of calls of tools while they are made. Nothing of it is stored.
pub trait ToolListener: Send + Sync {
    /// A tool says how far its call has come, in its own words.
    fn progressed(&self, tool: &str, words: &str);

    /// Something happened beside a call that a person should know, in a line.
    fn noted(&self, note: &str);
}

/// The fate of something that was left at work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Leftovers {
    /// Nothing of it is left. What was ended, if anything.
    Gone(Option<Str>),
    /// It is at work and cannot be ended from here, and why.
    AtWork(Str),
}

/// The result of a probe for a call of unknown outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProbeResult {
    /// It took place, with this result.
    Happened(Value),
    /// It did not: it may be made.
    Not,
    /// The probe could not tell, and why.
    Unknown(Str),
}

impl ProbeResult {
    /// The meaning of a probe's outcome: `{happened: true, result: …}` or `{happened: false}`. Anything else says nothing.
    #[must_use]
    pub fn of(outcome: Outcome) -> Self {
        let value = match outcome {
            Outcome::Answer { value, .. } => value,
            Outcome::Failed { kind, message, .. } => {
                return Self::Unknown(ecow::eco_format!("the probe failed ({kind}): {message}"));
            }
            Outcome::Unknown { message } => {
                return Self::Unknown(ecow::eco_format!("the probe did not come back: {message}"));
            }
        };
        let fields = value.as_map().filter(|map| map.keys().all(|key| key == "happened" || key == "result"));
        match fields.and_then(|map| Some((map.get("happened")?, map.get("result")))) {
            Some((Value::Bool(true), result)) => Self::Happened(result.cloned().unwrap_or(Value::Null)),
            Some((Value::Bool(false), None | Some(Value::Null))) => Self::Not,
            _ => Self::Unknown(
                "the probe did not answer with {happened: true, result: …} or {happened: false}".into(),
            ),
        }
    }
}

/// The id under which a call is undone: the idempotency key of its compensation.
#[must_use]
pub fn undo_id(call: &CallId) -> CallId {
    CallId(ecow::eco_format!("{}~undo", call.0))
}

/// The description of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolInfo {
    /// Its name.
    pub name: Str,
    /// The purpose, for models and people.
    pub description: Str,
    /// JSON Schema of its arguments.
    pub schema: Value,
    /// Its tags.
    pub tags: Vec<Str>,
    /// The number of times one call may reach it.
    pub delivery: Delivery,
    /// The approval that each call of it needs.
    pub approval: Approval,
    /// The tool that can tell whether a call of it took place.
    pub probe: Option<Str>,
    /// The tool that undoes what a call of it did.
    pub compensate: Option<Str>,
}

impl ToolInfo {
    /// A tool without description and tags, of which nothing more is known: a call reaches it at most once.
    #[must_use]
    pub fn new(name: impl Into<Str>, schema: Value) -> Self {
        Self {
            name: name.into(),
            description: Str::new(),
            schema,
            tags: Vec::new(),
            delivery: Delivery::AtMostOnce,
            approval: Approval::NotNeeded,
            probe: None,
            compensate: None,
        }
    }

    /// Says what it does.
    #[must_use]
    pub fn description(mut self, text: impl Into<Str>) -> Self {
        self.description = text.into();
        self
    }

    /// Adds a tag.
    #[must_use]
    pub fn tag(mut self, tag: impl Into<Str>) -> Self {
        self.tags.push(tag.into());
        self
    }

    /// Says how often one call may reach it.
    #[must_use]
    pub const fn delivery(mut self, delivery: Delivery) -> Self {
        self.delivery = delivery;
        self
    }

    /// Has a person asked before each call of it: what they approve are these arguments and no others.
    #[must_use]
    pub const fn approval(mut self) -> Self {
        self.approval = Approval::Needed;
        self
    }

    /// Names the tool that can tell whether a call of this one took place. It is called with those of the call's arguments
    /// that its schema names, with the call's id as its own, and answers `{happened: true, result: …}` or
    /// `{happened: false}`. It may be called more than once, and without an approval.
    #[must_use]
    pub fn probe(mut self, tool: impl Into<Str>) -> Self {
        self.probe = Some(tool.into());
        self
    }

    /// Names the tool that undoes what a call of this one did, where a run goes back after it.
    #[must_use]
    pub fn compensate(mut self, tool: impl Into<Str>) -> Self {
        self.compensate = Some(tool.into());
        self
    }

    /// The entry of the catalogue, as graphs see it in `tools`.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let tags: List = self.tags.iter().cloned().map(Value::Str).collect();
        let mut entry = Map::new();
        entry.set("name", self.name.clone());
        entry.set("description", self.description.clone());
        entry.set("schema", self.schema.clone());
        entry.set("tags", tags);
        entry.set("delivery", self.delivery.name());
        self.approval.put(&mut entry);
        Value::Map(entry)
    }
}
