//! Taking a TOML table apart, key by key.

use std::ops::Range;

use serde_json::json;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::faults::Faults;
use crate::diag::{did_you_mean, nearest};
use crate::program::Approval;
use crate::syntax::{FileKey, KeyForm, keys_schema};
use crate::value::{MAX_DEPTH, Map, Str, Value, duration};

/// The key of tools by which a person is asked before each call.
pub(super) const APPROVAL: FileKey = FileKey::new(
    "approval",
    KeyForm::Schema(|| json!({"anyOf": [{"type": "boolean"}, keys_schema(APPROVAL_KEYS)]})),
    "True has a person approve each call, and `{expires = \"10m\"}` in that time and not later.",
);

const APPROVAL_KEYS: &[FileKey] =
    &[FileKey::new("expires", KeyForm::Duration, "The time in which the approval must come.")];

/// The fields of a table with the keys that it may have; [`TableFields::finish`] refuses all others.
pub(super) struct TableFields<'t> {
    /// The name of the table in messages.
    what: String,
    keys: &'static [FileKey],
    table: &'t DeTable<'t>,
}

impl<'t> TableFields<'t> {
    pub(super) fn new(what: impl Into<String>, keys: &'static [FileKey], table: &'t DeTable<'t>) -> Self {
        Self { what: what.into(), keys, table }
    }

    /// The form of a key.
    fn form(&self, key: &str) -> Option<KeyForm> {
        self.keys.iter().find(|own| own.name == key).map(|own| own.form)
    }

    /// The value of a key, which is one of those that the table may have.
    pub(super) fn get(&self, key: &'static str) -> Option<&'t Spanned<DeValue<'t>>> {
        debug_assert!(self.form(key).is_some(), "{} may have the key `{key}`", self.what);
        self.table.get(key)
    }

    pub(super) fn table(&self, key: &'static str, faults: &mut Faults) -> Option<&'t DeTable<'t>> {
        self.read(key, "a table", faults, DeValue::as_table)
    }

