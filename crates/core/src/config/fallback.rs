//! `[models.ROLE] use = […]`: entries that are tried one after another.

use std::ops::Range;

use serde_json::{Value as Json, json};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::faults::Faults;
use super::fields::{TableFields, in_order, words};
use crate::diag::{did_you_mean, nearest};
use crate::program::error::ErrorKind;
use crate::syntax::{FileKey, KeyForm, keys_schema};
use crate::value::Str;

/// The most entries of one list.
const MAX_ENTRIES: usize = 16;

/// The keys that make an entry a model.
const KEYS_OF_MODEL: [&str; 2] = ["provider", "model"];

/// The kinds of error on which a list may go on beside those on which it always does.
const ALSO_ON: [(&str, ErrorKind); 2] =
    [("invalid_output", ErrorKind::InvalidOutput), ("context_limit", ErrorKind::ContextLimit)];

/// The keys of a list.
const KEYS: &[FileKey] = &[
    FileKey::new(
        "use",
        KeyForm::Texts,
        "The names of other entries of `[models]`, in the order in which they are asked.",
    )
    .required(),
    FileKey::new(
        "also_on",
        KeyForm::Schema(|| json!({"type": "array", "items": {"enum": words(&ALSO_ON)}})),
        "Further kinds of error after which the next entry is asked.",
    ),
];

/// The JSON Schema of an entry that is a list.
pub(super) fn schema() -> Json {
    keys_schema(KEYS)
}

/// A role that is served by other entries: the first one answers, and the next one where that fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FallbackConfig {
    /// The role; `*` is every role that is not named.
    pub role: Str,
    /// The entries in the order in which they are tried, at least one.
    pub entries: Vec<Str>,
    /// Kinds of error on which the next entry is tried, beside `unavailable`, `rate_limited` and `denied`.
    pub also_on: Vec<ErrorKind>,
}

impl FallbackConfig {
    /// Returns true if the next entry is tried after an error of this kind.
    #[must_use]
    pub fn goes_on_after(&self, kind: ErrorKind) -> bool {
        let always = [ErrorKind::Unavailable, ErrorKind::RateLimited, ErrorKind::Denied];
        always.contains(&kind) || self.also_on.contains(&kind)
    }
}

/// Returns true if an entry of `[models]` is a list.
pub(super) fn is_list(table: &DeTable<'_>) -> bool {
    table.contains_key("use")
}

/// Reads a list. Its names are held against the other entries by [`check`].
pub(super) fn read(role: &str, table: &DeTable<'_>, faults: &mut Faults) -> Option<FallbackConfig> {
    let own: Vec<_> = in_order(table).into_iter().filter(|(key, _)| is_key_of_model(key.get_ref())).collect();
    if let Some((first, _)) = own.first() {
        let list: Vec<_> = own.iter().map(|(key, _)| format!("`{}`", key.get_ref())).collect();
        faults.say(first.span(), format!("[models.{role}] has `use`, and also {}", list.join(" and "))).help(
                "write the model as an entry of its own, such as [models.fast], and name that: use = [\"fast\"]; or remove `use`",
        );
        return None;
    }
    let fields = TableFields::new(format!("[models.{role}] with `use`"), KEYS, table);
    let names = fields.strings("use", faults);
    let also_on = also_on(&fields, faults);
    fields.finish(faults);
    let names = names?;
    let place = table.get("use").map(Spanned::span).unwrap_or_default();
    if names.len() > MAX_ENTRIES {
        faults.say(place, format!("`use` has {} entries; at most {MAX_ENTRIES} are tried", names.len()));
        return None;
    }
    let is_empty =
        table.get("use").and_then(|value| value.get_ref().as_array()).is_some_and(|all| all.is_empty());
    if is_empty {
        faults
            .say(place, "`use` is empty")
            .help("name at least one entry of [models]: use = [\"fast\", \"strong\"]");
        return None;
    }
    Some(FallbackConfig {
        role: role.into(),
        entries: names.into_iter().map(|(name, _)| name.into()).collect(),
        also_on,
    })
}

