//! Amounts spent stay spent; limits are those of the other program.

use super::Carrier;
use super::fields::FreshFrames;
use super::frame::Active;
use super::pairing::Pairing;
use crate::program::frame::{Counters, FamilyCounters, Frame};
use crate::value::Str;

impl<'a> Carrier<'a> {
    pub(super) fn budgets(
        &mut self,
        frame: &Frame,
        moved: &mut Frame,
        pairing: &Pairing<'a>,
        active: &Active<'_>,
        fresh: &FreshFrames,
    ) {
        self.lost(frame, pairing, active);
        for (place, budget) in pairing.new.budgets.iter().enumerate().filter(|(_, b)| b.family.is_none()) {
            let old = pairing.budgets[place].map(|old| old as usize);
            let alive = active.holds(pairing.new, budget.scope);
            let was = old.filter(|old| pairing.old.budgets[*old].family.is_none());
            let limits =
                (was.and_then(|was| Some(fresh.old.as_ref()?.counters[was])), fresh.new.counters[place]);
            moved.counters[place] = match was {
                Some(was) => {
                    self.same_unit(pairing, (was, place), frame.counters[was].used, alive);
                    counted(frame.counters[was], limits)
                }
                None if alive => limits.1,
                None => Counters::default(),
            };
        }
        for (place, family) in pairing.new.families.iter().enumerate() {
            let alive = active.holds(pairing.new, family.scope);
            moved.families[place] = match pairing.families[place] {
                Some(old) if alive => self.family(frame, pairing, fresh, (old as usize, place)),
                Some(old) if same_meters(pairing, (old as usize, place)) => {
                    frame.families[old as usize].clone()
                }
                None if alive => fresh.new.families[place].clone(),
                _ => FamilyCounters::default(),
            };
        }
    }

    /// Budgets, and keys and meters of families, that are gone though something was spent of them.
    fn lost(&mut self, frame: &Frame, pairing: &Pairing<'a>, active: &Active<'_>) {
        let stay: rustc_hash::FxHashSet<u32> = pairing.budgets.iter().flatten().copied().collect();
        for (place, budget) in (0_u32..).zip(&pairing.old.budgets) {
            if stay.contains(&place) || !active.holds(pairing.old, budget.scope) {
                continue;
            }
            let used = match budget.family {
                None => frame.counters[place as usize].used,
                Some((family, meter)) => {
                    let rows = &frame.families[family as usize].rows;
                    rows.iter().fold(0_i64, |sum, row| sum.saturating_add(row[meter as usize].used))
                }
            };
            if used > 0 {
                let name = &budget.name;
                self.refuse(format!(
                    "the budget `{name}` is gone, and something was spent of it; its limit may be another, its name not"
                ));
            }
        }
    }

    /// Refuses a count in one unit for a budget in another.
    fn same_unit(&mut self, pairing: &Pairing<'a>, (was, is): (usize, usize), used: i64, alive: bool) {
        let (was, is) = (&pairing.old.budgets[was], &pairing.new.budgets[is]);
        if alive && used > 0 && was.charge != is.charge {
            self.refuse(format!(
                "the budget `{}` counts something else now, and something was spent of it",
                is.name
            ));
        }
    }

    fn family(
        &mut self,
        frame: &Frame,
        pairing: &Pairing<'a>,
        fresh: &FreshFrames,
        (was, is): (usize, usize),
    ) -> FamilyCounters {
        let own = &frame.families[was];
        let (old, new) = (fresh.old.as_ref().map(|old| &old.families[was]), &fresh.new.families[is]);
        let keys = if old.is_some_and(|old| old.keys == new.keys) { &own.keys } else { &new.keys };
        self.keys(pairing, own, keys, was);
        let meters = &pairing.new.families[is].meters;
        let rows = keys.iter().map(|key| {
            let row = |meter: &u32| {
                let limit = cell(new, key, position(pairing.new.budgets[*meter as usize].family));
                let old_meter = pairing.budgets[*meter as usize];
                let place = old_meter.and_then(|old| pairing.old.budgets[old as usize].family);
                let before = place.and_then(|place| cell(own, key, position(Some(place))));
                let first = place.and_then(|place| cell(old?, key, position(Some(place))));
                // A key that was fixed at the start and is not among those of today keeps its limits.
                let limit = limit.or(before).unwrap_or_default();
                before.map_or(limit, |before| counted(before, (first, limit)))
            };
            meters.iter().map(row).collect()
        });
        let rows = rows.collect();
        for meter in meters {
            if let Some(old) = pairing.budgets[*meter as usize] {
                let used = total(own, position(pairing.old.budgets[old as usize].family));
                self.same_unit(pairing, (old as usize, *meter as usize), used, true);
            }
        }
        FamilyCounters { keys: keys.clone(), rows }
    }

    fn keys(&mut self, pairing: &Pairing<'a>, own: &FamilyCounters, keys: &[Str], was: usize) {
        for (key, row) in own.keys.iter().zip(&own.rows) {
            if !keys.contains(key) && row.iter().any(|counters| counters.used > 0) {
                let name = &pairing.old.families[was].name;
                self.refuse(format!(
                    "the budgets `{name}` have no key '{key}' now, and something was spent of it"
                ));
            }
        }
    }
}

/// The amounts spent, under the limits of the other program; where both give the same ones nothing was changed, and they
/// stay what they were fixed at.
fn counted(own: Counters, (then, now): (Option<Counters>, Counters)) -> Counters {
    let Counters { used, limit: _, grace: _ } = own;
    if then == Some(now) { own } else { Counters { used, ..now } }
}

fn position(family: Option<(u32, u32)>) -> usize {
    family.map_or(usize::MAX, |(_, meter)| meter as usize)
}

fn cell(family: &FamilyCounters, key: &Str, meter: usize) -> Option<Counters> {
    let row = family.keys.iter().position(|own| own == key)?;
    family.rows.get(row)?.get(meter).copied()
}

fn total(family: &FamilyCounters, meter: usize) -> i64 {
    family
        .rows
        .iter()
        .filter_map(|row| row.get(meter))
        .fold(0, |sum, counters| sum.saturating_add(counters.used))
}

fn same_meters(pairing: &Pairing<'_>, (was, is): (usize, usize)) -> bool {
    let (was, is) = (&pairing.old.families[was].meters, &pairing.new.families[is].meters);
    was.len() == is.len() && was.iter().zip(is).all(|(was, is)| pairing.budgets[*is as usize] == Some(*was))
}