    pub(super) fn string(&self, key: &'static str, faults: &mut Faults) -> Option<&'t str> {
        self.read(key, "a text", faults, DeValue::as_str)
    }

    /// A text with its place.
    pub(super) fn string_at(
        &self,
        key: &'static str,
        faults: &mut Faults,
    ) -> Option<(&'t str, Range<usize>)> {
        let text = self.string(key, faults)?;
        Some((text, self.table.get(key)?.span()))
    }

    pub(super) fn flag(&self, key: &'static str, faults: &mut Faults) -> Option<bool> {
        self.read(key, "true or false", faults, DeValue::as_bool)
    }

    /// `approval`: true, false, or `{expires = "10m"}`.
    pub(super) fn approval(&self, faults: &mut Faults) -> Option<Approval> {
        let value = self.get("approval")?;
        match value.get_ref() {
            DeValue::Boolean(true) => Some(Approval::Needed),
            DeValue::Boolean(false) => Some(Approval::NotNeeded),
            DeValue::Table(table) => {
                let fields = TableFields::new("`approval`", APPROVAL_KEYS, table);
                let expires = fields.duration("expires", faults);
                fields.finish(faults);
                Some(expires.map_or(Approval::Needed, Approval::NeededWithin))
            }
            other => {
                faults
                    .say(value.span(), format!("`approval` is {}, wanted true or false", article(other)))
                    .help("write approval = true, or approval = {expires = \"10m\"} for a yes that must come in time");
                None
            }
        }
    }

    /// A list of values with their places.
    pub(super) fn list(&self, key: &'static str, faults: &mut Faults) -> Option<&'t [Spanned<DeValue<'t>>]> {
        self.read(key, "a list", faults, |value| value.as_array().map(|items| &**items))
    }

    /// A list of texts with their places.
    pub(super) fn strings(
        &self,
        key: &'static str,
        faults: &mut Faults,
    ) -> Option<Vec<(&'t str, Range<usize>)>> {
        let items = self.read(key, "a list of texts", faults, DeValue::as_array)?;
        let text = |item: &'t Spanned<DeValue<'t>>, faults: &mut Faults| {
            let text = item.get_ref().as_str();
            if text.is_none() {
                faults.say(item.span(), format!("found {}, wanted a text", article(item.get_ref())));
            }
            text.map(|text| (text, item.span()))
        };
        Some(items.iter().filter_map(|item| text(item, faults)).collect())
    }

    /// A whole number, in the bounds of the key.
    pub(super) fn count(&self, key: &'static str, faults: &mut Faults) -> Option<usize> {
        let value = self.get(key)?;
        let Some(KeyForm::Count(least, most)) = self.form(key) else {
            unreachable!("the form of `{key}` is a count")
        };
        let number =
            value.get_ref().as_integer().and_then(|n| usize::from_str_radix(n.as_str(), n.radix()).ok());
        let number = number.filter(|n| (least..=most).contains(n));
        if number.is_none() {
            faults.say(
                value.span(),
                format!(
                    "`{key}` is {}, wanted a whole number from {least} to {most}",
                    shown(value.get_ref())
                ),
            );
        }
        number
    }

    /// A duration above zero, in nanoseconds.
    pub(super) fn duration(&self, key: &'static str, faults: &mut Faults) -> Option<i64> {
        let value = self.get(key)?;
        let nanos = value.get_ref().as_str().and_then(|text| duration::parse(text).ok()).filter(|n| *n > 0);
        if nanos.is_none() {
            faults
                .say(value.span(), format!("`{key}` is {}, wanted a duration", shown(value.get_ref())))
                .help(format!("write it like this: {key} = \"1m30s\" (units ns us ms s m h d)"));
        }
        nanos
    }

    /// A number, in the bounds of the key.
    pub(super) fn number(&self, key: &'static str, faults: &mut Faults) -> Option<f64> {
        let value = self.get(key)?;
        let Some(KeyForm::Number(least, most)) = self.form(key) else {
            unreachable!("the form of `{key}` is a number")
        };
        let number = match value.get_ref() {
            DeValue::Float(number) => number.as_str().parse().ok(),
            DeValue::Integer(number) => number.as_str().parse().ok(),
            _ => None,
        };
        let number = number.filter(|n| (least..=most).contains(n));
        if number.is_none() {
            let found = shown(value.get_ref());
            faults.say(value.span(), format!("`{key}` is {found}, wanted a number from {least} to {most}"));
        }
        number
    }

    /// One of some words.
    pub(super) fn choice<T: Copy>(
        &self,
        key: &'static str,
        words: &[(&str, T)],
        faults: &mut Faults,
    ) -> Option<T> {
        chosen(key, self.get(key)?, words, faults)
    }

    /// Returns true if a key is there.
    pub(super) fn has(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    /// The place of a key's value; the beginning of the file where there is no such key.
    pub(super) fn place(&self, key: &str) -> Range<usize> {
        self.table.get(key).map(Spanned::span).unwrap_or_default()
    }

    /// Returns true if some key looks like a slip for `key`.
    pub(super) fn misspells(&self, key: &str) -> bool {
        self.table.keys().any(|found| nearest(found.get_ref(), [key]).is_some())
    }

    fn read<T>(
        &self,
        key: &'static str,
        wanted: &str,
        faults: &mut Faults,
        take: impl FnOnce(&'t DeValue<'t>) -> Option<T>,
    ) -> Option<T> {
        let value = self.get(key)?;
        let taken = take(value.get_ref());
        if taken.is_none() {
            faults.say(value.span(), format!("`{key}` is {}, wanted {wanted}", article(value.get_ref())));
        }
        taken
    }

    /// Refuses every key that the table may not have.
    pub(super) fn finish(self, faults: &mut Faults) {
        let known: Vec<_> = self.keys.iter().map(|key| key.name).collect();
        for key in self.table.keys().filter(|key| self.form(key.get_ref()).is_none()) {
            let name = key.get_ref();
            let near = nearest(name, known.iter().copied());
            let help = near.map_or_else(
                || format!("the keys of {} are: {}", self.what, known.join(", ")),
                |near| did_you_mean(&format!("`{near}`")),
            );
            faults.unknown(key.span(), format!("{} has no key `{name}`", self.what)).help(help);
        }
    }
}

/// The meaning of the word that a key has, of those that it may have.
pub(super) fn chosen<T: Copy>(
    key: &str,
    value: &Spanned<DeValue<'_>>,
    words: &[(&str, T)],
    faults: &mut Faults,
) -> Option<T> {
    let text = value.get_ref().as_str();
    let found = words.iter().find(|(word, _)| Some(*word) == text).map(|(_, meaning)| *meaning);
    if found.is_none() {
        let all = words.iter().map(|(word, _)| format!("\"{word}\"")).collect::<Vec<_>>().join(", ");
        let near = text.and_then(|text| nearest(text, words.iter().map(|(word, _)| *word)));
        faults
            .say(value.span(), format!("`{key}` is {}, wanted one of {all}", shown(value.get_ref())))
            .help_if(near.map(|near| did_you_mean(&format!("\"{near}\""))));
    }
    found
}

/// The words of a choice.
pub(super) fn words<T>(choices: &[(&'static str, T)]) -> Vec<&'static str> {
    choices.iter().map(|(word, _)| *word).collect()
}

/// A key and its value with their places.
pub(super) type TableEntry<'t> = (&'t Spanned<DeString<'t>>, &'t Spanned<DeValue<'t>>);

/// The entries of a table in the order of the file.
pub(super) fn in_order<'t>(table: &'t DeTable<'t>) -> Vec<TableEntry<'t>> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}

/// The keys of a table, if there is one.
pub(super) fn keys(table: Option<&DeTable<'_>>) -> Vec<String> {
    table.map(in_order).into_iter().flatten().map(|(key, _)| key.get_ref().to_string()).collect()
}

/// The kind of a value as messages name it.
pub(super) const fn article(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

/// A short value as it is written, else its kind.
pub(super) fn shown(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) if text.len() <= 40 => format!("{text:?}"),
        DeValue::Integer(number) => number.as_str().to_owned(),
        DeValue::Float(number) => number.as_str().to_owned(),
        DeValue::Boolean(flag) => flag.to_string(),
        other => article(other).to_owned(),
    }
}

/// A TOML value as a value of the language. Dates are refused: the language has none.
pub(super) fn value_of(value: &Spanned<DeValue<'_>>, faults: &mut Faults) -> Option<Value> {
    let read = convert(value, faults)?;
    if read.depth() > MAX_DEPTH {
        faults.say(value.span(), format!("lists and tables nest deeper than {MAX_DEPTH}"));
        return None;
    }
    Some(read)
}

fn convert(value: &Spanned<DeValue<'_>>, faults: &mut Faults) -> Option<Value> {
    Some(match value.get_ref() {
        DeValue::String(text) => Value::from(text.as_ref()),
        DeValue::Boolean(flag) => Value::Bool(*flag),
        DeValue::Integer(number) => {
            let read = i64::from_str_radix(number.as_str(), number.radix()).map(Value::Int);
            return number_of(read.ok(), value, faults);
        }
        DeValue::Float(number) => {
            return number_of(number.as_str().parse().map(Value::Float).ok(), value, faults);
        }
        DeValue::Datetime(_) => {
            faults
                .say(value.span(), "found a date; there is no such type")
                .help("write it in quotes, as a text");
            return None;
        }
        DeValue::Array(items) => {
            Value::List(items.iter().map(|item| convert(item, faults)).collect::<Option<Vec<_>>>()?.into())
        }
        DeValue::Table(table) => Value::Map(map_of(table, faults)?),
    })
}

fn number_of(read: Option<Value>, place: &Spanned<DeValue<'_>>, faults: &mut Faults) -> Option<Value> {
    if read.is_none() {
        faults.say(place.span(), "this number does not fit in 64 bits");
    }
    read
}

/// A TOML table as a map, in the order of the file.
fn map_of(table: &DeTable<'_>, faults: &mut Faults) -> Option<Map> {
    let entries = in_order(table).into_iter().map(|(key, value)| {
        let value = convert(value, faults)?;
        Some((Str::from(key.get_ref().as_ref()), value))
    });
    entries.collect()
}
