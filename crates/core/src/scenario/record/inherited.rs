//! The defaults of a scenario file, as far as a scenario that is written into it must say otherwise.

use crate::scenario::file::Scenario;
use crate::value::{List, Str};

/// What a scenario has of its file's defaults where it says nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InheritedDefaults {
    /// The tools on offer.
    pub catalogue: Option<List>,
    /// The tools with answers, which a scenario without answers of tools has.
    pub tools: Vec<Str>,
    /// True if there is a seed.
    pub is_seeded: bool,
    /// True if people answer.
    pub has_people: bool,
}

impl InheritedDefaults {
    /// Those of a file with these defaults.
    #[must_use]
    pub fn of(defaults: &Scenario) -> Self {
        let tools =
            defaults.answers.tools.iter().filter_map(|answer| Some(answer.from.as_ref()?.value.clone()));
        Self {
            catalogue: defaults.catalogue.clone(),
            tools: tools.collect(),
            is_seeded: defaults.seed != 0,
            has_people: !defaults.answers.people.is_empty(),
        }
    }
}
