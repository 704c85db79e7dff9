//! `[policy]`: flows that the operator denies.

use std::ops::Range;

use serde_json::json;
use toml::de::{DeTable, DeValue};

use super::faults::Faults;
use super::fields::{TableFields, article, words};
use crate::check::{Cut, CutSet, FlowRule, PatternFault, SourcePattern, TargetPattern};
use crate::diag::{Diagnostic, did_you_mean, nearest};
use crate::source::FileId;
use crate::syntax::{FileKey, KeyForm, keys_schema};

/// The most rules of one policy.
const MAX_RULES: usize = 256;

/// The keys of `[policy]`.
pub(super) const KEYS: &[FileKey] = &[FileKey::new(
    "deny",
    KeyForm::Schema(|| json!({"type": "array", "items": keys_schema(RULE_KEYS), "maxItems": MAX_RULES})),
    "The flows that a graph must not let through.",
)];

/// The keys of a rule.
const RULE_KEYS: &[FileKey] = &[
    FileKey::new("from", KeyForm::Text, "The pattern of the sources, such as `\"tool:web.*\"`.").required(),
    FileKey::new("to", KeyForm::Text, "The pattern of the targets, such as `\"tool:shell.*.command\"`.")
        .required(),
    FileKey::new(
        "unless",
        KeyForm::Schema(|| json!({"type": "array", "items": {"enum": words(&Cut::ALL)}})),
        "The things on the way after which the flow is let through.",
    ),
];

/// The flows that the operator denies. They only restrict, so that a file counts that nobody allowed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Policy {
    /// The rules, in the order of the file.
    pub deny: Vec<FlowRule>,
}

impl Policy {
    pub(super) fn read(table: &DeTable<'_>, faults: &mut Faults) -> Self {
        let fields = TableFields::new("[policy]", KEYS, table);
        let deny = match fields.list("deny", faults) {
            None => Vec::new(),
            Some(items) => {
                if let Some(item) = items.get(MAX_RULES) {
                    faults.say(item.span(), format!("there are more than {MAX_RULES} rules"));
                }
                let rules = items.iter().take(MAX_RULES).filter_map(|item| match item.get_ref() {
                    DeValue::Table(table) => rule(table, item.span(), faults),
                    other => {
                        faults
                            .say(item.span(), format!("found {}, wanted a table", article(other)))
                            .help("write {from = \"tool:web.*\", to = \"tool:shell.command\"}");
                        None
                    }
                });
                rules.collect()
            }
        };
        fields.finish(faults);
        Self { deny }
    }

    /// Reads it from the text of a configuration, whatever is wrong with the rest of it.
    ///
    /// # Errors
    /// Every fault of the table, in the order of their places. A text that is no TOML, or too long, is a fault where the word
    /// `policy` is in it: a rule that cannot be read is not passed over.
    pub fn of_text(text: &str, file: FileId) -> Result<Self, Vec<Diagnostic>> {
        let mut faults = Faults::new(file);
        let mut found = Self::default();
        match DeTable::parse(text) {
            _ if text.len() > super::MAX_BYTES => {
                if text.contains("policy") {
                    faults.say(0..0, "this file may hold a `[policy]`, and is too long to be read");
                }
            }
            Ok(document) => {
                let own = document.get_ref().get("policy").map(|own| (own.span(), own.get_ref()));
                match own {
                    Some((_, DeValue::Table(table))) => found = Self::read(table, &mut faults),
                    Some((place, other)) => {
                        faults.say(place, format!("`policy` is {}, wanted a table", article(other)));
                    }
                    None => {}
                }
            }
            Err(error) if text.contains("policy") => {
                let why = format!("this file may hold a `[policy]`, and is no TOML: {}", error.message());
                faults.say(error.span().unwrap_or(0..0), why);
            }
            Err(_) => {}
        }
        if faults.is_empty() { Ok(found) } else { Err(faults.sorted()) }
    }
}

fn rule(table: &DeTable<'_>, place: Range<usize>, faults: &mut Faults) -> Option<FlowRule> {
    let fields = TableFields::new("a rule of `deny`", RULE_KEYS, table);
    let from = pattern(&fields, ("from", SourcePattern::FORMS), place.clone(), SourcePattern::read, faults);
    let to = pattern(&fields, ("to", TargetPattern::FORMS), place.clone(), TargetPattern::read, faults);
    let mut unless = CutSet::NONE;
    for (word, place) in fields.strings("unless", faults).unwrap_or_default() {
        let known = Cut::ALL.iter().find(|(own, _)| *own == word);
        unless = unless.with(known.map_or(CutSet::NONE, |(_, cut)| CutSet::of(*cut)));
        if known.is_none() {
            let words = Cut::ALL.map(|(word, _)| format!("\"{word}\"")).join(", ");
            let near = nearest(word, Cut::ALL.iter().map(|(word, _)| *word));
            let help =
                near.map_or(format!("write some of {words}"), |near| did_you_mean(&format!("\"{near}\"")));
            faults.say(place, format!("nothing is cut by {word:?}")).help(help);
        }
    }
    fields.finish(faults);
    Some(FlowRule { from: from?, to: to?, unless, span: faults.span(place) })
}

/// A pattern that has to be there.
fn pattern<P>(
    fields: &TableFields<'_>,
    (key, forms): (&'static str, &[&str]),
    rule: Range<usize>,
    read: impl FnOnce(&str) -> Result<P, PatternFault>,
    faults: &mut Faults,
) -> Option<P> {
    let forms = format!("the forms are: {}", forms.join(", "));
    if !fields.has(key) && !fields.misspells(key) {
        faults.say(rule, format!("this rule has no `{key}`")).help(forms);
        return None;
    }
    let (text, place) = fields.string_at(key, faults)?;
    match read(text) {
        Ok(pattern) => Some(pattern),
        Err(fault) => {
            let why = match fault {
                PatternFault::Kind(_) => {
                    format!("`{key}` is {text:?}, which is the name of nothing that flows")
                }
                PatternFault::Name => format!("`{key}` is {text:?}, with a name missing or too many"),
                PatternFault::Character(other) => format!("`{key}` is {text:?}; no name has {other:?}"),
            };
            faults.say(place, why).help(forms);
            None
        }
    }
}