fn is_key_of_model(key: &str) -> bool {
    KEYS_OF_MODEL.contains(&key)
}

fn also_on(fields: &TableFields<'_>, faults: &mut Faults) -> Vec<ErrorKind> {
    let mut kinds = Vec::new();
    for (word, place) in fields.strings("also_on", faults).unwrap_or_default() {
        if let Some((_, kind)) = ALSO_ON.iter().find(|(name, _)| *name == word) {
            kinds.push(*kind);
            continue;
        }
        let words = ALSO_ON.map(|(name, _)| name);
        let near = nearest(word, words).map(|near| did_you_mean(&format!("\"{near}\"")));
        let always = "after `unavailable`, `rate_limited` and `denied` the next entry is tried in any case; after other errors \
                      none is";
        faults
            .say(place, format!("found {word:?}, wanted \"{}\"", words.join("\" or \"")))
            .help(near.unwrap_or_else(|| always.to_owned()));
    }
    kinds
}

/// Holds the names of all lists against the entries of the file.
pub(super) fn check(table: &DeTable<'_>, faults: &mut Faults) {
    let mut in_cycles: Vec<&str> = Vec::new();
    for (key, _) in in_order(table) {
        let role: &str = key.get_ref();
        let Some(names) = list_of(table, role) else { continue };
        if names.len() > MAX_ENTRIES {
            continue;
        }
        for (i, (name, place)) in names.iter().enumerate() {
            if names[..i].iter().any(|(before, _)| before == name) {
                faults.say(place.clone(), format!("`{name}` is named twice")).help(format!(
                    "an entry is tried as often as its `attempts` says; remove the second `{name}`"
                ));
            } else if !table.contains_key(*name) {
                let known = in_order(table).into_iter().map(|(key, _)| key.get_ref().as_ref());
                let known: Vec<&str> = known.filter(|entry| list_of(table, entry).is_none()).collect();
                let help = nearest(name, known.iter().copied()).map_or_else(
                    || format!("the models of this file are: {}", known.join(", ")),
                    |near| did_you_mean(&format!("`{near}`")),
                );
                faults.say(place.clone(), format!("there is no [models.{name}]")).help(help);
            } else if let Some(cycle) = path_back(table, role, name) {
                if !cycle.iter().any(|member| in_cycles.contains(member)) {
                    let path = [cycle.as_slice(), &[role]].concat().join(" -> ");
                    faults
                        .say(place.clone(), format!("the lists lead in a circle: {path}"))
                        .help("name entries that have a `provider`");
                    in_cycles.extend(cycle);
                }
            } else if let Some(inner) = list_of(table, name) {
                let inner: Vec<_> = inner.iter().map(|(name, _)| format!("\"{name}\"")).collect();
                faults
                    .say(place.clone(), format!("[models.{name}] is a list itself, and lists do not nest"))
                    .help(format!("name its entries here: {}", inner.join(", ")));
            }
        }
    }
}

/// The names of a list with their places; none where an entry is no list.
fn list_of<'t>(table: &'t DeTable<'t>, role: &str) -> Option<Vec<(&'t str, Range<usize>)>> {
    let list = table.get(role)?.get_ref().as_table()?.get("use")?.get_ref().as_array()?;
    let name = |item: &'t Spanned<DeValue<'t>>| Some((item.get_ref().as_str()?, item.span()));
    Some(list.iter().filter_map(name).collect())
}

/// The lists from `role` over `name` back to `role`, if there is such a path.
fn path_back<'t>(table: &'t DeTable<'t>, role: &'t str, name: &'t str) -> Option<Vec<&'t str>> {
    let mut paths = vec![vec![role, name]];
    let mut seen = vec![];
    while let Some(path) = paths.pop() {
        let last = *path.last()?;
        if last == role {
            return Some(path[..path.len() - 1].to_vec());
        }
        if seen.contains(&last) {
            continue;
        }
        seen.push(last);
        for (next, _) in list_of(table, last).into_iter().flatten() {
            paths.push([path.as_slice(), &[next]].concat());
        }
    }
    None
}
