//! Finds the greatest cost of a run.
//!
//! Every state gets a height, every unit of every budget a price, so that no arc costs more than it goes down and pays for:
//! `cost <= height(from) - height(to) + units * price`. Then no run costs more than the height of its start and the prices
//! of all the units it may spend. A region that leads round takes out the arcs that pay one budget, solves what still
//! leads round in the rest, stacks those parts by their heights, and sees what the arcs taken out need as a price. What a
//! composite's own budget costs is added to the height of its region wherever an outer region enters the composite.
//!
//! In a region that a measure bounds, heights are found twice: without the arcs that lower it, and without those that ask
//! for it to be at least 1. While it is, a run descends along the first, and every lowering arc is paid by the measure;
//! then it descends along the second. What a run must have when it comes there (height and fee) is more than what
//! it surely has when it leaves (the height alone).

use rustc_hash::{FxHashMap, FxHashSet};

use super::budgets::Unknowns;
use super::cost::Cost;
use super::judge::{Falling, LoopJudge};
use super::payer::Payer;
use super::region::{Component, Parting, RegionFacts};
use super::unfold::{ArcId, StateId, Unfolding};

/// The deepest nesting of regions; deeper ones are not counted.
const MAX_REGION_DEPTH: u32 = 100;

/// At most so many orders of budgets are tried, and no more once so many arcs were looked at.
const MAX_ORDERS: usize = 40;
const MAX_ARCS: usize = 4_000_000;

/// The price of a unit of each budget.
type Prices = FxHashMap<Payer, Cost>;

/// The least that could be found of what a run can cost, where every arc costs `weights`.
pub(super) fn most(judge: &LoopJudge<'_>, weights: &[Cost]) -> Cost {
    let (unfolding, unknowns) = (judge.unfolding, judge.unknowns);
    let mut order = unknowns.paying();
    // Loops inside of others mostly have the larger budgets.
    order.sort_by_key(|id| unknowns.units_of(*id).number);
    let mut best = solved(judge, weights, &order);
    let mut tried = FxHashSet::from_iter([order.clone()]);
    let allowed = MAX_ORDERS.min(MAX_ARCS / unfolding.graph.edge_count().max(1));
    let mut better = true;
    while std::mem::take(&mut better) && tried.len() < allowed {
        for from in 0..order.len() {
            for to in 0..order.len() {
                if tried.len() >= allowed {
                    return best;
                }
                if from == to {
                    continue;
                }
                let mut other = order.clone();
                let moved = other.remove(from);
                other.insert(to, moved);
                if !tried.insert(other.clone()) {
                    continue;
                }
                let cost = solved(judge, weights, &other);
                if cost.number < best.number {
                    (best, order, better) = (cost, other, true);
                }
            }
        }
    }
    best
}

fn solved(judge: &LoopJudge<'_>, weights: &[Cost], order: &[Payer]) -> Cost {
    let (unfolding, unknowns) = (judge.unfolding, judge.unknowns);
    let mut solving = Solving {
        judge,
        unfolding,
        unknowns,
        weights,
        ranks: order.iter().copied().zip(0..).collect(),
        parting: Parting::of(unfolding),
        heights: vec![Cost::default(); unfolding.graph.node_count()],
        fees: FxHashMap::default(),
        overflow: Cost::default(),
    };
    let whole = Component::whole(unfolding);
    let prices = solving.stack(&whole, &|_| false, 0);
    let mut cost = solving.whole(Unfolding::start());
    for (budget, price) in &prices {
        cost.add(&price.times(unknowns.units_of(*budget)));
    }
    cost.raise(&solving.overflow);
    cost
}

struct Solving<'a, 'j> {
    judge: &'a LoopJudge<'j>,
    unfolding: &'a Unfolding,
    unknowns: &'a Unknowns<'a>,
    weights: &'a [Cost],
    ranks: FxHashMap<Payer, u32>,
    parting: Parting<'a>,
    heights: Vec<Cost>,
    /// The cost of entering states from outside of the regions that are solved, where there is any: budgets that begin
    /// afresh.
    fees: FxHashMap<StateId, Cost>,
    /// As large as can be once anything was too large to be counted.
    overflow: Cost,
}

impl Solving<'_, '_> {
    /// Solves what leads round in a region without the arcs that `taken` names, stacks it, and gives the prices of the
    /// payers that hold for the whole region.
    fn stack(&mut self, region: &Component, taken: &dyn Fn(ArcId) -> bool, depth: u32) -> Prices {
        let unfolding = self.unfolding;
        let parts = self.parting.parts(region, taken);
        let facts = RegionFacts::of(unfolding, region);
        let mut prices = Prices::default();
        for (part, leaving) in parts.all.iter().zip(&parts.leaving) {
            if part.arcs.is_empty() {
                for state in &part.states {
                    self.heights[state.index()] = Cost::default();
                    self.fees.remove(state);
                }
            } else {
                let fee = self.inner(part, &facts, depth, &mut prices);
                if !fee.is_nothing() {
                    part.states.iter().for_each(|state| self.fees.entry(*state).or_default().add(&fee));
                }
            }
            let mut lift = Cost::default();
            for id in leaving {
                lift.raise(&self.need(*id, &prices));
            }
            for state in &part.states {
                self.heights[state.index()].add(&lift);
                let height = self.heights[state.index()].clone();
                self.note(&height);
            }
        }
        prices
    }

    /// Solves a part of a region. Gives what entering it costs; prices that hold in the whole region go to `prices`.
    fn inner(&mut self, part: &Component, facts: &RegionFacts, depth: u32, prices: &mut Prices) -> Cost {
        let mut fee = Cost::default();
        for (budget, price) in self.round(part, depth + 1) {
            if facts.counts(budget, self.unfolding, self.unknowns) {
                prices.entry(budget).or_default().raise(&price);
            } else {
                fee.add(&price.times(self.unknowns.units_of(budget)));
            }
        }
        self.note(&fee);
        fee
    }

