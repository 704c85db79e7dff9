//! Second failures: an edge is taken since another edge of the node failed, and its own statements fail. No further edge of
//! the node is tried then; the failure goes to the composite around it.

use rustc_hash::FxHashMap;

use super::answers::{Classes, EdgeAnswers, has_no_guard, may_fire};
use super::causes::Causes;
use super::lists::ListCauses;
use crate::model::Graph;
use crate::model::expr::BudgetId;
use crate::model::node::{EdgeId, NodeId};

/// An edge that may fail after another one did.
#[derive(Debug)]
pub(super) struct SecondFailure {
    pub(super) node: NodeId,
    /// The edge that fails before.
    pub(super) first: EdgeId,
    pub(super) edge: EdgeId,
    /// The causes of the second failure.
    pub(super) causes: Causes,
}

/// The search for second failures in a graph.
pub(super) struct SecondFailures<'b, 'g> {
    pub(super) graph: &'g Graph,
    pub(super) lists: &'b ListCauses<'g>,
    pub(super) classes: &'b Classes<'g>,
    /// Hard budgets that are charged for transitions.
    pub(super) moves: Vec<BudgetId>,
    /// The budgets that edges may find used up.
    pub(super) by_edge: FxHashMap<EdgeId, Causes>,
}

impl SecondFailures<'_, '_> {
    /// The second failures at a node, one for each edge. Faults of evaluation are not looked for.
    pub(super) fn at(&self, node: NodeId) -> Vec<SecondFailure> {
        let edges = &self.graph.graph[node].edges;
        let answers = |edge: &EdgeId| self.graph.graph[*edge].on.iter().any(|on| !on.is_done());
        let seconds: Vec<(EdgeId, Causes)> = edges
            .iter()
            .filter(|edge| answers(edge))
            .map(|edge| (*edge, self.causes_of_edge(*edge)))
            .collect();
        let mut found: Vec<SecondFailure> = Vec::new();
        if seconds.iter().all(|(_, causes)| causes.is_empty()) {
            return found;
        }
        for first in edges {
            let mut open = self.causes_of_edge(*first);
            for (edge, own) in &seconds {
                if open.is_empty() {
                    break;
                }
                if edge == first || !self.may_answer(*edge, &open) {
                    continue;
                }
                let causes = self.after(*edge, &open, own);
                if let Some(known) = found.iter_mut().find(|known| known.edge == *edge) {
                    known.causes.add(&causes);
                } else if !causes.is_empty() {
                    found.push(SecondFailure { node, first: *first, edge: *edge, causes });
                }
                let taken = &self.graph.graph[*edge];
                if has_no_guard(taken) {
                    EdgeAnswers::of_edge(taken).answer(&mut open, self.classes);
                }
            }
        }
        found
    }

    /// The kinds that an edge raises by `fail`, and the budgets that it may find used up.
    fn causes_of_edge(&self, edge: EdgeId) -> Causes {
        let mut causes = self.lists.causes(&self.graph.graph[edge].action);
        causes.exhausted = self.by_edge.get(&edge).map(|found| found.exhausted.clone()).unwrap_or_default();
        causes
    }

    fn may_answer(&self, edge: EdgeId, causes: &Causes) -> bool {
        let mut triggers = self.graph.graph[edge].on.iter().filter(|on| !on.is_done());
        triggers.any(|trigger| may_fire(trigger, causes, self.classes))
    }

    /// What an edge raises where it answers one of the causes: one that answers a used-up budget is not charged.
    fn after(&self, edge: EdgeId, answered: &Causes, own: &Causes) -> Causes {
        let errors = Causes { exhausted: smallvec::SmallVec::new(), ..answered.clone() };
        let mut causes = own.clone();
        if !self.may_answer(edge, &errors) {
            let spent = self.lists.causes(&self.graph.graph[edge].action);
            let only_charged = |budget: &BudgetId| self.moves.contains(budget) && !spent.has_budget(*budget);
            causes.exhausted.retain(|budget| !only_charged(budget));
        }
        causes
    }
}
