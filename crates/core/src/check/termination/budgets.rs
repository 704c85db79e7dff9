//! The limits of budgets, as unknowns of formulas.

use std::cell::{OnceCell, RefCell};

use rustc_hash::FxHashMap;

use super::cost::Cost;
use super::declared::Declared;
use super::formula::{Formula, Symbol};
use super::interval::range;
use super::linear::Linear;
use super::lists::Lists;
use super::payer::Payer;
use super::range::Range;
use super::stored::StoredValues;
use super::term::Term;
use super::unfold::Unfolding;
use crate::machine::Beginning;
use crate::model::Graph;
use crate::model::expr::{Block, BudgetId, Expr, ExprKind};
use crate::model::graph::Budget;
use crate::model::node::NodeId;
use crate::model::types::Kind;
use crate::program::graph::Charge;
use crate::value::{Value, duration, usd};

/// The value that an unknown is taken for when ways to count are compared.
const NOMINAL_UNKNOWN: u64 = 10;

/// An unknown: its name and, where it is known, its value.
#[derive(Debug, Clone)]
pub(super) struct Unknown {
    pub(super) name: String,
    pub(super) value: Option<u64>,
}

/// The unknowns of one graph.
pub(super) struct Unknowns<'g> {
    declared: Declared<'g>,
    given: Option<&'g Beginning>,
    stored: OnceCell<StoredValues>,
    all: RefCell<Vec<Unknown>>,
    /// The number of units that each payer allows.
    payers: FxHashMap<Payer, Cost>,
    /// The least amount of each that is paid on some way: the unit it is counted in.
    units: FxHashMap<Payer, u64>,
}

impl<'g> Unknowns<'g> {
    pub(super) fn of(declared: Declared<'g>, unfolding: &Unfolding, given: Option<&'g Beginning>) -> Self {
        let mut units: FxHashMap<Payer, u64> = FxHashMap::default();
        for (id, amount) in unfolding.graph.edge_weights().flat_map(|arc| &arc.pays) {
            let unit = units.entry(*id).or_insert(*amount);
            *unit = (*unit).min(*amount);
        }
        let mut own = Self {
            declared,
            given,
            stored: OnceCell::new(),
            all: RefCell::default(),
            payers: FxHashMap::default(),
            units,
        };
        let mut paying: Vec<Payer> = own.units.keys().copied().collect();
        paying.sort_unstable();
        for payer in paying {
            let allowed = match payer {
                Payer::Budget(id) => own.allowed(id, own.units[&payer]),
                Payer::Guard(id) => own.upper(&unfolding.guards[id as usize].limit),
            };
            own.payers.insert(payer, allowed);
        }
        own
    }

    fn add(&self, unknown: Unknown) -> Symbol {
        let mut all = self.all.borrow_mut();
        let known = all.iter().position(|own| own.name == unknown.name);
        let place = known.unwrap_or_else(|| {
            all.push(unknown);
            all.len() - 1
        });
        Symbol::try_from(place).expect("unknowns are counted in u32")
    }

    /// All that pays for something, in order.
    pub(super) fn paying(&self) -> Vec<Payer> {
        let mut paying: Vec<Payer> = self.payers.keys().copied().collect();
        paying.sort_unstable();
        paying
    }

    /// The number of units that a payer allows.
    pub(super) fn units_of(&self, payer: Payer) -> &Cost {
        &self.payers[&payer]
    }

    /// Converts an amount to units of a payer.
    pub(super) fn units(&self, payer: Payer, amount: u64) -> u64 {
        amount / self.units[&payer]
    }

    pub(super) fn scope(&self, budget: BudgetId) -> Option<NodeId> {
        self.declared.graph.budgets[budget.0 as usize].scope
    }

    pub(super) fn value(&self, symbol: Symbol) -> Option<u64> {
        self.all.borrow()[symbol as usize].value
    }

    pub(super) fn are_known(&self) -> bool {
        self.all.borrow().iter().all(|u| u.value.is_some())
    }

    pub(super) fn name(&self, symbol: Symbol) -> String {
        self.all.borrow()[symbol as usize].name.clone()
    }

