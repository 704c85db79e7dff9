//! The work of a leaf: how it can be done, and how it can fail.

use smallvec::SmallVec;

use super::super::cause::{Cause, causes};
use super::super::lists::Failures;
use super::super::payer::{Payer, Payments, Pays};
use super::{ArcKind, State, StateId, Unfolder};
use crate::model::cfg::Point;
use crate::model::expr::BudgetId;
use crate::model::node::{NodeId, NodeKind};
use crate::program::graph::Charge;

impl Unfolder<'_> {
    pub(super) fn work(&mut self, from: StateId, id: NodeId) {
        let node = &self.graph.graph[id];
        let kind = ArcKind::Work(id);
        let (entry, then) = (self.entries[id.index()].clone(), self.thens[id.index()].clone());
        let mut whole = entry.clone();
        whole.follow(&then);
        let to = self.state_after(id);
        for pays in whole.sure.then(&Payments::one(self.called_at(id))).iter() {
            self.arc(from, to, kind, pays.clone(), &[]);
        }
        let refused = ArcKind::Refused(id);
        for cause in causes(entry.fails) {
            self.fail(from, (id, false), cause, (refused, entry.before.clone(), &[]));
        }
        let charged = self.charged_by(&node.kind);
        let later = |budget: &BudgetId| then.may.contains(budget) || charged.contains(budget);
        for budget in entry.may.iter().filter(|budget| !later(budget)) {
            self.fail(from, (id, false), Cause::Exhausted(*budget), (refused, Pays::new(), &[]));
        }
        if entry.sure.is_empty() {
            return;
        }
        let (fails, unknown) = self.effect_failures(id);
        for cause in causes(fails.or(then.fails)).chain(unknown.then_some(Cause::Unknown)) {
            for pays in entry.sure.iter() {
                self.fail(from, (id, false), cause, (kind, pays.clone(), &[]));
            }
        }
        let mut exhausted: SmallVec<[BudgetId; 4]> = then.may.iter().copied().chain(charged).collect();
        exhausted.sort_unstable();
        exhausted.dedup();
        for budget in exhausted {
            self.fail(from, (id, false), Cause::Exhausted(budget), (kind, Pays::new(), &[]));
        }
    }

    /// The state of a run when a leaf did its work.
    fn state_after(&self, id: NodeId) -> State {
        let cfg = &self.graph.cfg;
        match cfg.finish(id).map(|point| cfg.point(point)) {
            Some(Point::Done(composite)) => State::Exit(composite, Cause::Done, false),
            Some(_) => State::End,
            None => State::Exit(id, Cause::Done, false),
        }
    }

    /// The failures of the work beside the lists, and true if its outcome may not be known.
    fn effect_failures(&self, id: NodeId) -> (Failures, bool) {
        let node = &self.graph.graph[id];
        // An operator ends a run while it waits; a budget of a caller runs out during calls.
        let (any, plain, named) = match &node.kind {
            NodeKind::Action | NodeKind::Choice => (false, false, false),
            NodeKind::Composite(_) => (false, false, true),
            NodeKind::Final(own) => {
                let whole = node.parent.is_none() && !self.graph.output.is_empty();
                (false, whole || own.outcome.is_some() || own.ok.is_some(), false)
            }
            NodeKind::Human(_) | NodeKind::Wait(_) => (node.timeout.is_some(), true, true),
            NodeKind::Model(_)
            | NodeKind::Tool(_)
            | NodeKind::Call(_)
            | NodeKind::Each(_)
            | NodeKind::Parallel(_) => (true, true, true),
        };
        let fails = Failures { plain: plain || self.pauses, any, named: named || self.pauses };
        (fails, matches!(node.kind, NodeKind::Model(_) | NodeKind::Tool(_)))
    }

    /// The charges of the one call that a model or tool node has surely made when it is done.
    fn called_at(&self, id: NodeId) -> Pays {
        let made = match self.graph.graph[id].kind {
            NodeKind::Model(_) => Charge::ModelCalls,
            NodeKind::Tool(_) => Charge::ToolCalls,
            _ => return Pays::new(),
        };
        let charged =
            self.metered.iter().filter(|(budget, charge)| *charge == made && self.is_active(*budget, id));
        charged.map(|(budget, _)| (Payer::Budget(*budget), 1)).collect()
    }

    /// Hard budgets that the runtime charges for the work of such a node.
    fn charged_by(&self, kind: &NodeKind) -> SmallVec<[BudgetId; 2]> {
        let concerns = |charge: Charge| match kind {
            NodeKind::Model(_) => !matches!(charge, Charge::Transitions | Charge::ToolCalls),
            NodeKind::Tool(_) => matches!(charge, Charge::ToolCalls | Charge::Time),
            NodeKind::Call(_) | NodeKind::Each(_) | NodeKind::Parallel(_) => true,
            _ => false,
        };
        self.metered.iter().filter(|(_, charge)| concerns(*charge)).map(|(id, _)| *id).collect()
    }
}
