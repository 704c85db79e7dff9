//! A scenario file with what was added to it.

use serde_json::json;

use crate::explore::{self, CoveringScenario, Exploration};
use crate::scenario::{NamedPart, print};
use crate::source::Sources;

/// A part that no scenario covers.
#[derive(Debug, Clone)]
pub struct UncoveredPart {
    /// The part.
    pub part: NamedPart,
    /// The reason.
    pub why: String,
    /// True if a run of the search takes it.
    pub is_reached: bool,
}

/// A scenario file with what was added to it.
#[derive(Debug)]
pub struct ExtendedSuite {
    /// The path of the file.
    pub path: String,
    /// The whole text; none where nothing was added.
    pub text: Option<String>,
    /// The number of scenarios that were there.
    pub present: usize,
    /// The scenarios that were added.
    pub added: Vec<CoveringScenario>,
    /// The parts that are not covered.
    pub uncovered: Vec<UncoveredPart>,
    /// The number of all parts.
    pub parts: usize,
    /// The results of the search.
    pub exploration: Exploration,
}

impl ExtendedSuite {
    /// As JSON: `file`, `present`, `written`, `uncovered`, `parts`, and the results of the search under `search`.
    #[must_use]
    pub fn json(&self, sources: &Sources) -> serde_json::Value {
        let part = |own: &NamedPart| {
            let at = print::place(own.span, sources);
            json!({"part": own.part.word(), "name": own.name, "at": at})
        };
        let written = |own: &CoveringScenario| {
            let covers: Vec<_> = own.covers.iter().map(part).collect();
            json!({"name": own.name, "covers": covers})
        };
        let uncovered = |own: &UncoveredPart| {
            let mut json = part(&own.part);
            json["why"] = own.why.as_str().into();
            json["reached"] = own.is_reached.into();
            json
        };
        json!({
            "v": 1,
            "file": self.path,
            "present": self.present,
            "written": self.added.iter().map(written).collect::<Vec<_>>(),
            "parts": self.parts,
            "uncovered": self.uncovered.iter().map(uncovered).collect::<Vec<_>>(),
            "search": explore::print::json(&self.exploration, sources),
        })
    }
}
