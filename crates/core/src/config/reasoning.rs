//! `reasoning` of an entry of `[models]`: an effort, or a number of tokens.

use serde_json::json;
use toml::de::DeValue;

use super::faults::Faults;
use super::fields::{TableFields, shown, words};
use crate::diag::{did_you_mean, nearest};
use crate::syntax::{FileKey, KeyForm};
use crate::wire::{ModelTarget, Reasoning, ReasoningEffort};

/// The most tokens that may be written.
const MAX_TOKENS: u32 = 10_000_000;

/// The key.
pub(super) const REASONING: FileKey = FileKey::new(
    "reasoning",
    KeyForm::Schema(|| {
        let tokens = json!({"type": "integer", "minimum": 1, "maximum": MAX_TOKENS});
        json!({"anyOf": [{"enum": words(&ReasoningEffort::ALL)}, tokens]})
    }),
    "The amount that the model may reason before it answers: an effort, or a number of tokens.",
);

/// Reads the key.
pub(super) fn read(fields: &TableFields<'_>, faults: &mut Faults) -> Option<Reasoning> {
    let value = fields.get("reasoning")?;
    let taken = match value.get_ref() {
        DeValue::String(word) => {
            let effort = ReasoningEffort::ALL.iter().find(|(name, _)| *name == word.as_ref());
            effort.map(|(_, effort)| Reasoning::Effort(*effort))
        }
        DeValue::Integer(number) => {
            let tokens = u32::from_str_radix(number.as_str(), number.radix()).ok();
            tokens.filter(|tokens| (1..=MAX_TOKENS).contains(tokens)).map(Reasoning::Tokens)
        }
        _ => None,
    };
    if taken.is_some() {
        return taken;
    }
    let found = shown(value.get_ref());
    let words = ReasoningEffort::ALL.map(|(name, _)| name);
    let near = value.get_ref().as_str().and_then(|word| nearest(word, words));
    let wanted = "wanted \"low\", \"medium\", \"high\" or a number of tokens";
    faults
        .say(value.span(), format!("`reasoning` is {found}, {wanted} from 1 to {MAX_TOKENS}"))
        .help_if(near.map(|near| did_you_mean(&format!("\"{near}\""))));
    None
}

/// Holds it against what the provider takes.
pub(super) fn check(target: &ModelTarget, place: std::ops::Range<usize>, faults: &mut Faults) {
    let Some(reasoning) = target.reasoning else { return };
    if let Some((fault, cure)) = target.provider.reasoning_fault(target, reasoning) {
        faults.say(place, fault).help(cure);
    }
}
