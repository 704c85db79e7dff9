//! Measures: integers that guards ask to be at least 1, and that go down on the way round.

use rustc_hash::FxHashSet;

use super::holds::Atom;
use super::linear::Linear;
use super::region::Component;
use super::term::Term;
use super::unfold::Unfolding;
use crate::model::typing::Path;

/// The most measures that are tried for one region.
const MAX_MEASURES: usize = 24;

/// An integer over the state.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Measure {
    /// A sum.
    Sum(Linear),
    /// The place of the value of a boolean or enum among `members` values.
    Rank {
        /// The boolean or enum.
        path: Path,
        /// The number of values.
        members: u32,
        /// True if the last value has the rank 0, false if the first has.
        to_last: bool,
    },
}

impl Measure {
    /// The measures that guards of a region ask to be at least 1.
    pub(super) fn of_region(
        unfolding: &Unfolding,
        region: &Component,
        members: impl Fn(&Path) -> u32,
    ) -> Vec<Self> {
        let mut found: Vec<Self> = Vec::new();
        let mut seen: FxHashSet<&Atom> = FxHashSet::default();
        for atom in region.arcs.iter().flat_map(|id| unfolding.graph[*id].holds.iter()) {
            if found.len() >= MAX_MEASURES {
                break;
            }
            if !seen.insert(atom) {
                continue;
            }
            match atom {
                Atom::Positive(sum) => add_sum(&mut found, sum),
                Atom::Among(path, _) => {
                    for to_last in [true, false] {
                        let rank = Self::Rank { path: path.clone(), members: members(path), to_last };
                        if !found.contains(&rank) {
                            found.push(rank);
                        }
                    }
                }
            }
        }
        found
    }

    /// The rank of the value that has a place among the members.
    pub(super) fn rank(members: u32, to_last: bool, place: u32) -> u32 {
        if to_last { members.saturating_sub(place + 1) } else { place }
    }

    /// True if what holds at an edge says that the measure is at least 1.
    pub(super) fn is_positive(&self, holds: &[Atom]) -> bool {
        match self {
            Self::Sum(sum) => holds.iter().any(|atom| match atom {
                Atom::Positive(own) => own.terms == sum.terms && own.constant <= sum.constant,
                Atom::Among(..) => false,
            }),
            Self::Rank { path, members, to_last } => {
                let set = among(holds, path);
                bits(set).all(|place| Self::rank(*members, *to_last, place) > 0)
            }
        }
    }
}

/// Of sums that differ by a constant the greatest is at least 1 wherever one of them is.
fn add_sum(found: &mut Vec<Measure>, sum: &Linear) {
    let moves = |term: &Term| matches!(term, Term::Steps | Term::Visits(_));
    if sum.terms.is_empty() || sum.terms.iter().any(|(term, _)| moves(term)) {
        return;
    }
    let same = found.iter_mut().find_map(|own| match own {
        Measure::Sum(own) if own.terms == sum.terms => Some(own),
        _ => None,
    });
    match same {
        Some(own) => own.constant = own.constant.max(sum.constant),
        None => found.push(Measure::Sum(sum.clone())),
    }
}

/// The values that a place can have where this holds, by bit.
pub(super) fn among(holds: &[Atom], path: &Path) -> u64 {
    let sets = holds.iter().filter_map(|atom| match atom {
        Atom::Among(own, set) if own == path => Some(*set),
        _ => None,
    });
    sets.fold(u64::MAX, |all, set| all & set)
}

/// The places of the bits that are set.
pub(super) fn bits(set: u64) -> impl Iterator<Item = u32> {
    (0..u64::BITS).filter(move |place| set >> place & 1 == 1)
}
