//! The tables of a configuration, and the JSON Schema of the whole file, for editors.
//!
//! It is made from the tables of keys that the readers themselves use, so a key that is read is in the schema and the other way
//! round. A schema cannot look from one table into another; [`Config::read`](super::Config::read) does.

use serde_json::Value;

use super::{
    RUN_KEYS, builtin, check, command, hooks, inputs, limits, mcp, models, policy, replay, webhooks,
};
use crate::syntax::{FileKey, KeyForm, root_schema};

/// The tables of a file.
pub(super) const FILE_KEYS: &[FileKey] = &[
    FileKey::new(
        "inputs",
        KeyForm::Schema(inputs::schema),
        "The inputs of the graph: values, or the variables that hold them.",
    ),
    FileKey::new("builtin", KeyForm::Keys(builtin::KEYS), "The tools that need no program of the machine."),
    FileKey::new("tools", KeyForm::Schema(command::schema), "Programs that are tools, by name."),
    FileKey::new("run", KeyForm::Keys(RUN_KEYS), "Limits of a run."),
    FileKey::new(
        "check",
        KeyForm::Schema(check::schema),
        "The severities that `check` gives to findings, by rule.",
    ),
    FileKey::new(
        "models",
        KeyForm::Schema(models::schema),
        "The models that serve the roles; `*` is every role without its own table.",
    ),
    FileKey::new(
        "mcp",
        KeyForm::Schema(mcp::schema),
        "Servers of the Model Context Protocol, whose tools are named `NAME.tool`.",
    ),
    FileKey::new(
        "limits",
        KeyForm::Keys(limits::KEYS),
        "The most that one run may make of a tool or of a model.",
    ),
    FileKey::new("hooks", KeyForm::Schema(hooks::schema), "Programs that are told what runs do."),
    FileKey::new(
        "webhooks",
        KeyForm::Schema(webhooks::schema),
        "Programs elsewhere that begin runs of a graph, for `loopwright serve`.",
    ),
    FileKey::new("replay", KeyForm::Keys(replay::KEYS), "A recorded run that answers in place of models."),
    FileKey::new("policy", KeyForm::Keys(policy::KEYS), "Flows that a graph must not let through."),
];

/// The JSON Schema (draft 2020-12) of a `loopwright.toml`.
#[must_use]
pub fn file_schema() -> Value {
    root_schema("A configuration of Loopwright", FILE_KEYS)
}
