//! The causes that statement lists name: kinds by `fail`, budgets by `spend`.

use super::causes::Causes;
use crate::check::blocks::callees;
use crate::model::Graph;
use crate::model::expr::{Block, BudgetRef, StatementKind};
use crate::model::typing::dependencies_first;
use crate::program::graph::Gate;

/// All lists of a graph.
pub(super) struct ListCauses<'g> {
    graph: &'g Graph,
    actions: Vec<Causes>,
}

impl<'g> ListCauses<'g> {
    /// Goes through the actions of a graph, each after those it runs. Those that run themselves are errors.
    pub(super) fn of(graph: &'g Graph) -> Self {
        let needs: Vec<Vec<usize>> = graph.actions.iter().map(|action| callees(&action.body)).collect();
        let mut lists = Self { graph, actions: vec![Causes::default(); graph.actions.len()] };
        for action in dependencies_first(&needs).0 {
            lists.actions[action] = lists.causes(&graph.actions[action].body);
        }
        lists
    }

    /// The causes that a list names.
    pub(super) fn causes(&self, block: &Block) -> Causes {
        let mut all = Causes::default();
        let mut open = vec![block];
        while let Some(block) = open.pop() {
            for statement in &block.statements {
                match &statement.kind {
                    StatementKind::Fail(kind, _) => all.add_error(kind),
                    StatementKind::Spend(BudgetRef::Counter(id) | BudgetRef::Meter(id, _), _) => {
                        if self.graph.budgets[id.0 as usize].gate == Gate::Hard {
                            all.add_budget(*id);
                        }
                    }
                    StatementKind::Call(action) => all.add(&self.actions[action.0 as usize]),
                    other => open.extend(other.bodies()),
                }
            }
        }
        all
    }
}
