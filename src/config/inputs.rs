//! `[inputs]`: where the fields of a graph's input come from.

use toml::de::{DeTable, DeValue};

use super::faults::Faults;
use super::fields::{Fields, in_order, value_of};
use crate::value::{Str, Value};

/// One input field and where its value comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct Origin {
    /// The input field.
    pub name: Str,
    /// Where from.
    pub source: Source,
}

/// Where an input's value comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    /// The configuration file itself.
    Value(Value),
    /// A variable of the environment.
    Env {
        /// The variable.
        variable: String,
        /// What holds where the variable is not set or is no text of the field's type; without it the graph's own
        /// default holds.
        default: Option<Value>,
    },
}

pub(super) fn read(table: &DeTable<'_>, faults: &mut Faults) -> Vec<Origin> {
    let mut inputs = Vec::new();
    for (key, value) in in_order(table) {
        let source = match value.get_ref() {
            // A table with `env` is a source; any other table is a value, for inputs that are records and maps.
            DeValue::Table(table) if table.contains_key("env") => env(key.get_ref(), table, faults),
            _ => value_of(value, faults).map(Source::Value),
        };
        inputs.extend(source.map(|source| Origin { name: key.get_ref().as_ref().into(), source }));
    }
    inputs
}

fn env(name: &str, table: &DeTable<'_>, faults: &mut Faults) -> Option<Source> {
    let mut fields = Fields::new(format!("`{name}`"), table);
    let variable = fields.string("env", faults).map(str::to_owned);
    let default = fields.get("default").and_then(|value| value_of(value, faults));
    fields.finish(faults);
    Some(Source::Env { variable: variable?, default })
}
