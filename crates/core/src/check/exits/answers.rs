//! The causes that the edges of a node answer.

use rustc_hash::FxHashMap;

use super::causes::{Causes, ErrorKinds};
use super::lists::ListCauses;
use crate::model::Graph;
use crate::model::expr::{BudgetId, BudgetRef, ExprKind};
use crate::model::node::{Edge, Node, Trigger};
use crate::program::error::{ErrorKind, is_answered_by_error};
use crate::value::{Str, Value};

/// The classes of the kinds that a graph declares.
pub(super) type Classes<'g> = FxHashMap<&'g str, &'g Str>;

/// The class of a kind, as the machine gives it.
pub(super) fn class_of<'c>(classes: &'c Classes<'_>, kind: &str) -> &'c str {
    match ErrorKind::named(kind) {
        Some(kind) => kind.class().name(),
        None => classes.get(kind).map_or("recoverable", |class| class.as_str()),
    }
}

/// The causes that some edges surely answer.
#[derive(Debug, Default)]
pub(super) struct EdgeAnswers {
    sure: Causes,
    /// Every error that need not be named, declared kinds too.
    any_error: bool,
    /// Every budget.
    any_budget: bool,
    /// Budgets that an edge for every budget may find used up itself: it is charged for its own transition where the refusal
    /// comes out of a called graph.
    charged: Vec<BudgetId>,
    /// Declared kinds of these classes.
    classes: Vec<Str>,
}

impl EdgeAnswers {
    /// The answers of a node: an edge whose own statements can come to a cause does not answer that cause, since an edge
    /// that failed is passed over. One edge with a guard is no answer; of several it is the guards that are judged.
    ///
    /// `charged` are the budgets that the edges are charged for where a called graph failed.
    pub(super) fn of(graph: &Graph, node: &Node, lists: &ListCauses<'_>, charged: Vec<BudgetId>) -> Self {
        let mut answers = Self { charged, ..Self::default() };
        let mut guarded: FxHashMap<String, usize> = FxHashMap::default();
        for id in &node.edges {
            let edge = &graph.graph[*id];
            let own = lists.causes(&edge.action);
            for trigger in &edge.on {
                let counts = has_no_guard(edge) || {
                    let seen = guarded.entry(format!("{trigger:?}")).or_default();
                    *seen += 1;
                    *seen > 1
                };
                if counts {
                    answers.add(trigger, &own);
                }
            }
        }
        answers
    }

    /// The answers of one edge to what happened before it is taken.
    pub(super) fn of_edge(edge: &Edge) -> Self {
        let mut answers = Self::default();
        edge.on.iter().for_each(|trigger| answers.add(trigger, &Causes::default()));
        answers
    }

    fn add(&mut self, trigger: &Trigger, own: &Causes) {
        let fails = own.kinds;
        match trigger {
            Trigger::Done => {}
            Trigger::AnyError => {
                self.any_error |= own.own.is_empty();
                let answered = ErrorKinds::all_that(|kind| is_answered_by_error(kind.name()));
                self.sure.kinds = self.sure.kinds.or(answered.without(fails));
            }
            Trigger::Kind(kind) => {
                if !own.has_error(kind) {
                    self.sure.add_error(kind);
                }
                self.sure.hidden_timeout |= ErrorKind::Timeout.is(kind);
                self.any_budget |= ErrorKind::BudgetExhausted.is(kind) && own.exhausted.is_empty();
            }
            Trigger::Class(class) => {
                let answered = ErrorKinds::all_that(|kind| kind.class().name() == class);
                self.sure.kinds = self.sure.kinds.or(answered.without(fails));
                if own.own.is_empty() {
                    self.classes.push(class.clone());
                }
            }
            Trigger::Exhausted(BudgetRef::Counter(budget) | BudgetRef::Meter(budget, _)) => {
                if !own.has_budget(*budget) {
                    self.sure.add_budget(*budget);
                }
            }
            Trigger::Unknown => {
                self.sure.unknown = true;
                self.sure.hidden_timeout = true;
            }
        }
    }

    /// Takes away what is answered.
    pub(super) fn answer(&self, causes: &mut Causes, classes: &Classes<'_>) {
        causes.kinds = causes.kinds.without(self.sure.kinds);
        let has_class = |class: &str| self.classes.iter().any(|own| own.as_str() == class);
        let by_class = |kind: &str| has_class(class_of(classes, kind));
        causes.own.retain(|kind| !self.any_error && !self.sure.own.contains(kind) && !by_class(kind));
        // A kind that the graph does not declare is recoverable.
        let all_classes = has_class("recoverable") && classes.values().all(|class| has_class(class));
        causes.any_own &= !self.any_error && !all_classes;
        causes.unknown &= !self.sure.unknown;
        causes.hidden_timeout &= !self.sure.hidden_timeout;
        if self.any_budget {
            causes.exhausted.retain(|budget| self.charged.contains(budget));
        }
        causes.exhausted.retain(|budget| !self.sure.has_budget(*budget));
    }
}

/// True for an edge without a guard, or whose guard always holds.
pub(super) fn has_no_guard(edge: &Edge) -> bool {
    edge.when.as_ref().is_none_or(|guard| matches!(guard.kind, ExprKind::Const(Value::Bool(true))))
}

/// True if one of the causes may be what a trigger answers.
pub(super) fn may_fire(trigger: &Trigger, causes: &Causes, classes: &Classes<'_>) -> bool {
    match trigger {
        // Budgets of a caller are not known here.
        Trigger::Done => true,
        Trigger::AnyError => {
            let any = ErrorKinds::all_that(|kind| is_answered_by_error(kind.name()));
            !causes.kinds.and(any).is_empty() || causes.any_own || !causes.own.is_empty()
        }
        Trigger::Kind(kind) => {
            causes.has_error(kind)
                || causes.hidden_timeout && ErrorKind::Timeout.is(kind)
                || !causes.exhausted.is_empty() && ErrorKind::BudgetExhausted.is(kind)
        }
        Trigger::Class(class) => {
            let own = || causes.own.iter().any(|kind| class_of(classes, kind) == class);
            let kinds = ErrorKinds::all_that(|kind| kind.class().name() == class);
            !causes.kinds.and(kinds).is_empty() || causes.any_own || own()
        }
        Trigger::Exhausted(BudgetRef::Counter(budget) | BudgetRef::Meter(budget, _)) => {
            causes.has_budget(*budget)
        }
        Trigger::Unknown => causes.unknown || causes.hidden_timeout,
    }
}
