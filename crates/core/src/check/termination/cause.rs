//! The causes for which a node is left, and the edges that answer to them.

use rustc_hash::FxHashSet;

use super::lists::Failures;
use crate::model::Graph;
use crate::model::expr::{BudgetId, BudgetRef, Expr, ExprKind};
use crate::model::node::{Edge, Trigger};
use crate::program::error::{ErrorClass, ErrorKind, is_answered_by_error};
use crate::value::Value;

/// A cause for which a node is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Cause {
    Done,
    /// By what evaluating can come to.
    Plain,
    /// By an error of any kind that `on: error` answers to.
    Any,
    /// By an error that must be named.
    Named,
    /// By a person who ends the run.
    Cancelled,
    /// By a call whose outcome is not known.
    Unknown,
    /// By a spend that was refused.
    Exhausted(BudgetId),
}

/// The certainty with which a trigger answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    No,
    Perhaps,
    Yes,
}

/// The causes that some edge of the graph answers to.
#[derive(Debug)]
pub(super) struct Heard {
    named: bool,
    cancelled: bool,
    unknown: bool,
    /// Budgets by whose exhaustion a node is left; [`None`] for any.
    budgets: Option<FxHashSet<BudgetId>>,
}

impl Heard {
    pub(super) fn by(graph: &Graph) -> Self {
        let budgets = Some(FxHashSet::default());
        let mut heard = Self { named: false, cancelled: false, unknown: false, budgets };
        for trigger in graph.graph.edge_weights().flat_map(|edge| &edge.on) {
            heard.named |= answer(trigger, Cause::Named) > Fit::No;
            heard.cancelled |= answer(trigger, Cause::Cancelled) > Fit::No;
            heard.unknown |= answer(trigger, Cause::Unknown) > Fit::No;
            if matches!(trigger, Trigger::Kind(kind) if ErrorKind::BudgetExhausted.is(kind)) {
                heard.budgets = None;
            }
            if let Trigger::Exhausted(BudgetRef::Counter(id) | BudgetRef::Meter(id, _)) = trigger
                && let Some(budgets) = &mut heard.budgets
            {
                budgets.insert(*id);
            }
        }
        heard
    }

    pub(super) fn has(&self, cause: Cause) -> bool {
        match cause {
            Cause::Done | Cause::Plain | Cause::Any => true,
            Cause::Named => self.named,
            Cause::Cancelled => self.cancelled,
            Cause::Unknown => self.unknown,
            Cause::Exhausted(id) => self.budgets.as_ref().is_none_or(|budgets| budgets.contains(&id)),
        }
    }
}

/// The causes that ways to fail come to.
pub(super) fn causes(fails: Failures) -> impl Iterator<Item = Cause> {
    let plain = (fails.plain && !fails.any).then_some(Cause::Plain);
    plain.into_iter().chain(fails.any.then_some(Cause::Any)).chain(fails.named.then_some(Cause::Named))
}

/// The certainty with which an edge is taken for a cause when it is looked at, and true if looking at it can fail.
pub(super) fn fit(edge: &Edge, cause: Cause) -> (Fit, bool) {
    let answers = edge.on.iter().map(|trigger| answer(trigger, cause)).max().unwrap_or(Fit::No);
    // All triggers are looked at, and the key of a meter is evaluated whether it fits or not.
    let keyed = |t: &Trigger| matches!((t, cause), (Trigger::Exhausted(BudgetRef::Meter(id, _)), Cause::Exhausted(b)) if *id == b);
    let keyed = edge.on.iter().any(keyed);
    let constant =
        |e: &Expr| if let ExprKind::Const(Value::Bool(holds)) = e.kind { Some(holds) } else { None };
    match edge.when.as_ref().map(constant) {
        None | Some(Some(true)) => (answers, keyed),
        Some(Some(false)) => (Fit::No, keyed),
        Some(None) => (answers.min(Fit::Perhaps), keyed || answers > Fit::No),
    }
}

fn answer(trigger: &Trigger, cause: Cause) -> Fit {
    let perhaps = |fits: bool| if fits { Fit::Perhaps } else { Fit::No };
    match (trigger, cause) {
        (Trigger::Done, Cause::Done)
        | (Trigger::AnyError, Cause::Plain | Cause::Any)
        | (Trigger::Unknown, Cause::Unknown) => Fit::Yes,
        (Trigger::Kind(_) | Trigger::Class(_), Cause::Any) => Fit::Perhaps,
        (Trigger::Kind(kind), Cause::Plain) => perhaps(matches!(
            ErrorKind::named(kind),
            Some(ErrorKind::Evaluation | ErrorKind::TooLarge | ErrorKind::Stuck | ErrorKind::Internal)
        )),
        (Trigger::Class(class), Cause::Plain) => perhaps(matches!(class.as_str(), "recoverable" | "fatal")),
        (Trigger::Kind(kind), Cause::Named) => perhaps(!is_answered_by_error(kind)),
        (Trigger::Class(class), Cause::Named) => {
            perhaps(matches!(class.as_str(), "cancelled" | "fatal" | "unknown"))
        }
        (Trigger::Kind(kind), Cause::Cancelled) if ErrorKind::Cancelled.is(kind) => Fit::Yes,
        (Trigger::Class(class), Cause::Cancelled) if class == ErrorClass::Cancelled.name() => Fit::Yes,
        (Trigger::Kind(kind), Cause::Unknown) => perhaps(ErrorKind::Timeout.is(kind)),
        (Trigger::Kind(kind), Cause::Exhausted(_)) if ErrorKind::BudgetExhausted.is(kind) => Fit::Yes,
        (Trigger::Exhausted(BudgetRef::Counter(id)), Cause::Exhausted(budget)) if *id == budget => Fit::Yes,
        (Trigger::Exhausted(BudgetRef::Meter(id, _)), Cause::Exhausted(budget)) => perhaps(*id == budget),
        _ => Fit::No,
    }
}
