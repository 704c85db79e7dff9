//! Versions of a graph judged the same, or not, by playing every answer against both.

use crate::diff::Version;
use crate::explore::{StateSpace, WorldSettings, are_same_runs};
use crate::mutate::Equivalence;
use crate::program::Program;

/// The inputs that are taken before it is given up.
const MAX_INPUTS: usize = 20_000;

/// A judge of two versions: they do the same if no answer, and no input of either, makes a run of one differ from that of the
/// other.
#[must_use]
pub fn explored_equivalence(one: &Version<'_>, other: &Version<'_>) -> Equivalence {
    let one = StateSpace::new(one.model, one.program, &all_open(one.program));
    let other = StateSpace::new(other.model, other.program, &all_open(other.program));
    match are_same_runs(&one, &other, MAX_INPUTS) {
        Some(true) => Equivalence::Same,
        Some(false) => Equivalence::Different,
        None => Equivalence::Unknown,
    }
}

/// A world in which any input may have any value.
fn all_open(program: &Program) -> WorldSettings {
    let root = &program.graphs[0];
    let open = root.slots.iter().take(root.inputs as usize).map(|slot| slot.name.clone()).collect();
    WorldSettings { open, ..WorldSettings::default() }
}
