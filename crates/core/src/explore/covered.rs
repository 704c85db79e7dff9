//! Nodes, edges and branches that were taken, each with the first run that took it.

use rustc_hash::FxHashMap;

use super::trail::Trail;
use crate::machine::{Event, EventPlace};
use crate::scenario::{ProgramPart, taken_at};

/// The parts of a program that were taken.
#[derive(Debug, Default)]
pub(super) struct CoveredParts(FxHashMap<ProgramPart, Trail>);

impl CoveredParts {
    /// Adds the parts that an event takes for the first time.
    pub(super) fn add_new(&self, event: &Event, place: &EventPlace, found: &mut Vec<ProgramPart>) {
        taken_at(event, place, &mut |part| {
            if !self.0.contains_key(&part) && !found.contains(&part) {
                found.push(part);
            }
        });
    }

    /// Notes the first run that takes a part.
    pub(super) fn take(&mut self, part: ProgramPart, trail: &Trail) {
        self.0.entry(part).or_insert_with(|| trail.clone());
    }

    /// True for a part that some run takes.
    pub(super) fn has(&self, part: ProgramPart) -> bool {
        self.0.contains_key(&part)
    }

    /// The parts with the first run that takes each, in order of the parts.
    pub(super) fn sorted(&self) -> Vec<(ProgramPart, &Trail)> {
        let mut all: Vec<_> = self.0.iter().map(|(part, trail)| (*part, trail)).collect();
        all.sort_unstable_by_key(|(part, _)| *part);
        all
    }
}
