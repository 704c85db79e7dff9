//! Spends that stand on a way round and do not pay for it, each with the reason.

use super::budgets::Unknowns;
use super::cause::Cause;
use super::interval::range;
use super::payer::Payer;
use super::region::{Component, RegionFacts};
use super::unfold::{ArcId, ArcKind, State, Unfolding};
use crate::model::Graph;
use crate::model::expr::{Block, BudgetId, BudgetRef, StatementKind};
use crate::program::graph::Gate;
use crate::source::Span;

/// The spends of the lists that run along an arc, and why each does not pay.
pub(super) fn unbounding_spends(
    graph: &Graph,
    unfolding: &Unfolding,
    id: ArcId,
    unknowns: &Unknowns<'_>,
    part: &Component,
) -> Vec<(Span, String)> {
    let arc = &unfolding.graph[id];
    let facts = RegionFacts::of(unfolding, part);
    let mut found = Vec::new();
    let mut look = |block: &Block, left: Option<&str>| {
        let mut looking = Looking { graph, found: &mut found, depth: 0 };
        looking.block(block, left);
        found.retain(|(_, budget, why)| {
            !why.is_empty() || !facts.counts(Payer::Budget(*budget), unfolding, unknowns)
        });
    };
    match arc.kind {
        ArcKind::Work(node) | ArcKind::Refused(node) => {
            let node = &graph.graph[node];
            let left = match unfolding.graph[unfolding.to(id)] {
                State::Exit(_, Cause::Done, _) => None,
                State::Exit(_, Cause::Exhausted(_), _) => {
                    Some("when a budget refuses, no spend of this list is certain")
                }
                _ => Some(
                    "a statement before this may fail: if an error edge continues the loop, only spends before such statements count",
                ),
            };
            look(&node.entry, left);
            if matches!(arc.kind, ArcKind::Work(_)) {
                look(&node.then, left);
            }
        }
        ArcKind::Edge(edge) => look(&graph.graph[edge].action, None),
        ArcKind::Start | ArcKind::Nothing => {}
    }
    for composite in &arc.enters {
        look(&graph.graph[*composite].entry, None);
    }
    let reason = |(span, budget, why): (Span, BudgetId, String)| {
        let why = if why.is_empty() { afresh(graph, budget) } else { why };
        (span, why)
    };
    found.into_iter().map(reason).collect()
}

fn afresh(graph: &Graph, budget: BudgetId) -> String {
    let budget = &graph.budgets[budget.0 as usize];
    let composite = budget.scope.map_or("", |scope| graph.graph[scope].name.value.as_str());
    format!("`{}` is reset whenever `{composite}` is entered, and this loop enters it", budget.name.value)
}

struct Looking<'a> {
    graph: &'a Graph,
    /// Place, budget, reason; an empty reason if none is known.
    found: &'a mut Vec<(Span, BudgetId, String)>,
    depth: u32,
}

impl Looking<'_> {
    /// `why`: the reason why nothing in this list pays.
    fn block(&mut self, block: &Block, why: Option<&str>) {
        if self.depth > 16 {
            return;
        }
        self.depth += 1;
        for statement in &block.statements {
            match &statement.kind {
                StatementKind::Spend(budget, amount) => {
                    let (BudgetRef::Counter(id) | BudgetRef::Meter(id, _)) = budget;
                    let own = &self.graph.budgets[id.0 as usize];
                    let why = if own.gate == Gate::Advisory {
                        format!("`{}` is advisory: it counts and stops nothing", own.name.value)
                    } else if amount
                        .as_ref()
                        .is_some_and(|n| range(self.graph, n).least.is_none_or(|n| n < 1))
                    {
                        "only an amount of at least 1 counts: a constant, or a field of a type like `int(1..10)`"
                            .to_owned()
                    } else if matches!(budget, BudgetRef::Meter(..)) && why.is_some() {
                        "its key may be unknown: if an error edge continues the loop, this spend is not certain"
                            .to_owned()
                    } else {
                        why.unwrap_or_default().to_owned()
                    };
                    self.found.push((statement.span, *id, why));
                }
                StatementKind::If(arms, otherwise) => {
                    let why = why.unwrap_or(
                        "only what every branch spends counts, and a branch is missing or spends less",
                    );
                    arms.iter()
                        .map(|(_, body)| body)
                        .chain(otherwise)
                        .for_each(|body| self.block(body, Some(why)));
                }
                StatementKind::For(_, _, body) => {
                    self.block(body, Some(why.unwrap_or("the list may be empty: nothing in a `for` counts")));
                }
                StatementKind::Call(action) => {
                    let graph = self.graph;
                    self.block(&graph.actions[action.0 as usize].body, why);
                }
                _ => {}
            }
        }
        self.depth -= 1;
    }
}
