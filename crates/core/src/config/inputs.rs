//! `[inputs]`: where the fields of a graph's input come from.

use std::ffi::OsString;

use serde_json::{Value as Json, json};
use toml::de::{DeTable, DeValue};

use super::faults::Faults;
use super::fields::{TableFields, in_order, value_of};
use crate::diag::{Diagnostic, did_you_mean, nearest, rule};
use crate::program::Program;
use crate::program::graph::SlotCode;
use crate::program::shape::{Misfit, ShapeKind};
use crate::source::Span;
use crate::syntax::{FileKey, KeyForm, by_name, keys_schema};
use crate::value::json::{JsonLimits, parse_strict};
use crate::value::{Map, Str, Value};

/// The keys of a table that says where a value comes from.
const ENV_KEYS: &[FileKey] = &[
    FileKey::new("env", KeyForm::Text, "The environment variable that holds the value.").required(),
    FileKey::new(
        "default",
        KeyForm::Schema(|| json!({})),
        "The value where the variable is unset or invalid.",
    ),
];

/// The JSON Schema of `[inputs]`: values, and tables with `env`.
pub(super) fn schema() -> Json {
    let env = keys_schema(ENV_KEYS);
    by_name(&json!({"if": {"type": "object", "required": ["env"]}, "then": env}))
}

/// One input field and where its value comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct InputOrigin {
    /// The name of the input.
    pub name: Str,
    /// The source.
    pub source: Source,
    /// The place of the name in the file.
    pub name_span: Span,
    /// The place of the value or the default.
    pub value_span: Span,
}

/// The origin of an input's value.
#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    /// The configuration file itself.
    Value(Value),
    /// A variable of the environment.
    Env {
        /// The name of the environment variable.
        variable: String,
        /// The value where the variable is not set or is no text of the field's type; without it the graph's own
        /// default applies.
        default: Option<Value>,
    },
}

pub(super) fn read(table: &DeTable<'_>, faults: &mut Faults) -> Vec<InputOrigin> {
    let mut inputs = Vec::new();
    for (key, value) in in_order(table) {
        let mut place = value.span();
        let source = match value.get_ref() {
            // A table with `env` is a source; any other table is a value, for inputs that are records and maps.
            DeValue::Table(table) if table.contains_key("env") => {
                place = table.get("default").map_or(place, toml::Spanned::span);
                env(key.get_ref(), table, faults)
            }
            _ => value_of(value, faults).map(Source::Value),
        };
        let (name_span, value_span) = (faults.span(key.span()), faults.span(place));
        let name = Str::from(key.get_ref().as_ref());
        inputs.extend(source.map(|source| InputOrigin { name, source, name_span, value_span }));
    }
    inputs
}

fn env(name: &str, table: &DeTable<'_>, faults: &mut Faults) -> Option<Source> {
    let fields = TableFields::new(format!("`{name}`"), ENV_KEYS, table);
    let variable = fields.string("env", faults).map(str::to_owned);
    let default = fields.get("default").and_then(|value| value_of(value, faults));
    fields.finish(faults);
    Some(Source::Env { variable: variable?, default })
}

/// The inputs that a configuration gives a graph.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Gathered {
    /// The values by name.
    pub input: Map,
    /// The inputs whose variable is set and does not hold what they want.
    pub unread: Vec<Unread>,
}

/// An input whose variable could not be read, so that its default applies.
#[derive(Debug, Clone, PartialEq)]
pub struct Unread {
    /// The name of the input.
    pub input: Str,
    /// A warning that names the variable. It does not tell its text, which may be secret.
    pub warning: Diagnostic,
}

/// The values of the inputs for a graph. `env` looks up a variable of the environment.
///
/// # Errors
/// A name that is no input of the graph, a value or default that does not fit: each at its place.
pub fn gather(
    origins: &[InputOrigin],
    program: &Program,
    env: &dyn Fn(&str) -> Option<OsString>,
) -> Result<Gathered, Vec<Diagnostic>> {
    let mut gathered = Gathered::default();
    let mut faults = Vec::new();
    for origin in origins {
        match one(origin, program, env, &mut gathered.unread) {
            Ok(Some(value)) => {
                gathered.input.insert(origin.name.clone(), value);
            }
            Ok(None) => {}
            Err(fault) => faults.push(fault),
        }
    }
    if faults.is_empty() { Ok(gathered) } else { Err(faults) }
}

#[expect(clippy::result_large_err, reason = "a file has few inputs, and each is read once")]
fn one(
    origin: &InputOrigin,
    program: &Program,
    env: &dyn Fn(&str) -> Option<OsString>,
    unread: &mut Vec<Unread>,
) -> Result<Option<Value>, Diagnostic> {
    let slot = slot(program, &origin.name).map_err(|fault| {
        Diagnostic::error(rule::CONFIG_KEY, origin.name_span, fault.message).help(fault.help)
    })?;
    let value = match &origin.source {
        Source::Value(value) => Some(value.clone()),
        Source::Env { variable, default } => {
            if let Some(text) = env(variable) {
                if let Some(value) = text.to_str().and_then(|text| of_text(program, slot, text).ok()) {
                    return Ok(Some(value));
                }
                unread.push(Unread {
                    input: origin.name.clone(),
                    warning: warning(origin, variable, &wanted(program, slot)),
                });
            }
            default.clone()
        }
    };
    let Some(value) = value else { return Ok(None) };
    program.shapes.fit(slot.shape, value).map(Some).map_err(|misfits| {
        Diagnostic::error(rule::CONFIG_VALUE, origin.value_span, misfit(&origin.name, &misfits))
    })
}

