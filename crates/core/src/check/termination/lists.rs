//! Statement lists: what they surely spend, and how they can fail.

use smallvec::SmallVec;

use super::interval::range;
use super::payer::{Payer, Payments, Pays, add};
use crate::model::Graph;
use crate::model::expr::{Block, BudgetId, BudgetRef, Expr, ExprKind, StatementKind};
use crate::model::graph::Budget;
use crate::model::typing::dependencies_first;
use crate::program::error::{ErrorKind, is_answered_by_error};
use crate::program::graph::{Charge, Gate};
use crate::value::Value;

/// Lists of more statements than this count as able to run too long, actions and branches counted.
const MAX_LIST_STATEMENTS: u64 = 10_000;

/// Lists whose actions and branches nest deeper than this count as able to fail for it.
const MAX_LIST_DEPTH: u32 = 100;

/// The ways in which something can fail, other than by a refused spend.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Failures {
    /// By what evaluating can come to: `evaluation`, `too_large`, `stuck`.
    pub(super) plain: bool,
    /// By any kind of error.
    pub(super) any: bool,
    /// By a kind that `on: error` does not answer to.
    pub(super) named: bool,
}

impl Failures {
    pub(super) const PLAIN: Self = Self { plain: true, any: false, named: false };

    pub(super) const fn can(self) -> bool {
        self.plain || self.any || self.named
    }

    pub(super) const fn or(self, other: Self) -> Self {
        Self {
            plain: self.plain || other.plain,
            any: self.any || other.any,
            named: self.named || other.named,
        }
    }

    /// The cause that an error kind stands for, when `fail` or a node names it.
    fn of_kind(kind: &str) -> Self {
        match ErrorKind::named(kind) {
            Some(ErrorKind::Evaluation | ErrorKind::TooLarge | ErrorKind::Stuck) => Self::PLAIN,
            _ if is_answered_by_error(kind) => Self { any: true, ..Self::default() },
            _ => Self { named: true, ..Self::default() },
        }
    }
}

/// The facts about a statement list that hold before it runs.
#[derive(Debug, Clone, Default)]
pub(super) struct Summary {
    /// The spends of its complete runs.
    pub(super) sure: Payments,
    /// The spends before the first statement that can fail.
    pub(super) before: Pays,
    /// The ways in which it can fail.
    pub(super) fails: Failures,
    /// Hard budgets it may spend, sorted: it may leave by their exhaustion.
    pub(super) may: SmallVec<[BudgetId; 2]>,
    /// The number of its statements.
    size: u64,
    /// The depth to which its actions and branches nest.
    depth: u32,
}

/// All lists of a graph.
pub(super) struct Lists<'g> {
    graph: &'g Graph,
    actions: Vec<Summary>,
}

impl<'g> Lists<'g> {
    /// Summarises the actions of a graph, each after those it runs.
    pub(super) fn of(graph: &'g Graph) -> Self {
        let mut lists = Self { graph, actions: Vec::new() };
        lists
            .actions
            .resize_with(graph.actions.len(), || Summary { fails: Failures::PLAIN, ..Summary::default() });
        for action in callees_first(graph) {
            lists.actions[action] = lists.summary(&graph.actions[action].body);
        }
        lists
    }

    /// Summarises a list. Everything but a plain `spend` of a constant, an `emit` of nothing and actions made of them can
    /// fail: the cheapest expression does when a step has used up its work, the smallest write when the state is full.
    pub(super) fn summary(&self, block: &Block) -> Summary {
        let mut all = Summary { sure: Payments::one(Pays::new()), ..Summary::default() };
        for statement in &block.statements {
            all.follow(&self.statement(&statement.kind));
        }
        all
    }

