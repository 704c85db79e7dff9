//! The canonical form of a state: all that can still matter to what follows, and nothing else.
//!
//! Two states with one form go on alike. Left out are variables that nothing reads any more, counters that nothing asks for and
//! no spend is refused by, numbers and names of calls, texts that only go out, and the time of day: waits count from now.
//!
//! Values that are equal may go on differently: `is` tells an integer from a float, and `keys` shows the order of a map. So they are
//! written with all that shows of them.

use super::live::{LiveSlots, SlotParts, SlotSet};
use super::region::RegionId;
use super::template::template_texts;
use super::uses::ValueUses;
use crate::check::expressions::{GraphPart, each};
use crate::machine::{Lane, Phase, Snapshot};
use crate::model::Model;
use crate::model::expr::{BudgetRef, Expr, ExprKind};
use crate::model::graph::Graph;
use crate::model::node::{Node, NodeKind};
use crate::program::eval::ReadLog;
use crate::program::graph::Gate;

/// The parts of a run that can still matter.
#[derive(Debug)]
pub(super) struct CanonicalForm {
    live: Vec<LiveSlots>,
    pub(super) graphs: Vec<GraphForm>,
    pub(super) reads_clock: bool,
    pub(super) reads_specials: bool,
    /// True if the lanes of some node make a set.
    pub(super) has_sets: bool,
}

/// The parts of one graph that can still matter besides its variables.
#[derive(Debug, Default)]
pub(super) struct GraphForm {
    /// By budget: a spend may be refused by it, or something asks for it.
    pub(super) budgets: Vec<bool>,
    /// The nodes whose visits something asks for.
    pub(super) visits: Vec<u32>,
    /// True if something asks for the number of steps.
    pub(super) steps: bool,
    /// By variable: a list in it has the results of lanes, and nothing asks which of them is the first.
    pub(super) unordered: Vec<bool>,
    /// By node: the same of the lanes that it runs.
    pub(super) sets: Vec<bool>,
}

impl CanonicalForm {
    pub(super) fn of(model: &Model, uses: &ValueUses, live: Vec<LiveSlots>) -> Self {
        let mut graphs: Vec<GraphForm> = model.graphs.iter().map(GraphForm::of).collect();
        let mut has_sets = false;
        for (number, (form, graph)) in graphs.iter_mut().zip(&model.graphs).enumerate() {
            form.find_sets(graph, number, uses);
            has_sets |= form.sets.contains(&true);
        }
        Self {
            live,
            graphs,
            reads_clock: uses.unexplored.iter().any(|used| used.why == super::uses::CLOCK),
            reads_specials: uses.reads_specials,
            has_sets,
        }
    }

    /// The variables of a lane that may still be read.
    pub(super) fn live(&self, lane: &Lane) -> &SlotSet {
        let own = &self.live[lane.frame.graph as usize];
        match &lane.phase {
            Phase::Paused { at, .. } | Phase::Leave { at, .. } => own.when_left(*at),
            _ => own.while_waiting(lane.frame.node),
        }
    }

    /// Notes which answers the form of a state holds as a whole.
    pub(super) fn note_reads(&self, snapshot: &Snapshot, log: &ReadLog) {
        for lane in snapshot.lanes.iter().flatten() {
            let graph = lane.frame.graph;
            for (slot, parts) in self.live(lane).iter() {
                match parts {
                    SlotParts::Whole | SlotParts::Size => log.slot(graph, slot.0),
                    SlotParts::Fields(names) => names.iter().for_each(|name| log.field(graph, slot.0, name)),
                }
            }
            let has_specials =
                self.reads_specials || matches!(lane.phase, Phase::Paused { .. } | Phase::Leave { .. });
            if has_specials && !(lane.frame.result.is_null() && lane.frame.error.is_null()) {
                log.special(graph);
            }
        }
    }
}

impl GraphForm {
    fn of(graph: &Graph) -> Self {
        let mut form = Self {
            budgets: graph.budgets.iter().map(|budget| budget.gate == Gate::Hard).collect(),
            ..Self::default()
        };
        let mut asks_all = false;
        let mut ask = |expr: &Expr| match &expr.kind {
            ExprKind::Budget(_, BudgetRef::Counter(id) | BudgetRef::Meter(id, _)) => {
                form.budgets[id.0 as usize] = true;
            }
            ExprKind::Visits(node) => form.visits.extend(u32::try_from(node.index())),
            ExprKind::Step => form.steps = true,
            ExprKind::Render(_) => asks_all = true,
            _ => {}
        };
        each(graph, &mut |part| match part {
            GraphPart::Expr(expr) | GraphPart::Property(expr) => expr.walk(&mut ask),
            GraphPart::Budget(_) => {}
        });
        if asks_all && texts_ask_for_budgets(graph) {
            form.budgets.fill(true);
        }
        form.visits.sort_unstable();
        form.visits.dedup();
        form
    }

    /// Finds the nodes whose lanes make a set, and the variables that have their results.
    fn find_sets(&mut self, graph: &Graph, number: usize, uses: &ValueUses) {
        let (regions, results, slots) = (&uses.regions, &uses.results[number], &uses.slots[number]);
        // The message of a failed expression may say which item it failed for.
        let mut messages = uses.errors.iter().filter_map(|error| regions.known_field(*error, "message"));
        let is_reported = messages.any(|message| regions.is_used(message));
        let is_set = |(node, result): (&Node, &RegionId)| {
            matches!(node.kind, NodeKind::Each(_)) && !is_reported && regions.is_unordered(*result)
        };
        self.sets = graph.graph.node_weights().zip(results).map(is_set).collect();
        let of_sets = results.iter().zip(&self.sets).filter(|(_, is_set)| **is_set);
        let of_sets: Vec<RegionId> = of_sets.map(|(result, _)| regions.find(*result)).collect();
        let is_result = |slot: &RegionId| of_sets.contains(&regions.find(*slot));
        self.unordered = slots.iter().map(is_result).collect();
    }
}

fn texts_ask_for_budgets(graph: &Graph) -> bool {
    template_texts(graph).is_none_or(|texts| {
        graph.texts.iter().any(|text| texts.variables(&text.name.value).iter().any(|own| own == "budgets"))
    })
}
