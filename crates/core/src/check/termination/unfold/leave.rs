//! Leaving a node: the edges that may be taken, and what is entered along them.

use smallvec::SmallVec;

use super::super::cause::{Cause, Fit, causes, fit};
use super::super::holds::{Atom, Atoms, atoms};
use super::super::linear::Linear;
use super::super::lists::Failures;
use super::super::payer::{Payer, Payments, Pays, add};
use super::super::term::Term;
use super::super::term::unknown;
use super::{ArcKind, Counter, PayingGuard, State, StateId, Unfolder};
use crate::model::cfg::{Point, Step};
use crate::model::expr::{BudgetId, Expr, ExprKind, SlotKind};
use crate::model::node::{EdgeId, NodeId, NodeKind};
use crate::program::graph::Charge;

/// No more than this is noted of the guards that were false before an edge.
const MAX_PASSED: usize = 16;

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
        // Edges are looked at in order: where a node is done, the guards of those before an edge were false.
        let mut passed: Vec<Atom> = Vec::new();
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
            self.holds = self.atoms(id, true);
            if !passed.is_empty() {
                self.holds = self.holds.iter().chain(&passed).cloned().collect();
            }
            let mut pays = if pays_nothing { Pays::new() } else { self.charged_at(at) };
            add(&mut pays, &self.paid_by_guard(at));
            self.enter(from, Some(at), target, (ArcKind::Edge(id), action.sure.then(&Payments::one(pays))));
            if cause == Cause::Done && passed.len() < MAX_PASSED {
                passed.extend(self.atoms(id, false).iter().cloned());
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
        // An operator may let any step be asked about, and a person may end the run there.
        if (self.pauses || self.is_ended()) && !tried && cause != Cause::Cancelled {
            self.fail(from, (at, false), Cause::Cancelled, (ArcKind::Nothing, Pays::new(), &[]));
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

    /// The condition of a pause fails. That does not count as an edge that failed.
    fn pause(&mut self, from: StateId, at: NodeId, cause: Cause) {
        if !matches!(cause, Cause::Named | Cause::Cancelled | Cause::Plain) {
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
        let here = counted.filter(|(id, _)| self.is_active(*id, at));
        here.map(|(id, _)| (Payer::Budget(*id), 1)).collect()
    }

    /// True if a budget is charged for what happens at a node.
    pub(super) fn is_active(&self, budget: BudgetId, at: NodeId) -> bool {
        let scope = self.graph.budgets[budget.0 as usize].scope;
        scope.is_none_or(|scope| scope == at || self.graph.cfg.around(at).any(|outer| outer == scope))
    }

    /// The payments of an edge because its guard holds a limited number of times.
    fn paid_by_guard(&mut self, at: NodeId) -> Pays {
        let mut pays = Pays::new();
        let holds = self.holds.clone();
        for atom in holds.iter() {
            let Atom::Positive(sum) = atom else { continue };
            let found = sum.terms.iter().find_map(|(term, factor)| match term {
                Term::Steps if *factor == -1 => Some(Counter::Steps),
                Term::Visits(node) if *factor == -1 && *node == at => Some(Counter::Own(at)),
                Term::Visits(node) if *factor == -1 => Some(Counter::Visits(*node)),
                _ => None,
            });
            let Some(counter) = found else { continue };
            let mut limit = sum.clone();
            limit.terms.retain(|(term, _)| !matches!(term, Term::Steps | Term::Visits(_)));
            if limit.terms.len() + 1 != sum.terms.len() || !self.is_fixed(&limit) {
                continue;
            }
            // Visits are counted up to a limit.
            if counter == Counter::Steps || self.is_small(&limit) {
                let id = self.paying_guard(PayingGuard { counter, limit });
                add(&mut pays, &Pays::from_slice(&[(Payer::Guard(id), 1)]));
            }
        }
        pays
    }

    /// The atoms that are true where the guard of an edge is, or where it is false.
    fn atoms(&mut self, id: EdgeId, holds: bool) -> Atoms {
        let Some(when) = &self.graph.graph[id].when else { return self.nothing.clone() };
        let declared = self.declared;
        self.atoms.entry((id, holds)).or_insert_with(|| atoms(declared, when, holds).into()).clone()
    }

    /// The number of a guard. All edges that have the same one are taken no more often than it says together; where
    /// visits of another node are counted each edge counts by itself.
    fn paying_guard(&mut self, guard: PayingGuard) -> u32 {
        let next = u32::try_from(self.guards.len()).expect("edges are limited by the file's size");
        let id = match guard.counter {
            Counter::Steps | Counter::Own(_) => {
                *self.shared_guards.entry((guard.counter, guard.limit.clone())).or_insert(next)
            }
            Counter::Visits(_) => next,
        };
        if id == next {
            self.guards.push(guard);
        }
        id
    }

    /// True for a sum that is the same for the whole of a run: it reads inputs only.
    fn is_fixed(&self, sum: &Linear) -> bool {
        let slot = |term: &Term| term.place().map(|(slot, _)| self.graph.slots[slot.0 as usize].kind);
        sum.terms.iter().all(|(term, _)| slot(term) == Some(SlotKind::Input))
    }

    /// True for a sum that is surely within what visits are counted to.
    fn is_small(&self, sum: &Linear) -> bool {
        let end = |(term, factor): &(Term, i64)| {
            let values = term.range(self.declared, &unknown);
            let end = if *factor > 0 { values.most } else { values.least };
            Some(i128::from(end?) * i128::from(*factor))
        };
        let ends: Option<i128> = sum.terms.iter().map(end).sum();
        ends.is_some_and(|ends| ends + i128::from(sum.constant) <= i128::from(u32::MAX))
    }

    /// Enters a node: every composite on the way, then the leaf where the way ends.
    pub(super) fn enter(
        &mut self,
        from: StateId,
        source: Option<NodeId>,
        target: NodeId,
        how: (ArcKind, Payments),
    ) {
        let (kind, mut payments) = how;
        let (crossed, leaf) = self.crossed(source, target);
        for (i, composite) in crossed.iter().enumerate() {
            let entered = &crossed[..=i];
            let list = self.entries[composite.index()].clone();
            let fresh = self.begins_surely(*composite);
            let fails = if fresh { list.fails } else { list.fails.or(Failures::PLAIN) };
            for pays in payments.iter() {
                for cause in causes(fails) {
                    let mut paid = pays.clone();
                    if fresh {
                        add(&mut paid, &list.before);
                    }
                    self.fail(from, (*composite, false), cause, (kind, paid, entered));
                }
                for budget in &list.may {
                    let cause = Cause::Exhausted(*budget);
                    self.fail(from, (*composite, false), cause, (kind, pays.clone(), entered));
                }
            }
            payments = payments.then(&list.sure);
        }
        for pays in payments.iter() {
            self.arc(from, State::Work(leaf), kind, pays.clone(), &crossed);
        }
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
