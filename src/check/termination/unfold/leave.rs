//! Leaving a node: the edges that may be taken, and what is entered along them.

use smallvec::SmallVec;

use super::super::cause::{Cause, Fit, causes, fit};
use super::super::lists::{Failures, Pays, add};
use super::{ArcKind, State, StateId, Unfolder};
use crate::model::cfg::{Point, Step};
use crate::model::expr::{BudgetId, Expr, ExprKind};
use crate::model::node::{NodeId, NodeKind};
use crate::program::graph::Charge;

impl Unfolder<'_> {
    /// The edges that may be taken, and what becomes of it if none is or one fails.
    pub(super) fn leave(&mut self, from: StateId, at: NodeId, cause: Cause, tried: bool) {
        let graph = self.graph;
        let exit = if cause == Cause::Done { graph.cfg.done(at) } else { graph.cfg.failed(at) };
        // What must be named may be a budget of a caller that is used up.
        let pays_nothing = matches!(cause, Cause::Exhausted(_) | Cause::Named);
        let mut fails = Failures::default();
        let mut may: SmallVec<[BudgetId; 4]> = SmallVec::new();
        let mut handled = false;
        for (id, target) in graph.cfg.edges(exit) {
            let (fit, guard_fails) = fit(&graph.graph[id], cause);
            fails.plain |= guard_fails;
            if fit == Fit::No {
                continue;
            }
            let action = self.actions[id.index()].clone();
            // The edge that failed before is not looked at again: it may be this one.
            let barred = tried && (action.fails.can() || !action.may.is_empty() || self.counts_transitions());
            fails = fails.or(action.fails);
            may.extend(action.may.iter().copied());
            if !matches!(cause, Cause::Exhausted(_)) {
                fails.named |= self.called;
                may.extend(self.metered.iter().filter(|(_, c)| *c == Charge::Transitions).map(|(id, _)| *id));
            }
            if let Some(mut pays) = action.sure {
                if !pays_nothing {
                    add(&mut pays, &self.charged_at(at));
                }
                self.enter(from, Some(at), target, (ArcKind::Edge(id), pays));
            }
            if fit == Fit::Yes && !barred {
                handled = true;
                break;
            }
        }
        if !handled && cause == Cause::Done {
            fails.plain = true;
        }
        if self.pauses && !tried {
            fails.plain = true;
            self.pause(from, at, cause);
        }
        if !handled && cause != Cause::Done {
            self.outward(from, at, cause);
        }
        may.sort_unstable();
        may.dedup();
        for failure in causes(fails).chain(may.into_iter().map(Cause::Exhausted)) {
            if tried {
                self.outward(from, at, failure);
            } else {
                self.fail(from, (at, true), failure, (ArcKind::Nothing, Pays::new(), &[]));
            }
        }
    }

    /// The condition of a pause fails, or a person ends the run there. Neither counts as an edge that failed.
    fn pause(&mut self, from: StateId, at: NodeId, cause: Cause) {
        if cause != Cause::Named {
            self.fail(from, (at, false), Cause::Named, (ArcKind::Nothing, Pays::new(), &[]));
        }
        if !matches!(cause, Cause::Named | Cause::Plain) {
            self.fail(from, (at, false), Cause::Plain, (ArcKind::Nothing, Pays::new(), &[]));
        }
    }

    /// A failure that no edge of a node answers to.
    fn outward(&mut self, from: StateId, at: NodeId, cause: Cause) {
        let cfg = &self.graph.cfg;
        let handler = cfg.steps(cfg.failed(at)).find_map(|(step, to)| match (step, cfg.point(to)) {
            (Step::Fail, Point::Failed(outer)) => Some(outer),
            _ => None,
        });
        match handler {
            Some(outer) => self.fail(from, (outer, false), cause, (ArcKind::Nothing, Pays::new(), &[])),
            None => self.arc(from, State::End, ArcKind::Nothing, Pays::new(), &[]),
        }
    }

    /// True if a hard budget may refuse a transition: of this graph, or of one that calls it.
    fn counts_transitions(&self) -> bool {
        self.called || self.metered.iter().any(|(_, charge)| *charge == Charge::Transitions)
    }

    /// The cost of every transition from here to budgets that count transitions.
    fn charged_at(&self, at: NodeId) -> Pays {
        let counted = self.metered.iter().filter(|(_, charge)| *charge == Charge::Transitions);
        let here = counted.filter(|(id, _)| {
            let scope = self.graph.budgets[id.0 as usize].scope;
            scope.is_none_or(|scope| scope == at || self.graph.cfg.around(at).any(|outer| outer == scope))
        });
        here.map(|(id, _)| (*id, 1)).collect()
    }

    /// Enters a node: every composite on the way, then the leaf where the way ends.
    pub(super) fn enter(
        &mut self,
        from: StateId,
        source: Option<NodeId>,
        target: NodeId,
        how: (ArcKind, Pays),
    ) {
        let (kind, mut pays) = how;
        let (crossed, leaf) = self.crossed(source, target);
        for (i, composite) in crossed.iter().enumerate() {
            let entered = &crossed[..=i];
            let list = self.entries[composite.index()].clone();
            let fresh = self.begins_surely(*composite);
            let fails = if fresh { list.fails } else { list.fails.or(Failures::PLAIN) };
            for cause in causes(fails) {
                let mut paid = pays.clone();
                if fresh {
                    add(&mut paid, &list.before);
                }
                self.fail(from, (*composite, false), cause, (kind, paid, entered));
            }
            for budget in &list.may {
                self.fail(
                    from,
                    (*composite, false),
                    Cause::Exhausted(*budget),
                    (kind, pays.clone(), entered),
                );
            }
            match &list.sure {
                Some(sure) => add(&mut pays, sure),
                None => return,
            }
        }
        self.arc(from, State::Work(leaf), kind, pays, &crossed);
    }

    /// The composites that are entered on the way to a node, outermost first, and the leaf where the way ends.
    fn crossed(&self, source: Option<NodeId>, target: NodeId) -> (SmallVec<[NodeId; 2]>, NodeId) {
        let cfg = &self.graph.cfg;
        let mut crossed = cfg.entered(source, target);
        let mut leaf = target;
        while let Some(first) = cfg.first(cfg.node(leaf)) {
            leaf = first;
            if cfg.is_composite(leaf) {
                crossed.push(leaf);
            }
        }
        (crossed, leaf)
    }

    /// True if the state and budgets of a composite can be set without fail.
    fn begins_surely(&self, composite: NodeId) -> bool {
        let NodeKind::Composite(own) = &self.graph.graph[composite].kind else { return true };
        let fixed = |e: &Expr| matches!(e.kind, ExprKind::Const(_));
        own.families.is_empty()
            && own.slots.iter().all(|id| self.graph.slots[id.0 as usize].init.as_ref().is_none_or(fixed))
            && own.budgets.iter().all(|id| {
                let budget = &self.graph.budgets[id.0 as usize];
                fixed(&budget.limit) && budget.grace.as_ref().is_none_or(fixed)
            })
    }
}
