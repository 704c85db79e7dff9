//! `[hooks.NAME]`: programs that are told what runs do.

use std::ops::Range;
use std::time::Duration;

use serde_json::{Value as Json, json};
use toml::de::{DeTable, DeValue};

use super::arguments::Argument;
use super::command::{CommandConfig, ENV, FOLDER, SET_ENV, list_schema, set_env};
use super::faults::Faults;
use super::fields::{TableFields, article, in_order, words};
use crate::syntax::{FileKey, KeyForm, by_name, keys_schema};

/// The most hooks of a file: each may have one program at work.
const MAX_HOOKS: usize = 8;

/// The time a program may take for one event unless the hook says otherwise.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The longest such time.
const MAX_TIMEOUT: Duration = Duration::from_mins(10);

/// The keys of a hook.
const KEYS: &[FileKey] = &[
    FileKey::new("command", KeyForm::Schema(list_schema), "The program and its arguments, as they are.")
        .required(),
    FileKey::new(
        "on",
        KeyForm::Schema(
            || json!({"type": "array", "items": {"enum": words(&HookEvent::ALL)}, "minItems": 1}),
        ),
        "The events that the program is told of.",
    )
    .required(),
    FOLDER,
    ENV,
    SET_ENV,
    FileKey::new("timeout", KeyForm::Duration, "The longest time for one event; default 10s, at most 10m."),
];

/// The JSON Schema of `[hooks]`.
pub(super) fn schema() -> Json {
    let mut hooks = by_name(&keys_schema(KEYS));
    hooks["propertyNames"] = json!({"pattern": super::TOOL_NAME});
    hooks["maxProperties"] = json!(MAX_HOOKS);
    hooks
}

/// A program that is started for events of runs. It has no effect on them.
#[derive(Debug, Clone, PartialEq)]
pub struct HookConfig {
    /// The events that it is told of.
    pub on: Vec<HookEvent>,
    /// The program, under the name of the hook: it gets the event on standard input.
    pub command: CommandConfig,
}

/// The kinds of event that hooks may be told of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookEvent {
    /// A run began.
    RunStarted,
    /// A node was entered.
    NodeEntered,
    /// A call of a model or a tool came back.
    CallFinished,
    /// A run ended.
    RunEnded,
}

impl HookEvent {
    const ALL: [(&str, Self); 4] = [
        ("run.started", Self::RunStarted),
        ("node.entered", Self::NodeEntered),
        ("call.finished", Self::CallFinished),
        ("run.ended", Self::RunEnded),
    ];

    /// Its name in configurations and in what programs are told.
    #[must_use]
    pub const fn name(self) -> &'static str {
        Self::ALL[self as usize].0
    }
}

/// Reads `[hooks]`, in the order of the file.
pub(super) fn read(table: &DeTable<'_>, faults: &mut Faults) -> Vec<HookConfig> {
    let mut hooks = Vec::new();
    for (i, (key, value)) in in_order(table).into_iter().enumerate() {
        let name = key.get_ref();
        if i == MAX_HOOKS {
            faults.say(key.span(), format!("there are more than {MAX_HOOKS} hooks"));
        }
        match value.get_ref() {
            _ if !super::is_tool_name(name) => {
                faults
                    .say(key.span(), format!("`{name}` is not a valid name for a hook"))
                    .help("a hook's name has at most 64 letters, digits, `_` and `-`");
            }
            DeValue::Table(table) => hooks.extend(HookConfig::read(name, key.span(), table, faults)),
            other => {
                faults
                    .say(value.span(), format!("found {}, wanted a table", article(other)))
                    .help(format!("write [hooks.{name}] and `command` and `on` under it"));
            }
        }
    }
    hooks
}

impl HookConfig {
    fn read(name: &str, place: Range<usize>, table: &DeTable<'_>, faults: &mut Faults) -> Option<Self> {
        let fields = TableFields::new(format!("[hooks.{name}]"), KEYS, table);
        let list = list(&fields, place.clone(), faults);
        let on = events(&fields, place, faults);
        let texts =
            |texts: Vec<(&str, Range<usize>)>| texts.into_iter().map(|(text, _)| text.to_owned()).collect();
        let folder = fields.string("folder", faults).map(str::to_owned);
        let env = fields.strings("env", faults).map_or_else(|| vec!["PATH".to_owned()], texts);
        let set_env = set_env(&fields, faults);
        let timeout = timeout(&fields, table, faults);
        fields.finish(faults);
        let command = CommandConfig { folder, env, set_env, timeout, ..CommandConfig::fixed(name, list?) };
        Some(Self { on: on?, command })
    }
}

/// The program and its arguments, as they are: there is nothing to fill in.
fn list(fields: &TableFields<'_>, place: Range<usize>, faults: &mut Faults) -> Option<Vec<Argument>> {
    let misspelt = fields.misspells("command");
    let Some(texts) = fields.strings("command", faults) else {
        if !fields.has("command") && !misspelt {
            faults
                .say(place, "this hook has no `command`")
                .help("write command = [\"program\", \"argument\"]");
        }
        return None;
    };
    let item = fields.place("command");
    if texts.is_empty() {
        faults.say(item, "`command` is empty; its first element is the program");
        return None;
    }
    for (text, place) in &texts {
        if text.contains('\0') {
            faults.say(place.clone(), "an argument must not contain a zero byte");
        }
    }
    Some(texts.into_iter().map(|(text, _)| Argument::Fixed(text.to_owned())).collect())
}

/// The events of a hook; all of them need to be named.
fn events(fields: &TableFields<'_>, place: Range<usize>, faults: &mut Faults) -> Option<Vec<HookEvent>> {
    let names = HookEvent::ALL.map(|(name, _)| format!("\"{name}\"")).join(", ");
    let misspelt = fields.misspells("on");
    let Some(words) = fields.strings("on", faults) else {
        if !fields.has("on") && !misspelt {
            faults.say(place, "this hook has no `on`").help(format!("write on = [{names}], or some of them"));
        }
        return None;
    };
    if words.is_empty() {
        faults.say(fields.place("on"), "`on` is empty").help(format!("the events are: {names}"));
    }
    let mut on = Vec::new();
    for (word, place) in words {
        match HookEvent::ALL.iter().find(|(name, _)| *name == word) {
            Some((_, event)) => on.push(*event),
            None => {
                faults
                    .say(place, format!("there is no event {word:?}"))
                    .help(format!("the events are: {names}"));
            }
        }
    }
    Some(on)
}

fn timeout(fields: &TableFields<'_>, table: &DeTable<'_>, faults: &mut Faults) -> Duration {
    let nanos = fields.duration("timeout", faults).and_then(|nanos| u64::try_from(nanos).ok());
    let timeout = nanos.map_or(TIMEOUT, Duration::from_nanos);
    if timeout > MAX_TIMEOUT
        && let Some(value) = table.get("timeout")
    {
        faults.say(value.span(), "`timeout` of a hook is at most 10m");
    }
    timeout
}
