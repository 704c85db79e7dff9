//! Finds the greatest cost of a run.
//!
//! Every state gets a height, every unit of every budget a price, so that no arc costs more than it goes down and pays for:
//! `cost <= height(from) - height(to) + units * price`. Then no run costs more than the height of its start and the prices
//! of all the units it may spend. A region that leads round takes out the arcs that pay one budget, solves what still
//! leads round in the rest, stacks those parts by their heights, and sees what the arcs taken out need as a price. What a
//! composite's own budget costs is added to the height of its region wherever an outer region enters the composite.

use rustc_hash::{FxHashMap, FxHashSet};

use super::budgets::Unknowns;
use super::cost::Cost;
use super::region::{Component, Parting, counts, entered};
use super::unfold::{ArcId, Unfolding};
use crate::model::expr::BudgetId;
use crate::model::node::NodeId;

/// The deepest nesting of regions; deeper ones are not counted.
const MAX_REGION_DEPTH: u32 = 100;

/// At most so many orders of budgets are tried, and no more once so many arcs were looked at.
const MAX_ORDERS: usize = 40;
const MAX_ARCS: usize = 4_000_000;

/// The price of a unit of each budget.
type Prices = FxHashMap<BudgetId, Cost>;

/// The least that could be found of what a run can cost, where every arc costs `weights`.
pub(super) fn most(unfolding: &Unfolding, unknowns: &Unknowns<'_>, weights: &[Cost]) -> Cost {
    let mut order = unknowns.paying();
    // Loops inside of others mostly have the larger budgets.
    order.sort_by_key(|id| unknowns.units_of(*id).number);
    let mut best = solved(unfolding, unknowns, weights, &order);
    let mut tried = FxHashSet::from_iter([order.clone()]);
    let allowed = MAX_ORDERS.min(MAX_ARCS / unfolding.graph.edge_count().max(1));
    let mut better = true;
    while std::mem::take(&mut better) {
        for from in 0..order.len() {
            for to in 0..order.len() {
                if from == to || tried.len() >= allowed {
                    continue;
                }
                let mut other = order.clone();
                let moved = other.remove(from);
                other.insert(to, moved);
                if !tried.insert(other.clone()) {
                    continue;
                }
                let cost = solved(unfolding, unknowns, weights, &other);
                if cost.number < best.number {
                    (best, order, better) = (cost, other, true);
                }
            }
        }
    }
    best
}

fn solved(unfolding: &Unfolding, unknowns: &Unknowns<'_>, weights: &[Cost], order: &[BudgetId]) -> Cost {
    let mut solving = Solving {
        unfolding,
        unknowns,
        weights,
        ranks: order.iter().copied().zip(0..).collect(),
        parting: Parting::of(unfolding),
        heights: vec![Cost::default(); unfolding.graph.node_count()],
        fees: vec![Cost::default(); unfolding.graph.node_count()],
        overflow: Cost::default(),
    };
    let whole = Component::whole(unfolding);
    let prices = solving.stack(&whole, None, 0);
    let start = Unfolding::start().index();
    let mut cost = solving.heights[start].clone();
    cost.add(&solving.fees[start]);
    for (budget, price) in &prices {
        cost.add(&price.times(unknowns.units_of(*budget)));
    }
    cost.raise(&solving.overflow);
    cost
}

struct Solving<'a> {
    unfolding: &'a Unfolding,
    unknowns: &'a Unknowns<'a>,
    weights: &'a [Cost],
    ranks: FxHashMap<BudgetId, u32>,
    parting: Parting<'a>,
    heights: Vec<Cost>,
    /// The cost of entering each state from outside of the regions that are solved: budgets that begin afresh.
    fees: Vec<Cost>,
    /// As large as can be once anything was too large to be counted.
    overflow: Cost,
}

impl Solving<'_> {
    /// Solves what leads round in a region without the arcs that pay `taken`, stacks it, and gives the prices of the
    /// budgets that hold for the whole region.
    fn stack(&mut self, region: &Component, taken: Option<BudgetId>, depth: u32) -> Prices {
        let unfolding = self.unfolding;
        let pays =
            |id: ArcId| taken.is_some_and(|b| unfolding.graph[id].pays.iter().any(|(own, _)| *own == b));
        let parts = self.parting.parts(region, pays);
        let entered = entered(unfolding, region);
        let mut prices = Prices::default();
        for (part, leaving) in parts.all.iter().zip(&parts.leaving) {
            if part.arcs.is_empty() {
                for state in &part.states {
                    self.heights[state.index()] = Cost::default();
                    self.fees[state.index()] = Cost::default();
                }
            } else {
                let fee = self.inner(part, &entered, depth, &mut prices);
                if !fee.is_nothing() {
                    part.states.iter().for_each(|state| self.fees[state.index()].add(&fee));
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
        if let Some(budget) = taken {
            self.price(region, budget, &mut prices);
        }
        prices
    }

    /// Solves a part of a region. Gives what entering it costs; prices that hold in the whole region go to `prices`.
    fn inner(
        &mut self,
        part: &Component,
        entered: &FxHashSet<NodeId>,
        depth: u32,
        prices: &mut Prices,
    ) -> Cost {
        let mut fee = Cost::default();
        for (budget, price) in self.round(part, depth + 1) {
            if counts(budget, self.unknowns, entered) {
                prices.entry(budget).or_default().raise(&price);
            } else {
                fee.add(&price.times(self.unknowns.units_of(budget)));
            }
        }
        self.note(&fee);
        fee
    }

    /// Solves a part that leads round: takes out the arcs that pay the first budget of the order that holds for it.
    fn round(&mut self, part: &Component, depth: u32) -> Prices {
        let own = entered(self.unfolding, part);
        let paid = part.arcs.iter().flat_map(|id| &self.unfolding.graph[*id].pays).map(|(b, _)| *b);
        let first = paid.filter(|b| counts(*b, self.unknowns, &own)).min_by_key(|b| self.ranks[b]);
        if let Some(budget) = first.filter(|_| depth <= MAX_REGION_DEPTH) {
            return self.stack(part, Some(budget), depth);
        }
        self.overflow = Cost::of(u64::MAX);
        for state in &part.states {
            self.heights[state.index()] = Cost::default();
            self.fees[state.index()] = Cost::default();
        }
        Prices::default()
    }

    /// Raises the price of a budget to what the arcs that pay it need.
    fn price(&mut self, region: &Component, budget: BudgetId, prices: &mut Prices) {
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
        let (from, to) = (self.unfolding.from(id).index(), self.unfolding.to(id).index());
        let mut need = self.weights[id.index()].clone();
        need.add(&self.fees[to]);
        need.add(&self.heights[to]);
        need.lower(&self.heights[from]);
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