    fn statement(&self, kind: &StatementKind) -> Summary {
        let nothing = Summary { sure: Payments::one(Pays::new()), size: 1, ..Summary::default() };
        match kind {
            StatementKind::Emit(_, None) => nothing,
            StatementKind::Assign { .. } | StatementKind::Let(..) | StatementKind::Emit(..) => {
                Summary { fails: Failures::PLAIN, ..nothing }
            }
            StatementKind::Fail(kind, message) => {
                let fails = Failures::of_kind(kind);
                let fails = if message.is_some() { fails.or(Failures::PLAIN) } else { fails };
                Summary { sure: Payments::default(), fails, ..nothing }
            }
            StatementKind::Spend(budget, amount) => self.spend(budget, amount.as_ref()),
            StatementKind::Call(action) => {
                let mut own = self.actions[action.0 as usize].clone();
                own.size = own.size.saturating_add(1);
                own.depth = own.depth.saturating_add(1);
                if own.size > MAX_LIST_STATEMENTS || own.depth > MAX_LIST_DEPTH {
                    own.fails.plain = true;
                    own.before.clear();
                }
                own
            }
            StatementKind::For(_, _, body) => {
                let body = self.summary(body);
                let fails = body.fails.or(Failures::PLAIN);
                let size = body.size.saturating_add(1);
                Summary { fails, may: body.may, size, depth: body.depth.saturating_add(1), ..nothing }
            }
            StatementKind::If(arms, otherwise) => {
                let mut all = Summary { sure: Payments::default(), fails: Failures::PLAIN, ..nothing };
                for body in arms.iter().map(|(_, body)| body).chain(otherwise) {
                    all.either(&self.summary(body));
                }
                all.depth = all.depth.saturating_add(1);
                if otherwise.is_none() {
                    all.sure.or(&Payments::one(Pays::new()));
                }
                all
            }
        }
    }

    fn spend(&self, budget: &BudgetRef, amount: Option<&Expr>) -> Summary {
        let (id, key) = match budget {
            BudgetRef::Counter(id) => (*id, false),
            BudgetRef::Meter(id, _) => (*id, true),
        };
        let mut own = Summary { sure: Payments::one(Pays::new()), size: 1, ..Summary::default() };
        let least = amount.map_or(Some(1), |amount| range(self.graph, amount).least);
        let fixed = amount.is_none_or(|amount| constant(amount).is_some());
        if key || !fixed || least.is_none_or(|n| n < 1) {
            own.fails = Failures::PLAIN;
        }
        let budget = &self.graph.budgets[id.0 as usize];
        if budget.gate == Gate::Hard {
            own.may.push(id);
            if let Some(n) = least.and_then(|n| u64::try_from(n).ok()).filter(|n| *n > 0 && counts(budget)) {
                let pays = Pays::from_slice(&[(Payer::Budget(id), n)]);
                if !own.fails.can() {
                    own.before.clone_from(&pays);
                }
                own.sure = Payments::one(pays);
            }
        }
        own
    }
}

impl Summary {
    /// Goes on with another list.
    pub(super) fn follow(&mut self, next: &Self) {
        if !self.fails.can() {
            add(&mut self.before, &next.before);
        }
        self.sure = self.sure.then(&next.sure);
        self.merge(next);
    }

    /// Or another list instead.
    fn either(&mut self, other: &Self) {
        self.sure.or(&other.sure);
        self.merge(other);
    }

    fn merge(&mut self, other: &Self) {
        self.fails = self.fails.or(other.fails);
        for id in &other.may {
            if let Err(place) = self.may.binary_search(id) {
                self.may.insert(place, *id);
            }
        }
        self.size = self.size.saturating_add(other.size);
        self.depth = self.depth.max(other.depth);
    }
}

/// True if a `spend` of this budget can pay for a transition: it is hard and counts whole units.
fn counts(budget: &Budget) -> bool {
    budget.gate == Gate::Hard && !matches!(budget.charge, Some(Charge::ModelCost | Charge::Time))
}

/// A constant integer.
pub(super) const fn constant(expr: &Expr) -> Option<i64> {
    match &expr.kind {
        ExprKind::Const(Value::Int(n)) => Some(*n),
        _ => None,
    }
}

/// The actions of a graph, each behind those it runs. Those that run themselves are left out: they are errors.
fn callees_first(graph: &Graph) -> Vec<usize> {
    fn callees(block: &Block, found: &mut Vec<usize>) {
        for statement in &block.statements {
            match &statement.kind {
                StatementKind::Call(id) => found.push(id.0 as usize),
                StatementKind::For(_, _, body) => callees(body, found),
                StatementKind::If(arms, otherwise) => {
                    arms.iter().map(|(_, body)| body).chain(otherwise).for_each(|body| callees(body, found));
                }
                _ => {}
            }
        }
    }
    let needs = graph.actions.iter().map(|action| {
        let mut found = Vec::new();
        callees(&action.body, &mut found);
        found
    });
    dependencies_first(&needs.collect::<Vec<_>>()).0
}
