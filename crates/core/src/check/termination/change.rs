//! The amount by which a sum can grow along an arc.

use super::declared::Declared;
use super::interval::{LeastSize, range_with};
use super::linear::{Linear, values};
use super::range::Range;
use super::term::Term;
use super::term::unknown;
use super::unfold::{Arc, ArcKind, State};
use crate::model::expr::{Block, Expr, ExprKind, Place, PlaceStep, SlotKind, StatementKind};
use crate::model::graph::Graph;
use crate::model::node::{Node, NodeId};
use crate::model::types::Kind;
use crate::model::typing::Path;
use crate::program::function::Function;
use crate::program::op::Macro;

/// Lists whose actions and branches nest deeper than this may change anything.
const MAX_CHANGE_DEPTH: u32 = 32;
/// The most statements that are looked at for one arc; more may change anything.
const MAX_CHANGE_WORK: u32 = 5_000;

/// The most that something grows by; [`None`] if it is not known.
type Growth = Option<i64>;

/// The relation of a place that is written to one that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    Apart,
    Same,
    /// One lies in the other.
    Within,
}

/// The relation of a write to a path that is read.
pub(super) fn relation(place: &Place, path: &Path) -> Relation {
    if path.root != crate::model::typing::Root::Slot(place.slot) {
        return Relation::Apart;
    }
    let mut fields = path.fields.iter();
    for step in &place.steps {
        match (step, fields.next()) {
            (PlaceStep::Field(name, _), Some(own)) if name == own => {}
            (PlaceStep::Field(..), Some(_)) => return Relation::Apart,
            _ => return Relation::Within,
        }
    }
    if fields.next().is_some() { Relation::Within } else { Relation::Same }
}

/// The most that a sum grows along an arc to a state.
pub(super) fn growth(declared: Declared<'_>, sum: &Linear, arc: &Arc, to: State) -> Growth {
    Growing { declared, sum, items: None, may_rise: false, work: 0 }.along(arc, to)
}

/// True if a sum surely falls along an arc where it is at least 1, though it need not where it is less: as the size of a list
/// of which as many items are taken off as there are, five at most.
///
/// No statement on the way may raise it. Then either the sum is still at least 1 where a statement lowers it because of
/// that, or one before has lowered it.
pub(super) fn falls_where_positive(declared: Declared<'_>, sum: &Linear, arc: &Arc, to: State) -> bool {
    let [(Term::Size(path), 1)] = sum.terms.as_slice() else { return false };
    let Some(least) = 1_i64.checked_sub(sum.constant).filter(|least| *least >= 1) else { return false };
    let mut growing = Growing { declared, sum, items: Some((path, least)), may_rise: false, work: 0 };
    growing.along(arc, to).is_some_and(|most| most < 0) && !growing.may_rise
}

impl Growing<'_> {
    fn along(&mut self, arc: &Arc, to: State) -> Growth {
        let graph = self.declared.graph;
        match arc.kind {
            ArcKind::Work(id) | ArcKind::Refused(id) => {
                let node = &graph.graph[id];
                let parts = [self.block(&node.entry, 0), self.answer(node), self.block(&node.then, 0)];
                let is_done = matches!(to, State::Exit(_, super::cause::Cause::Done, _));
                sum_of(parts, is_done)
            }
            ArcKind::Edge(id) => {
                let own = self.block(&graph.graph[id].action, 0);
                let parts = arc
                    .enters
                    .iter()
                    .flat_map(|id| [self.begun(*id), self.block(&graph.graph[*id].entry, 0)]);
                let parts: Vec<Growth> = parts.collect();
                own?.checked_add(sum_of(parts, matches!(to, State::Work(_)))?)
            }
            ArcKind::Start => None,
            ArcKind::Nothing => Some(0),
        }
    }
}

/// The parts together. If not all of them surely happened, what lowers the sum does not count.
fn sum_of(parts: impl IntoIterator<Item = Growth>, all_happened: bool) -> Growth {
    parts.into_iter().try_fold(0_i64, |sum, part| {
        let part = if all_happened { part? } else { part?.max(0) };
        sum.checked_add(part)
    })
}

struct Growing<'a> {
    declared: Declared<'a>,
    sum: &'a Linear,
    /// What is known of a size wherever the sum is at least 1, if that is to be used.
    items: Option<LeastSize<'a>>,
    /// True if a statement was met that may raise the sum.
    may_rise: bool,
    work: u32,
}

