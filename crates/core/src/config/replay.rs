//! `[replay]`: a recorded run that answers in place of models.

use toml::de::DeTable;

use super::faults::Faults;
use super::fields::TableFields;
use crate::value::Str;

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
        let mut fields = TableFields::new("[replay]", table);
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
