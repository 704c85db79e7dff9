//! `[tools.NAME]`: a program that is a tool.

use std::ops::Range;
use std::time::Duration;

use serde_json::{Value as Json, json};
use toml::de::{DeTable, DeValue};

use super::arguments::Argument;
use super::faults::Faults;
use super::fields::{APPROVAL, TableFields, article, words};
use super::schema;
use crate::diag::{did_you_mean, nearest};
use crate::program::Approval;
use crate::program::graph::Delivery;
use crate::syntax::{FileKey, KeyForm, by_name, keys_schema};
use crate::value::{Str, Value};

/// The longest a command runs unless it says otherwise.
const TIMEOUT: Duration = Duration::from_mins(1);

/// The most a command may print unless it says otherwise, in bytes.
const OUTPUT_BYTES: usize = 64 << 10;

/// The key of the folder in which a program runs.
pub(super) const FOLDER: FileKey =
    FileKey::new("folder", KeyForm::Text, "The folder in which the program runs, relative to this file.");

/// The key of the variables that a program can see.
pub(super) const ENV: FileKey = FileKey::new(
    "env",
    KeyForm::Texts,
    "The environment variables that the program can see; default `[\"PATH\"]`.",
);

/// The key of the variables that have values of their own.
pub(super) const SET_ENV: FileKey = FileKey::new(
    "set_env",
    KeyForm::Schema(|| by_name(&json!({"type": "string"}))),
    "Further environment variables, with their values.",
);

/// The key that says how often one call may reach a tool.
pub(super) const DELIVERY: FileKey = FileKey::new(
    "delivery",
    KeyForm::Words(|| words(&Delivery::ALL)),
    "The number of times that one call may reach the tool; `at_most_once` unless it is said.",
);

/// The keys of a tool.
const KEYS: &[FileKey] = &[
    FileKey::new(
        "command",
        KeyForm::Schema(list_schema),
        "The program and its arguments; `{name}` stands for an argument of the call.",
    )
    .required(),
    schema::KEYS[0],
    schema::KEYS[1],
    FileKey::new("description", KeyForm::Text, "The purpose of the tool, for models and people."),
    FileKey::new("tags", KeyForm::Texts, "Words by which a graph can select tools."),
    DELIVERY,
    APPROVAL,
    FileKey::new("probe", KeyForm::Text, "The tool that finds out whether a call took place."),
    FileKey::new("compensate", KeyForm::Text, "The tool that undoes a call."),
    FileKey::new("dashes", KeyForm::Flag, "True allows arguments of a call that begin with `-`."),
    FOLDER,
    ENV,
    SET_ENV,
    FileKey::new(
        "stdin",
        KeyForm::Words(|| words(&STDINS)),
        "The standard input: `closed`, or `args` for the arguments as one line of JSON.",
    ),
    FileKey::new("timeout", KeyForm::Duration, "The longest time that it may run; default 1m."),
    FileKey::new(
        "output_bytes",
        KeyForm::Count(1, 64 << 20),
        "The most bytes that it may print on both streams together; default 64 KiB.",
    ),
    FileKey::new(
        "overflow",
        KeyForm::Words(|| words(&OVERFLOWS)),
        "Output past that limit is cut off with a note, or the call fails.",
    ),
    FileKey::new(
        "parse",
        KeyForm::Words(|| words(&PARSES)),
        "The form of the result: `record` has `{stdout, stderr, exit_code}`, `bytes` is base64.",
    ),
    FileKey::new(
        "ok_exit",
        KeyForm::Schema(|| {
            let code = json!({"type": "integer", "minimum": 0, "maximum": 255});
            json!({"anyOf": [{"const": "any"}, {"type": "array", "items": code, "minItems": 1}]})
        }),
        "The exit codes that count as success, or `\"any\"`; default `[0]`.",
    ),
];

/// The JSON Schema of a program and its arguments.
pub(super) fn list_schema() -> Json {
    json!({"type": "array", "items": {"type": "string"}, "minItems": 1})
}

/// The JSON Schema of `[tools]`.
pub(super) fn schema() -> Json {
    let mut tools = by_name(&keys_schema(KEYS));
    tools["propertyNames"] = json!({"pattern": super::TOOL_NAME});
    tools
}