    /// Solves a part that leads round: takes out the arcs that pay the first payer of the order that holds for it, or
    /// all payers' where regions nest too deep; goes by its measure where nothing is paid.
    fn round(&mut self, part: &Component, depth: u32) -> Prices {
        let unfolding = self.unfolding;
        let own = RegionFacts::of(unfolding, part);
        let paid = part.arcs.iter().flat_map(|id| &unfolding.graph[*id].pays).map(|(payer, _)| *payer);
        let paid = paid.filter(|payer| own.counts(*payer, unfolding, self.unknowns));
        let mut payers: Vec<Payer> = paid.collect();
        payers.sort_unstable();
        payers.dedup();
        if depth > 2 * MAX_REGION_DEPTH {
            return self.give_up(part);
        }
        if depth <= MAX_REGION_DEPTH
            && let Some(first) = payers.iter().copied().min_by_key(|payer| self.ranks[payer])
        {
            payers = vec![first];
        }
        if payers.is_empty() {
            let falling = self.judge.falling(part);
            return match falling {
                Some(falling) => self.measured(part, &falling, depth),
                None => self.give_up(part),
            };
        }
        let pays =
            |id: ArcId| unfolding.graph[id].pays.iter().any(|(payer, _)| payers.binary_search(payer).is_ok());
        let mut prices = self.stack(part, &pays, depth);
        for payer in payers {
            self.price(part, payer, &mut prices);
        }
        prices
    }

    /// Solves a part that a measure `f` bounds: by `(f - 1) * price + height` of the first kind `+ last` while it is at
    /// least 1, and by the height of the second kind from then on.
    fn measured(&mut self, part: &Component, falling: &Falling, depth: u32) -> Prices {
        let unfolding = self.unfolding;
        let mut prices = self.stack(part, &|id| falling.lowering.contains(&id), depth);
        let mut price = Cost::default();
        for id in &falling.lowering {
            price.raise(&self.need(*id, &prices));
        }
        self.note(&price);
        let first: FxHashMap<StateId, (Cost, Cost)> =
            part.states.iter().map(|id| (*id, (self.heights[id.index()].clone(), self.whole(*id)))).collect();
        let after = self.stack(part, &|id| falling.guarded.contains(&id), depth);
        let mut last = Cost::default();
        for id in &part.arcs {
            let mut need = self.weights[id.index()].clone();
            need.add(&self.whole(unfolding.to(*id)));
            need.lower(&first[&unfolding.from(*id)].0);
            last.raise(&need);
        }
        for (state, (low, _)) in &first {
            let mut need = self.heights[state.index()].clone();
            need.lower(low);
            last.raise(&need);
        }
        let mut paid = price.times(&self.judge.most(falling));
        paid.add(&last);
        for (state, (_, high)) in &first {
            let mut whole = high.clone();
            whole.add(&paid);
            whole.lower(&price);
            whole.raise(&self.whole(*state));
            self.note(&whole);
            whole.lower(&self.heights[state.index()]);
            self.fees.insert(*state, whole);
        }
        for (payer, price) in after {
            prices.entry(payer).or_default().raise(&price);
        }
        prices
    }

    fn add_fee(&self, cost: &mut Cost, state: StateId) {
        if let Some(fee) = self.fees.get(&state) {
            cost.add(fee);
        }
    }

    /// Height and fee of a state.
    fn whole(&self, state: StateId) -> Cost {
        let mut whole = self.heights[state.index()].clone();
        self.add_fee(&mut whole, state);
        whole
    }

    /// A part that cannot be counted.
    fn give_up(&mut self, part: &Component) -> Prices {
        self.overflow = Cost::of(u64::MAX);
        for state in &part.states {
            self.heights[state.index()] = Cost::default();
            self.fees.remove(state);
        }
        Prices::default()
    }

    /// Raises the price of a budget to what the arcs that pay it need.
    fn price(&mut self, region: &Component, budget: Payer, prices: &mut Prices) {
        let mut most = Cost::default();
        for id in &region.arcs {
            let arc = &self.unfolding.graph[*id];
            let Some((_, amount)) = arc.pays.iter().find(|(own, _)| *own == budget) else { continue };
            let need = self.need(*id, prices);
            most.raise(&share(need, self.unknowns.units(budget, *amount)));
        }
        self.note(&most);
        prices.entry(budget).or_default().raise(&most);
    }

    /// The cost of an arc beyond what it goes down and pays for.
    fn need(&self, id: ArcId, prices: &Prices) -> Cost {
        let (from, to) = (self.unfolding.from(id), self.unfolding.to(id));
        let mut need = self.weights[id.index()].clone();
        self.add_fee(&mut need, to);
        need.add(&self.heights[to.index()]);
        need.lower(&self.heights[from.index()]);
        for (budget, amount) in &self.unfolding.graph[id].pays {
            if let Some(price) = prices.get(budget) {
                need.lower(&price.times(&Cost::of(self.unknowns.units(*budget, *amount))));
            }
        }
        need
    }

    fn note(&mut self, cost: &Cost) {
        if cost.number == u64::MAX {
            self.overflow.number = u64::MAX;
        }
        if cost.formula.is_boundless() {
            self.overflow.formula = cost.formula.clone();
        }
    }
}

/// A price that is enough when `units` are paid.
fn share(need: Cost, units: u64) -> Cost {
    if units > 1 && need.formula == super::formula::Formula::constant(need.number) {
        return Cost::of(need.number.div_ceil(units));
    }
    need
}
