//! The judgement over regions: those that go round without end, and the measures that bound others.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::budgets::Unknowns;
use super::change::{falls_where_positive, growth};
use super::cost::Cost;
use super::declared::Declared;
use super::measure::Measure;
use super::ranks::Ranks;
use super::region::{Component, Parting, RegionFacts};
use super::unfold::{ArcId, Unfolding};
use crate::model::typing::Path;

/// Measures of regions that nest deeper than this are not looked for.
const MAX_MEASURE_DEPTH: u32 = 8;
/// The most arcs that are looked at for measures, over all regions of a graph.
const MAX_MEASURED_ARCS: usize = 2_000_000;

/// A measure that bounds how often a region goes round.
pub(super) struct Falling {
    measure: Measure,
    /// Arcs before which it is at least 1.
    pub(super) guarded: FxHashSet<ArcId>,
    /// Arcs that lower it where it is at least 1. No arc of the region raises it.
    pub(super) lowering: FxHashSet<ArcId>,
    /// The least amount by which they lower it.
    step: u64,
}

/// A measure for a region, or the parts for which there is none.
type Judgement = Result<Rc<Falling>, Vec<Component>>;

/// Judges the regions of one unfolding.
pub(super) struct LoopJudge<'a> {
    pub(super) declared: Declared<'a>,
    pub(super) unfolding: &'a Unfolding,
    pub(super) unknowns: &'a Unknowns<'a>,
    parting: RefCell<Parting<'a>>,
    ranks: RefCell<FxHashMap<Path, Option<Rc<Ranks<'a>>>>>,
    judged: RefCell<FxHashMap<Vec<ArcId>, Judgement>>,
    looked_at: Cell<usize>,
}

impl<'a> LoopJudge<'a> {
    pub(super) fn new(declared: Declared<'a>, unfolding: &'a Unfolding, unknowns: &'a Unknowns<'a>) -> Self {
        Self {
            declared,
            unfolding,
            unknowns,
            parting: RefCell::new(Parting::of(unfolding)),
            ranks: RefCell::default(),
            judged: RefCell::default(),
            looked_at: Cell::new(0),
        }
    }

    /// The parts of a region that go round without end: nothing that is spent in them bounds it, and no measure does. Arcs
    /// that `left_out` names do not count.
    pub(super) fn endless(&self, region: &Component, left_out: impl Fn(ArcId) -> bool) -> Vec<Component> {
        self.endless_at(region, left_out, 0)
    }

    fn endless_at(&self, region: &Component, left_out: impl Fn(ArcId) -> bool, depth: u32) -> Vec<Component> {
        let mut open = self.parting.borrow_mut().circles(region, left_out);
        let mut endless = Vec::new();
        while let Some(region) = open.pop() {
            let facts = RegionFacts::of(self.unfolding, &region);
            let paid = |id: ArcId| facts.is_paid(id, self.unfolding, self.unknowns);
            if region.arcs.iter().any(|id| paid(*id)) {
                open.extend(self.parting.borrow_mut().circles(&region, paid));
            } else if let Err(parts) = self.falling_at(region, depth) {
                endless.extend(parts);
            }
        }
        endless
    }

    /// The measure that bounds a region in which nothing is paid.
    pub(super) fn falling(&self, region: &Component) -> Option<Rc<Falling>> {
        self.falling_at(region.clone(), 0).ok()
    }

    fn falling_at(&self, region: Component, depth: u32) -> Judgement {
        let mut key = region.arcs.clone();
        key.sort_unstable();
        if let Some(known) = self.judged.borrow().get(&key) {
            return known.clone();
        }
        let judgement = self.search(region, depth);
        self.judged.borrow_mut().insert(key, judgement.clone());
        judgement
    }