/// A declared command.
#[derive(Debug, Clone, PartialEq)]
pub struct CommandConfig {
    /// The tool's name.
    pub name: Str,
    /// The purpose, for models and people.
    pub description: Str,
    /// Its tags in the catalogue.
    pub tags: Vec<Str>,
    /// The number of times one call may reach it.
    pub delivery: Delivery,
    /// The approval that each call of it needs.
    pub approval: Approval,
    /// The tool that can tell whether a call of it took place.
    pub probe: Option<Str>,
    /// The tool that undoes what a call of it did.
    pub compensate: Option<Str>,
    /// The program and its arguments, at least the program.
    pub list: Vec<Argument>,
    /// JSON Schema of the call's arguments.
    pub schema: Value,
    /// True if a filled-in text may begin with `-` before an element `--`.
    pub dashes: bool,
    /// The working folder, relative to that of the configuration file; that folder itself when absent.
    pub folder: Option<String>,
    /// The variables of the operator's environment that are handed on.
    pub env: Vec<String>,
    /// Variables with a value of their own.
    pub set_env: Vec<(String, String)>,
    /// The standard input of the program.
    pub stdin: Stdin,
    /// The longest it may run.
    pub timeout: Duration,
    /// The most it may print on both streams together, in bytes.
    pub output_bytes: usize,
    /// The treatment of output past that.
    pub overflow: Overflow,
    /// The source of the result.
    pub parse: Parse,
    /// The exit codes that are no failure.
    pub ok_exit: ExitCodes,
}

/// The standard input of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stdin {
    /// Nothing: the stream is closed.
    Closed,
    /// The call's arguments as one line of JSON.
    Args,
}

/// The treatment of output past the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overflow {
    /// It is cut off and a note says so.
    Cut,
    /// The program is ended and the call fails with `too_large`.
    Fail,
}

/// Exit codes that are no failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExitCodes {
    /// All of them: whoever gets the result judges by `exit_code`. A program that a signal ended has none.
    Any,
    /// The codes in this list.
    These(Vec<i32>),
}

impl ExitCodes {
    /// Returns true if a program that ended with this code did not fail.
    #[must_use]
    pub fn contains(&self, code: i32) -> bool {
        match self {
            Self::Any => true,
            Self::These(codes) => codes.contains(&code),
        }
    }
}

/// The source of a call's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parse {
    /// A record `{stdout, stderr, exit_code}` of both outputs and the exit code.
    Record,
    /// The text of standard output, without the last line break.
    Text,
    /// The lines of standard output.
    Lines,
    /// Standard output read as one JSON value.
    Json,
    /// The bytes of standard output as a text in base64.
    Bytes,
}

impl CommandConfig {
    /// A program with these arguments and nothing to fill in, which takes its input as it comes.
    pub(super) fn fixed(name: &str, list: Vec<Argument>) -> Self {
        Self {
            name: name.into(),
            description: Str::new(),
            tags: Vec::new(),
            delivery: Delivery::AtMostOnce,
            approval: Approval::NotNeeded,
            probe: None,
            compensate: None,
            list,
            schema: Value::Null,
            dashes: true,
            folder: None,
            env: vec!["PATH".to_owned()],
            set_env: Vec::new(),
            stdin: Stdin::Args,
            timeout: TIMEOUT,
            output_bytes: 0,
            overflow: Overflow::Cut,
            parse: Parse::Text,
            ok_exit: ExitCodes::These(vec![0]),
        }
    }

    pub(super) fn read(
        name: &str,
        place: Range<usize>,
        table: &DeTable<'_>,
        faults: &mut Faults,
    ) -> Option<Self> {
        let fields = TableFields::new(format!("[tools.{name}]"), KEYS, table);
        let list = list(&fields, place, faults);
        let schema = schema::read(&fields, list.as_deref().unwrap_or_default(), faults);
        let texts =
            |texts: Vec<(&str, Range<usize>)>| texts.into_iter().map(|(text, _)| text.to_owned()).collect();
        let command = Self {
            name: name.into(),
            description: fields.string("description", faults).unwrap_or_default().into(),
            tags: fields
                .strings("tags", faults)
                .unwrap_or_default()
                .into_iter()
                .map(|(tag, _)| tag.into())
                .collect(),
            delivery: fields.choice("delivery", &Delivery::ALL, faults).unwrap_or(Delivery::AtMostOnce),
            approval: fields.approval(faults).unwrap_or_default(),
            probe: fields.string("probe", faults).map(Str::from),
            compensate: fields.string("compensate", faults).map(Str::from),
            list: Vec::new(),
            schema: Value::Null,
            dashes: fields.flag("dashes", faults).unwrap_or(false),
            folder: fields.string("folder", faults).map(str::to_owned),
            env: fields.strings("env", faults).map_or_else(|| vec!["PATH".to_owned()], texts),
            set_env: set_env(&fields, faults),
            stdin: fields.choice("stdin", &STDINS, faults).unwrap_or(Stdin::Closed),
            timeout: fields
                .duration("timeout", faults)
                .and_then(|nanos| u64::try_from(nanos).ok())
                .map_or(TIMEOUT, Duration::from_nanos),
            output_bytes: fields.count("output_bytes", faults).unwrap_or(OUTPUT_BYTES),
            overflow: fields.choice("overflow", &OVERFLOWS, faults).unwrap_or(Overflow::Cut),
            parse: fields.choice("parse", &PARSES, faults).unwrap_or(Parse::Record),
            ok_exit: ok_exit(&fields, faults),
        };
        fields.finish(faults);
        let (list, schema) = (list?, schema?);
        names_are_arguments(name, table, &list, &schema, faults);
        Some(Self { list, schema, ..command })
    }
}

