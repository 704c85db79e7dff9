//! The limits of budgets, as unknowns of formulas.

use rustc_hash::FxHashMap;

use super::cost::Cost;
use super::formula::{Formula, Symbol};
use super::lists::{Lists, constant};
use super::unfold::Unfolding;
use crate::model::Graph;
use crate::model::expr::{Block, BudgetId, BudgetRef, Expr, ExprKind};
use crate::model::graph::Budget;
use crate::model::node::NodeId;
use crate::program::graph::Charge;
use crate::program::op::BudgetQuery;
use crate::value::Value;

/// The value that an unknown is taken for when ways to count are compared.
const NOMINAL_UNKNOWN: u64 = 10;

/// The limit and the grace of a budget where a run has them, by budget.
pub type Given = FxHashMap<BudgetId, (u64, u64)>;

/// An unknown: its name and, where it is known, its value.
#[derive(Debug, Clone)]
pub(super) struct Unknown {
    pub(super) name: String,
    pub(super) value: Option<u64>,
}

/// The unknowns of one graph.
pub(super) struct Unknowns<'g> {
    graph: &'g Graph,
    given: Option<&'g Given>,
    all: Vec<Unknown>,
    /// The number of units that each budget allows that pays.
    budgets: FxHashMap<BudgetId, Cost>,
    /// The least amount of each budget that is spent on some way: the unit it is counted in.
    units: FxHashMap<BudgetId, u64>,
}

impl<'g> Unknowns<'g> {
    pub(super) fn of(graph: &'g Graph, unfolding: &Unfolding, given: Option<&'g Given>) -> Self {
        let mut units: FxHashMap<BudgetId, u64> = FxHashMap::default();
        for (id, amount) in unfolding.graph.edge_weights().flat_map(|arc| &arc.pays) {
            let unit = units.entry(*id).or_insert(*amount);
            *unit = (*unit).min(*amount);
        }
        let mut own = Self { graph, given, all: Vec::new(), budgets: FxHashMap::default(), units };
        let mut paying: Vec<BudgetId> = own.units.keys().copied().collect();
        paying.sort_unstable();
        for id in paying {
            let allowed = own.allowed(id, own.units[&id]);
            own.budgets.insert(id, allowed);
        }
        own
    }

    fn add(&mut self, unknown: Unknown) -> Symbol {
        if let Some(known) = self.all.iter().position(|u| u.name == unknown.name) {
            return Symbol::try_from(known).expect("unknowns are counted in u32");
        }
        self.all.push(unknown);
        Symbol::try_from(self.all.len() - 1).expect("unknowns are counted in u32")
    }

    /// The budgets that pay for something, in order.
    pub(super) fn paying(&self) -> Vec<BudgetId> {
        let mut paying: Vec<BudgetId> = self.budgets.keys().copied().collect();
        paying.sort_unstable();
        paying
    }

    /// The number of units that a budget allows.
    pub(super) fn units_of(&self, budget: BudgetId) -> &Cost {
        &self.budgets[&budget]
    }

    /// Converts an amount to units of a budget.
    pub(super) fn units(&self, budget: BudgetId, amount: u64) -> u64 {
        amount / self.units[&budget]
    }

    pub(super) fn scope(&self, budget: BudgetId) -> Option<NodeId> {
        self.graph.budgets[budget.0 as usize].scope
    }

    pub(super) fn value(&self, symbol: Symbol) -> Option<u64> {
        self.all[symbol as usize].value
    }

    pub(super) fn are_known(&self) -> bool {
        self.all.iter().all(|u| u.value.is_some())
    }

    pub(super) fn name(&self, symbol: Symbol) -> String {
        self.all[symbol as usize].name.clone()
    }

    /// The number of times that a budget allows to spend `unit`: its limit and its grace.
    pub(super) fn allowed(&mut self, id: BudgetId, unit: u64) -> Cost {
        let budget = &self.graph.budgets[id.0 as usize];
        let keys = keys(self.graph, budget);
        let part = |expr: &Expr| Some(amount(self.graph, expr)?.saturating_mul(keys?));
        let (limit, grace) = match self.given.and_then(|given| given.get(&id)) {
            Some((limit, grace)) => (Some(*limit), Some(*grace)),
            None => (part(&budget.limit), budget.grace.as_ref().map_or(Some(0), part)),
        };
        // A transition is charged when it is made; what was left of the budget may have been spent by the edge itself.
        let overshoot = u64::from(budget.charge == Some(Charge::Transitions) && is_spent(self.graph, id));
        let grace = grace.map(|grace| grace.saturating_add(overshoot));
        let name = &self.full_name(budget);
        // The limits of all keys of a family together.
        let many = if budget.family.is_some() { "s" } else { "" };
        if unit > 1 {
            let value = limit.zip(grace).map(|(limit, grace)| limit.saturating_add(grace) / unit);
            let both = if grace == Some(0) {
                format!("limit{many}({name}) / {unit}")
            } else {
                format!("(limit{many}({name}) + grace{many}({name})) / {unit}")
            };
            return self.symbol(Unknown { name: both, value });
        }
        let mut allowed = self.symbol(Unknown { name: format!("limit{many}({name})"), value: limit });
        let more = match grace {
            Some(grace) => Cost::of(grace),
            None => self.symbol(Unknown { name: format!("grace{many}({name})"), value: None }),
        };
        allowed.add(&more);
        allowed
    }

    /// A budget's name; with that of its composite, where another one has a budget of the same name.
    fn full_name(&self, budget: &Budget) -> String {
        let same = self.graph.budgets.iter().filter(|other| other.name.value == budget.name.value);
        match budget.scope {
            Some(scope) if same.count() > 1 => {
                format!("{}.{}", self.graph.graph[scope].name.value, budget.name.value)
            }
            _ => budget.name.value.to_string(),
        }
    }

    /// An unknown as a cost.
    pub(super) fn symbol(&mut self, unknown: Unknown) -> Cost {
        let number = unknown.value.unwrap_or(NOMINAL_UNKNOWN);
        Cost { number, formula: Formula::symbol(self.add(unknown)) }
    }
}

/// True if statements spend a budget, too.
fn is_spent(graph: &Graph, budget: BudgetId) -> bool {
    let lists = Lists::of(graph);
    let spends = |block: &Block| lists.summary(block).may.contains(&budget);
    graph.graph.node_weights().any(|node| spends(&node.entry) || spends(&node.then))
        || graph.graph.edge_weights().any(|edge| spends(&edge.action))
}

/// The number of keys of a budget: 1 for one that is no meter of a family.
fn keys(graph: &Graph, budget: &Budget) -> Option<u64> {
    let Some(family) = budget.family else { return Some(1) };
    let keys = match &graph.families[family.0 as usize].each.kind {
        ExprKind::Const(Value::List(list)) => list.len(),
        ExprKind::List(items) => items.len(),
        _ => return None,
    };
    Some(u64::try_from(keys).unwrap_or(u64::MAX))
}

/// A limit that is the same for every input; below 0 counts as 0.
fn amount(graph: &Graph, expr: &Expr) -> Option<u64> {
    // Lets and limits use each other without circles; a long chain is given up.
    let mut expr = expr;
    for _ in 0..64 {
        match &expr.kind {
            ExprKind::Let(id) => expr = &graph.lets[id.0 as usize].body,
            ExprKind::Budget(BudgetQuery::Limit, BudgetRef::Counter(id)) => {
                expr = &graph.budgets[id.0 as usize].limit;
            }
            _ => return constant(expr).map(|n| u64::try_from(n).unwrap_or(0)),
        }
    }
    None
}