    fn search(&self, region: Component, depth: u32) -> Judgement {
        let mut left: Option<Vec<Component>> = None;
        let size = |parts: &[Component]| parts.iter().map(|part| part.arcs.len()).sum::<usize>();
        let members = |path: &Path| self.ranks(path).map_or(0, |ranks| ranks.members());
        for measure in Measure::of_region(self.unfolding, &region, members) {
            let looked_at = self.looked_at.get() + region.arcs.len();
            if depth >= MAX_MEASURE_DEPTH || looked_at > MAX_MEASURED_ARCS {
                break;
            }
            self.looked_at.set(looked_at);
            let Some(falling) = self.measured(measure, &region) else { continue };
            let mut parts = self.endless_at(&region, |id| falling.guarded.contains(&id), depth + 1);
            for part in self.endless_at(&region, |id| falling.lowering.contains(&id), depth + 1) {
                if parts.iter().all(|own| !shares(own, &part)) {
                    parts.push(part);
                }
            }
            if parts.is_empty() {
                return Ok(Rc::new(falling));
            }
            if left.as_ref().is_none_or(|left| size(&parts) < size(left)) {
                left = Some(parts);
            }
        }
        Err(left.unwrap_or_else(|| vec![region]))
    }

    /// The effect of a measure in a region; [`None`] if it may rise there, or never falls, or nothing asks for it.
    fn measured(&self, measure: Measure, region: &Component) -> Option<Falling> {
        let mut falling = Falling {
            measure,
            guarded: FxHashSet::default(),
            lowering: FxHashSet::default(),
            step: u64::MAX,
        };
        for id in &region.arcs {
            let arc = &self.unfolding.graph[*id];
            let (rises, falls, mut is_guarded) = match &falling.measure {
                Measure::Sum(sum) => {
                    let to = self.unfolding.graph[self.unfolding.to(*id)];
                    let growth = growth(self.declared, sum, arc, to);
                    let falls = growth.is_some_and(|n| n < 0);
                    // A step that depends on the measure counts as one of 1.
                    let by_itself = growth == Some(0) && falls_where_positive(self.declared, sum, arc, to);
                    if let Some(growth) = growth.filter(|_| falls) {
                        falling.step = falling.step.min(growth.unsigned_abs());
                    } else if by_itself {
                        falling.step = 1;
                    }
                    (growth.is_none_or(|n| n > 0), falls || by_itself, false)
                }
                Measure::Rank { path, to_last, .. } => {
                    let ranks = self.ranks(path)?;
                    let (rises, falls) = ranks.change(*to_last, *id);
                    (rises, falls, ranks.is_positive(*to_last, *id))
                }
            };
            if rises {
                return None;
            }
            is_guarded |= falling.measure.is_positive(&arc.holds);
            if is_guarded {
                falling.guarded.insert(*id);
            }
            if falls {
                falling.lowering.insert(*id);
            }
        }
        (!falling.guarded.is_empty() && !falling.lowering.is_empty()).then_some(falling)
    }

    /// The number of times that a measure can be lowered until it is less than 1, from its greatest value where a run comes
    /// to its region.
    pub(super) fn most(&self, falling: &Falling) -> Cost {
        match &falling.measure {
            Measure::Sum(sum) => self.unknowns.steps(sum, falling.step),
            Measure::Rank { members, .. } => Cost::of(u64::from(members.saturating_sub(1))),
        }
    }

    fn ranks(&self, path: &Path) -> Option<Rc<Ranks<'a>>> {
        if let Some(known) = self.ranks.borrow().get(path) {
            return known.clone();
        }
        self.looked_at.set(self.looked_at.get() + self.unfolding.graph.edge_count());
        let found = Ranks::of(self.declared, self.unfolding, path).map(Rc::new);
        self.ranks.borrow_mut().insert(path.clone(), found.clone());
        found
    }
}

/// True if two parts have an arc in common.
fn shares(one: &Component, other: &Component) -> bool {
    let own: FxHashSet<ArcId> = one.arcs.iter().copied().collect();
    other.arcs.iter().any(|id| own.contains(id))
}
