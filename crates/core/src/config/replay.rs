//! `[replay]`: a recorded run that answers in place of models.

use toml::de::DeTable;

use super::faults::Faults;
use super::fields::TableFields;
use crate::syntax::{FileKey, KeyForm};
use crate::value::Str;

/// The keys of `[replay]`.
pub(super) const KEYS: &[FileKey] = &[
    FileKey::new("from", KeyForm::Text, "The id of the run, in the store of the command.").required(),
    FileKey::new("tools", KeyForm::Flag, "True has it answer calls of tools as well, and no tool is called."),
];

/// A recorded run whose answers are given again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplayConfig {
    /// The id of the run.
    pub from: Str,
    /// True if it answers calls of tools as well, and no tool is called.
    pub tools: bool,
}

impl ReplayConfig {
    pub(super) fn read(table: &DeTable<'_>, faults: &mut Faults) -> Option<Self> {
        let fields = TableFields::new("[replay]", KEYS, table);
        let from = fields.string("from", faults);
        let tools = fields.flag("tools", faults);
        let is_missing = !fields.has("from") && !fields.misspells("from");
        fields.finish(faults);
        if is_missing {
            let place = table.keys().next().map(toml::Spanned::span).unwrap_or_default();
            faults
                .say(place, "[replay] names no run".to_owned())
                .help("from = \"ID\"; `loopwright runs` lists the ids");
        }
        Some(Self { from: from?.into(), tools: tools.unwrap_or(false) })
    }
}
