//! `[limits]`: the most that one run may make of a tool or of a model.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::faults::Faults;
use super::fields::{TableFields, article, in_order};
use super::mcp::{covers, server_of};
use super::models::dollars;
use crate::diag::{did_you_mean, nearest};
use crate::syntax::{FileKey, KeyForm, by_name, keys_schema};
use crate::value::Str;

/// The most calls of a minute that a configuration may name: each of them is remembered for a minute.
const MAX_PER_MINUTE: usize = 100_000;

/// The keys of `[limits]`.
pub(super) const KEYS: &[FileKey] = &[
    FileKey::new(
        "tools",
        KeyForm::Schema(|| by_name(&keys_schema(TOOL_KEYS))),
        "The limits of tools, by their names or patterns of those of MCP servers.",
    ),
    FileKey::new(
        "models",
        KeyForm::Schema(|| by_name(&keys_schema(MODEL_KEYS))),
        "The limits of models, by their entries of `[models]`.",
    ),
];

const CALLS: FileKey = FileKey::new(
    "calls",
    KeyForm::Count(0, u32::MAX as usize),
    "The most calls of the tool, or attempts of the model, in a run; 0 allows none.",
);

const PER_MINUTE: FileKey =
    FileKey::new("per_minute", KeyForm::Count(1, MAX_PER_MINUTE), "The most of them in any 60 seconds.");

/// The keys of the limit of a tool: what it costs nobody knows here.
const TOOL_KEYS: &[FileKey] = &[CALLS, PER_MINUTE];

/// The keys of the limit of a model.
const MODEL_KEYS: &[FileKey] = &[
    CALLS,
    PER_MINUTE,
    FileKey::new("cost", KeyForm::Text, "The dollars that the model may cost in a run, such as `\"$1\"`."),
];

/// The most that one run may make of a tool or of an entry of `[models]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CallLimit {
    /// The most calls of a tool, or attempts of a model.
    pub calls: Option<u64>,
    /// The most of them in any 60 seconds.
    pub per_minute: Option<usize>,
    /// The most that a model may cost, in billionths of a dollar.
    pub cost: Option<u64>,
}

/// The limits of a file, in its order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CallLimits {
    /// Those of tools, by name.
    pub tools: Vec<(Str, CallLimit)>,
    /// Those of models, by the name of their entry.
    pub models: Vec<(Str, CallLimit)>,
}

impl CallLimits {
    /// The limit of a tool: its own, else that of the first pattern that covers it. Each tool that a pattern covers has the
    /// limit for itself.
    #[must_use]
    pub fn of_tool(&self, name: &str) -> Option<CallLimit> {
        let own = self.tools.iter().find(|(own, _)| own == name);
        own.or_else(|| self.tools.iter().find(|(own, _)| covers(own, name))).map(|(_, limit)| *limit)
    }

    /// The limit of an entry of `[models]`.
    #[must_use]
    pub fn of_model(&self, entry: &str) -> Option<CallLimit> {
        self.models.iter().find(|(own, _)| own == entry).map(|(_, limit)| *limit)
    }

    /// Returns true if nothing is limited.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty() && self.models.is_empty()
    }

    /// Reads `[limits]`. `tools` and `models` are the names that there are.
    pub(super) fn read(
        table: &DeTable<'_>,
        tools: &KnownTools,
        models: &[String],
        faults: &mut Faults,
    ) -> Self {
        let fields = TableFields::new("[limits]", KEYS, table);
        let part = |key: &'static str, known: &[String], also: &dyn Fn(&str) -> bool, faults: &mut Faults| {
            let table = fields.table(key, faults);
            table.map(|table| part(key, table, known, also, faults)).unwrap_or_default()
        };
        let limits = Self {
            tools: part("tools", &tools.tools, &|name| tools.of_a_server(name), faults),
            models: part("models", models, &|_| false, faults),
        };
        fields.finish(faults);
        limits
    }
}

/// The tools that limits may name.
pub(super) struct KnownTools {
    /// Those whose names are known.
    pub(super) tools: Vec<String>,
    /// The MCP servers, whose tools are known once they are started.
    pub(super) servers: Vec<String>,
    /// True if there may be further servers.
    pub(super) imports: bool,
}

impl KnownTools {
    fn of_a_server(&self, name: &str) -> bool {
        server_of(name)
            .is_some_and(|(server, _)| self.imports || self.servers.iter().any(|own| own == server))
    }
}

fn part(
    part: &'static str,
    table: &DeTable<'_>,
    known: &[String],
    also: &dyn Fn(&str) -> bool,
    faults: &mut Faults,
) -> Vec<(Str, CallLimit)> {
    let mut limits = Vec::new();
    for (key, value) in in_order(table) {
        let name: &str = key.get_ref();
        if !known.iter().any(|own| own == name) && !also(name) {
            unknown(part, name, key.span(), known, faults);
            continue;
        }
        match value.get_ref() {
            DeValue::Table(table) => limits.push((name.into(), limit(part, name, table, faults))),
            other => {
                faults
                    .say(value.span(), format!("found {}, wanted a table", article(other)))
                    .help(format!("write [limits.{part}.{name}] and `calls` or `per_minute` under it"));
            }
        }
    }
    limits
}

fn limit(part: &str, name: &str, table: &DeTable<'_>, faults: &mut Faults) -> CallLimit {
    let is_model = part == "models";
    let keys = if is_model { MODEL_KEYS } else { TOOL_KEYS };
    let fields = TableFields::new(format!("[limits.{part}.{name}]"), keys, table);
    let limit = CallLimit {
        calls: fields.count("calls", faults).and_then(|n| u64::try_from(n).ok()),
        per_minute: fields.count("per_minute", faults),
        cost: if is_model { dollars("cost", "dollars", &fields, faults) } else { None },
    };
    fields.finish(faults);
    limit
}

fn unknown(part: &str, name: &str, place: Range<usize>, known: &[String], faults: &mut Faults) {
    let what = if part == "tools" { "no tool" } else { "no model" };
    let help = match nearest(name, known.iter().map(String::as_str)) {
        Some(near) => did_you_mean(&format!("`{near}`")),
        None if known.is_empty() => format!("this file has {what}"),
        None => format!("there are: {}", known.join(", ")),
    };
    faults.say(place, format!("{what} is called `{name}` here")).help(help);
}