    /// The number of times that a budget allows to spend `unit`: its limit and its grace.
    pub(super) fn allowed(&self, id: BudgetId, unit: u64) -> Cost {
        let budget = &self.declared.graph.budgets[id.0 as usize];
        let keys = keys(self.declared.graph, budget);
        let part = |expr: &Expr| Some(amount(self.declared.graph, expr)?.saturating_mul(keys?));
        let (limit, grace) =
            match self.given.and_then(|given| given.limits.get(id.0 as usize).copied().flatten()) {
                Some((limit, grace)) => (Some(limit), Some(grace)),
                None => (part(&budget.limit), budget.grace.as_ref().map_or(Some(0), part)),
            };
        // A transition is charged when it is made; what was left of the budget may have been spent by the edge itself.
        let overshoot =
            u64::from(budget.charge == Some(Charge::Transitions) && is_spent(self.declared.graph, id));
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
        let same = self.declared.graph.budgets.iter().filter(|other| other.name.value == budget.name.value);
        match budget.scope {
            Some(scope) if same.count() > 1 => {
                format!("{}.{}", self.declared.graph.graph[scope].name.value, budget.name.value)
            }
            _ => budget.name.value.to_string(),
        }
    }

    /// The values of a term as far as its run shows them: by what it is given, and what it writes.
    pub(super) fn known(&self, term: &Term) -> Range {
        self.stored.get_or_init(|| StoredValues::of(self.declared, self.given)).of_term(term)
    }

    /// The most that a sum comes to, never below 0.
    pub(super) fn upper(&self, sum: &Linear) -> Cost {
        let mut known = i128::from(sum.constant);
        let mut more = Cost::default();
        for (term, factor) in &sum.terms {
            let values = term.range(self.declared, &|term| self.known(term));
            let end = if *factor > 0 { values.most } else { values.least };
            if let Some(end) = end {
                known += i128::from(end) * i128::from(*factor);
            } else {
                let symbol = self.symbol(Unknown { name: self.end(term, *factor > 0), value: None });
                more.add(&symbol.times(&Cost::of(factor.unsigned_abs())));
            }
        }
        more.add(&Cost::of(u64::try_from(known.max(0)).unwrap_or(u64::MAX)));
        more
    }

    /// The number of steps of at least this size from the most that a sum comes to down to less than 1.
    pub(super) fn steps(&self, sum: &Linear, step: u64) -> Cost {
        let most = self.upper(sum);
        if most.formula == Formula::constant(most.number) {
            let divides = step > 1 && most.number < u64::MAX;
            return if divides { Cost::of(most.number.div_ceil(step)) } else { most };
        }
        let kind = sum.terms.iter().find_map(|(term, _)| {
            let (_, path) = term.place()?;
            self.declared.ty(path).map(|ty| ty.kind).filter(|_| matches!(term, Term::Int(_)))
        });
        let unit = match kind {
            Some(Kind::Usd) => format!("${}", usd::text(i64::try_from(step).unwrap_or(i64::MAX))),
            Some(Kind::Duration) => duration::text(i64::try_from(step).unwrap_or(i64::MAX)),
            _ => return most,
        };
        // Units too small for people: what counts is how many steps there are.
        let mut whole = most.formula.text(|symbol| self.name(symbol));
        if whole.contains(" + ") || whole.contains(" * ") {
            whole = format!("({whole})");
        }
        let mut steps = self.symbol(Unknown { name: format!("{whole} / {unit}"), value: None });
        steps.add(&Cost::of(1));
        steps
    }

    /// The name of the greatest value of a term, or of what it may be below 0.
    fn end(&self, term: &Term, greatest: bool) -> String {
        let Some((_, path)) = term.place() else { return "step()".to_owned() };
        let place = self.declared.written(path);
        match term {
            Term::Size(_) => {
                // `items(node)` is the length of the list of an `each`.
                let graph = self.declared.graph;
                let taken = graph.graph.node_weights().any(|node| node.name.value == place.as_str());
                if taken { format!("size({place})") } else { format!("items({place})") }
            }
            _ if greatest => format!("max({place}, 0)"),
            _ => format!("max(-{place}, 0)"),
        }
    }

    /// An unknown as a cost.
    pub(super) fn symbol(&self, unknown: Unknown) -> Cost {
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

/// The greatest value of a limit, where there is one for every input; below 0 counts as 0.
fn amount(graph: &Graph, expr: &Expr) -> Option<u64> {
    range(graph, expr).most.map(|n| u64::try_from(n).unwrap_or(0))
}
