//! `[check]`: the severities that the operator gives to rules.

use serde_json::{Map, Value, json};
use toml::de::{DeTable, DeValue};

use super::faults::Faults;
use super::fields::{chosen, in_order, words};
use crate::diag::{Diagnostic, Rule, Severity, did_you_mean, nearest, rule};
use crate::source::FileId;

/// The words of the file, and the severity each of them stands for. The findings of a rule that is off are left out.
const WORDS: [(&str, Option<Severity>); 4] = [
    ("off", None),
    ("note", Some(Severity::Note)),
    ("warning", Some(Severity::Warning)),
    ("error", Some(Severity::Error)),
];

/// The JSON Schema of `[check]`: the rules are its keys.
pub(super) fn schema() -> Value {
    let rule = |rule: &Rule| {
        let severity = json!({"enum": words(&WORDS), "description": rule.summary()});
        (rule.slug().to_owned(), severity)
    };
    let properties: Map<_, _> = rule::ALL.iter().map(rule).collect();
    json!({"type": "object", "properties": properties, "additionalProperties": false})
}

/// The severities of rules, where they are not those that the rules have by themselves.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RuleSeverities {
    rows: Vec<(Rule, Option<Severity>)>,
}

impl RuleSeverities {
    pub(super) fn read(table: &DeTable<'_>, faults: &mut Faults) -> Self {
        let mut rows = Vec::new();
        for (key, value) in in_order(table) {
            let name = key.get_ref();
            let Some(rule) = rule::named(name) else {
                let near = nearest(name, rule::ALL.iter().map(|rule| rule.slug()));
                let help = near.map_or_else(
                    || "a finding names its rule in brackets: `warning[unused]`".to_owned(),
                    |near| did_you_mean(&format!("`{near}`")),
                );
                faults.unknown(key.span(), format!("[check] has no rule `{name}`")).help(help);
                continue;
            };
            if let Some(severity) = chosen(rule.slug(), value, &WORDS, faults) {
                rows.push((rule, severity));
            }
        }
        Self { rows }
    }

    /// Reads them from the text of a configuration, whatever is wrong with the rest of it. Of a text that is no TOML
    /// nothing is read.
    ///
    /// # Errors
    /// Every fault of the table, in the order of their places.
    pub fn of_text(text: &str, file: FileId) -> Result<Self, Vec<Diagnostic>> {
        let mut faults = Faults::new(file);
        let mut found = Self::default();
        if text.len() <= super::MAX_BYTES
            && let Ok(document) = DeTable::parse(text)
            && let Some(DeValue::Table(table)) = document.get_ref().get("check").map(toml::Spanned::get_ref)
        {
            found = Self::read(table, &mut faults);
        }
        if faults.is_empty() { Ok(found) } else { Err(faults.sorted()) }
    }

    /// Gives each finding the severity of its rule, and takes out those of rules that are off. An error stays one.
    #[must_use]
    pub fn apply(&self, findings: &mut Vec<Diagnostic>) -> Vec<Diagnostic> {
        let mut off = Vec::new();
        findings.retain_mut(|finding| {
            let Some((_, severity)) = self.rows.iter().find(|(rule, _)| *rule == finding.rule) else {
                return true;
            };
            match severity {
                _ if finding.severity == Severity::Error => {
                    if *severity != Some(Severity::Error) {
                        finding.help.push(
                            "[check] of the configuration changes warnings and notes, and no errors".into(),
                        );
                    }
                    true
                }
                Some(severity) => {
                    finding.severity = *severity;
                    true
                }
                None => {
                    off.push(finding.clone());
                    false
                }
            }
        });
        off
    }
}