const STDINS: [(&str, Stdin); 2] = [("closed", Stdin::Closed), ("args", Stdin::Args)];

const OVERFLOWS: [(&str, Overflow); 2] = [("cut", Overflow::Cut), ("fail", Overflow::Fail)];

pub(super) const PARSES: [(&str, Parse); 5] = [
    ("record", Parse::Record),
    ("text", Parse::Text),
    ("lines", Parse::Lines),
    ("json", Parse::Json),
    ("bytes", Parse::Bytes),
];

fn list(fields: &TableFields<'_>, place: Range<usize>, faults: &mut Faults) -> Option<Vec<Argument>> {
    let Some(value) = fields.get("command") else {
        // A misspelt key is refused as such; that is one fault, not two.
        if !fields.misspells("command") {
            faults
                .say(place, "this tool has no `command`")
                .help("write command = [\"program\", \"argument\", \"{name of an argument}\"]");
        }
        return None;
    };
    let DeValue::Array(items) = value.get_ref() else {
        faults
            .say(value.span(), format!("`command` is {}, wanted a list of texts", article(value.get_ref())))
            .help("no shell runs it: write each argument as an element of its own, like [\"grep\", \"-c\", \"{text}\"]");
        return None;
    };
    if items.is_empty() {
        faults.say(value.span(), "`command` is empty; its first element is the program");
        return None;
    }
    let mut list = Vec::with_capacity(items.len());
    for (i, item) in items.iter().enumerate() {
        let Some(text) = item.get_ref().as_str() else {
            faults.say(item.span(), format!("found {}, wanted a text", article(item.get_ref())));
            continue;
        };
        match Argument::parse(text) {
            Ok(argument) if i == 0 && argument.names().next().is_some() => {
                faults
                    .say(item.span(), "a call may not choose the program")
                    .help("write the program's name here");
            }
            Ok(Argument::Fixed(text)) if text.contains('\0') => {
                faults.say(item.span(), "an argument must not contain a zero byte");
            }
            Ok(argument) => list.push(argument),
            Err(fault) => {
                faults
                    .say(item.span(), fault)
                    .help("`{name}` is replaced by an argument; write a literal brace twice");
            }
        }
    }
    (list.len() == items.len()).then_some(list)
}

/// Each `{name}` is a property of the schema.
fn names_are_arguments(
    tool: &str,
    table: &DeTable<'_>,
    list: &[Argument],
    schema: &Value,
    faults: &mut Faults,
) {
    let properties = schema.as_map().and_then(|map| map.get("properties")).and_then(Value::as_map);
    let known = |name: &str| properties.is_some_and(|map| map.contains_key(name));
    let Some(items) = table.get("command").and_then(|value| value.get_ref().as_array()) else { return };
    for (argument, item) in list.iter().zip(items.iter()) {
        for name in argument.names().filter(|name| !known(name)) {
            let near = properties.and_then(|map| nearest(name, map.keys().map(Str::as_str)));
            faults.say(item.span(), format!("`{tool}` has no argument `{name}`")).help(near.map_or_else(
                || format!("add `{name}` to the arguments"),
                |near| did_you_mean(&format!("`{{{near}}}`")),
            ));
        }
    }
}

pub(super) fn set_env(fields: &TableFields<'_>, faults: &mut Faults) -> Vec<(String, String)> {
    let Some(table) = fields.table("set_env", faults) else { return Vec::new() };
    let mut set = Vec::new();
    for (key, value) in super::fields::in_order(table) {
        if let Some(text) = value.get_ref().as_str() {
            set.push((key.get_ref().as_ref().to_owned(), text.to_owned()));
        } else {
            faults.say(value.span(), format!("found {}, wanted a text", article(value.get_ref())));
        }
    }
    set
}

fn ok_exit(fields: &TableFields<'_>, faults: &mut Faults) -> ExitCodes {
    let zero = ExitCodes::These(vec![0]);
    let Some(value) = fields.get("ok_exit") else { return zero };
    if value.get_ref().as_str() == Some("any") {
        return ExitCodes::Any;
    }
    let code = |item: &DeValue<'_>| {
        item.as_integer()
            .and_then(|n| i32::from_str_radix(n.as_str(), n.radix()).ok())
            .filter(|n| (0..=255).contains(n))
    };
    let codes: Option<Vec<i32>> =
        value.get_ref().as_array().and_then(|items| items.iter().map(|item| code(item.get_ref())).collect());
    codes.filter(|codes| !codes.is_empty()).map_or_else(
        || {
            faults
                .say(value.span(), "`ok_exit` is a list of exit codes from 0 to 255, or \"any\"")
                .help("write ok_exit = [0, 1], or ok_exit = \"any\" for all of them");
            zero
        },
        ExitCodes::These,
    )
}