impl Growing<'_> {
    fn graph(&self) -> &Graph {
        self.declared.graph
    }

    fn block(&mut self, block: &Block, depth: u32) -> Growth {
        if depth > MAX_CHANGE_DEPTH {
            return None;
        }
        let mut all = 0_i64;
        for statement in &block.statements {
            self.work += 1;
            if self.work > MAX_CHANGE_WORK {
                return None;
            }
            all = all.checked_add(self.statement(&statement.kind, depth + 1)?)?;
        }
        Some(all)
    }

    fn statement(&mut self, kind: &StatementKind, depth: u32) -> Growth {
        match kind {
            StatementKind::Assign { place, add, value } => self.assigned(place, *add, value),
            StatementKind::Call(action) => {
                let graph = self.declared.graph;
                self.block(&graph.actions[action.0 as usize].body, depth)
            }
            StatementKind::For(_, _, body) => {
                // The list may be empty, and of any length.
                let once = self.block(body, depth)?;
                (once <= 0).then_some(0)
            }
            StatementKind::If(arms, otherwise) => {
                let mut most = if otherwise.is_none() { Some(0) } else { None };
                for body in arms.iter().map(|(_, body)| body).chain(otherwise) {
                    let own = self.block(body, depth)?;
                    most = Some(most.map_or(own, |most: i64| most.max(own)));
                }
                most
            }
            StatementKind::Let(..)
            | StatementKind::Spend(..)
            | StatementKind::Emit(..)
            | StatementKind::Fail(..) => Some(0),
        }
    }

    fn assigned(&mut self, place: &Place, add: bool, value: &Expr) -> Growth {
        if let Some(items) = self.items.take() {
            self.may_rise |= self.grown(place, add, value).is_none_or(|most| most > 0);
            self.items = Some(items);
        }
        self.grown(place, add, value)
    }

    fn grown(&self, place: &Place, add: bool, value: &Expr) -> Growth {
        self.sum.terms.iter().try_fold(0_i64, |all, (term, factor)| {
            let (_, path) = term.place()?;
            let change = match relation(place, path) {
                Relation::Apart => return Some(all),
                Relation::Within => return None,
                Relation::Same => self.change(term, path, add, value),
            };
            let end = if *factor > 0 { change.most } else { change.least };
            all.checked_add(end?.checked_mul(*factor)?)
        })
    }

    /// The change of a term when its place is written.
    fn change(&self, term: &Term, path: &Path, add: bool, value: &Expr) -> Range {
        match term {
            Term::Int(_) if add => values(self.declared, value, &unknown),
            Term::Int(_) => Linear::of(self.declared, value)
                .map_or_else(Range::default, |new| self.difference(&new, term)),
            Term::Size(_) if add => match self.declared.ty(path).map(|ty| ty.kind) {
                Some(Kind::List(..)) => Range::of(1),
                _ => Range::default(),
            },
            Term::Size(_) => self.resized(term, path, value),
            Term::Steps | Term::Visits(_) => Range::default(),
        }
    }

    /// The values of a sum less a term.
    fn difference(&self, new: &Linear, term: &Term) -> Range {
        let Some(change) = new.clone().plus(&Linear::term(term.clone()), -1) else { return Range::default() };
        change.range(self.declared, &|term| self.known(term))
    }

    /// The values of a term wherever the sum is at least 1.
    fn known(&self, term: &Term) -> Range {
        match (term, self.items) {
            (Term::Size(own), Some((path, least))) if own == path => Range { least: Some(least), most: None },
            _ => Range::default(),
        }
    }

    /// The change of a size when a list made of the old one takes its place.
    fn resized(&self, term: &Term, path: &Path, value: &Expr) -> Range {
        let is_own = |expr: &Expr| Path::of(expr).is_some_and(|own| own == *path);
        let shorter = Range { least: None, most: Some(0) };
        match &value.kind {
            ExprKind::Coerce(inner, _) => self.resized(term, path, inner),
            ExprKind::Macro { kind: Macro::Filter, over, .. } if is_own(over) => shorter,
            ExprKind::Call(function, args) => match (function.name(), args.as_slice()) {
                // Places outside of the list have no value.
                (Some("slice"), [of, start, end]) if is_own(of) => {
                    let most = Some(
                        range_with(self.graph(), start, &|term| self.known(term))
                            .least
                            .unwrap_or(0)
                            .max(0)
                            .saturating_neg(),
                    );
                    let left = Linear::of(self.declared, end).zip(Linear::of(self.declared, start));
                    let left = left.and_then(|(end, start)| end.plus(&start, -1));
                    let exact = left.map_or_else(Range::default, |left| self.difference(&left, term));
                    exact.and(Range { least: None, most })
                }
                (Some("+"), [of, other]) if *function == Function::ADD && is_own(of) => {
                    let items = match &other.kind {
                        ExprKind::List(items) => i64::try_from(items.len()).ok(),
                        _ => None,
                    };
                    Range { least: Some(items.unwrap_or(0)), most: items }
                }
                _ => Range::default(),
            },
            _ => Range::default(),
        }
    }

    fn answer(&self, node: &Node) -> Growth {
        let reads = |place: &Place| {
            let places = self.sum.terms.iter().filter_map(|(term, _)| term.place());
            places.map(|(_, path)| relation(place, path)).any(|relation| relation != Relation::Apart)
        };
        (!node.kind.places().any(reads)).then_some(0)
    }

    /// A composite's own state begins afresh.
    fn begun(&self, composite: NodeId) -> Growth {
        let slots = self.sum.terms.iter().filter_map(|(term, _)| term.place());
        let own = |slot: usize| self.graph().slots[slot].kind == SlotKind::Inner(composite);
        (!slots.map(|(slot, _)| slot.0 as usize).any(own)).then_some(0)
    }
}