fn warning(origin: &InputOrigin, variable: &str, wanted: &str) -> Diagnostic {
    let message = format!("the variable `{variable}` does not fit the input `{}`", origin.name);
    Diagnostic::warning(rule::CONFIG_VARIABLE, origin.name_span, message)
        .help(format!("it takes {wanted}; until then the default is used"))
}

/// The values that a variable may hold, in words.
fn wanted(program: &Program, slot: &SlotCode) -> String {
    match program.shapes.shape(slot.shape).kind {
        ShapeKind::Any => "JSON, or a text that does not begin with `{` or `[`".to_owned(),
        _ => program.shapes.describe(slot.shape),
    }
}

/// An error of reading the value of an input.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct InputFault {
    /// The fault.
    pub message: String,
    /// The cure.
    pub help: String,
}

/// The value an input takes from a text, as on a command line or in the environment: texts and members of enums as
/// they are, durations and amounts as the language writes them, everything else as JSON. Where any value is allowed, a text
/// that is no JSON is taken as it is, unless it begins as JSON does.
///
/// # Errors
/// The graph has no such input, or the text does not fit it.
pub fn input_of_text(program: &Program, name: &str, text: &str) -> Result<Value, InputFault> {
    of_text(program, slot(program, name)?, text)
}

/// The inputs that a map of values gives, as a file of them holds it.
///
/// # Errors
/// The fields that are no inputs of the graph, and those that do not fit, each on its own.
pub fn inputs_of_map(program: &Program, map: &Map) -> Result<Map, Vec<InputFault>> {
    let mut input = Map::new();
    let mut faults = Vec::new();
    for (name, value) in map {
        match slot(program, name).and_then(|slot| fitted(program, slot, value.clone())) {
            Ok(value) => {
                input.insert(name.clone(), value);
            }
            Err(fault) => faults.push(fault),
        }
    }
    if faults.is_empty() { Ok(input) } else { Err(faults) }
}

fn slot<'p>(program: &'p Program, name: &str) -> Result<&'p SlotCode, InputFault> {
    let graph = &program.graphs[0];
    let inputs = &graph.slots[..graph.inputs as usize];
    inputs.iter().find(|slot| slot.name == name).ok_or_else(|| {
        let names = inputs.iter().map(|slot| slot.name.as_str());
        let help = match nearest(name, names.clone()) {
            Some(near) => did_you_mean(&format!("`{near}`")),
            None if inputs.is_empty() => "it has no inputs".to_owned(),
            None => format!("its inputs are: {}", names.collect::<Vec<_>>().join(", ")),
        };
        InputFault { message: format!("the graph `{}` has no input `{name}`", graph.id), help }
    })
}

fn of_text(program: &Program, slot: &SlotCode, text: &str) -> Result<Value, InputFault> {
    let shape = program.shapes.shape(slot.shape);
    let plain = || Value::from(text);
    let json = || parse_strict(text, JsonLimits::default());
    let value = match &shape.kind {
        ShapeKind::String(_) | ShapeKind::Enum(_) | ShapeKind::Usd | ShapeKind::Duration
            if !(shape.nullable && text == "null") =>
        {
            plain()
        }
        ShapeKind::Any => match json() {
            Ok(value) => value,
            Err(fault) if text.trim_start().starts_with(['{', '[']) => {
                return Err(InputFault {
                    message: format!("`{}` starts like JSON but is not valid: {fault}", shorten(text)),
                    help: "fix it; if you mean a text, write it as a JSON string: '\"[like this]\"'"
                        .to_owned(),
                });
            }
            Err(_) => plain(),
        },
        ShapeKind::Bool | ShapeKind::Int(_) | ShapeKind::Float => json().unwrap_or_else(|_| plain()),
        _ => json().map_err(|fault| InputFault {
            message: format!("`{}` does not fit the input `{}`: {fault}", shorten(text), slot.name),
            help: format!("it takes {}, written as JSON", program.shapes.describe(slot.shape)),
        })?,
    };
    fitted(program, slot, value)
}

fn fitted(program: &Program, slot: &SlotCode, value: Value) -> Result<Value, InputFault> {
    program.shapes.fit(slot.shape, value).map_err(|misfits| InputFault {
        message: misfit(&slot.name, &misfits),
        help: format!("it takes {}", program.shapes.describe(slot.shape)),
    })
}

fn misfit(name: &str, misfits: &[Misfit]) -> String {
    let list = misfits.iter().map(Misfit::to_string).collect::<Vec<_>>().join("; ");
    format!("the value does not fit the input `{name}`: {list}")
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
