//! Tools.

use super::{BoxFuture, View};
use crate::machine::{Call, Outcome};
use crate::program::graph::Delivery;
use crate::value::{List, Map, Str, Value};

/// Whoever holds the tools that are on offer.
pub trait ToolHost: Send + Sync {
    /// The tools on offer, as the run is told at its start.
    fn catalogue(&self) -> Vec<ToolInfo>;

    /// Tools that exist but may not be called until the operator grants them.
    fn ungranted(&self) -> Vec<Str> {
        Vec::new()
    }

    /// Makes a call whose request is a [`Request::Tool`](crate::machine::Request::Tool). The call's id is the
    /// idempotency key.
    fn call(&self, call: &Call, view: View<'_>) -> BoxFuture<'static, Outcome>;
}

/// What is said about a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolInfo {
    /// Its name.
    pub name: Str,
    /// What it does, for models and people.
    pub description: Str,
    /// JSON Schema of its arguments.
    pub schema: Value,
    /// Its tags.
    pub tags: Vec<Str>,
    /// How often one call may reach it.
    pub delivery: Delivery,
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
        Value::Map(entry)
    }
}
