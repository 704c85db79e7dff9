//! The values that a boolean or an enum can have where a run is, and what becomes of them along an arc.

use super::cause::Cause;
use super::change::{Relation, relation};
use super::declared::Declared;
use super::holds::members;
use super::measure::{Measure, among, bits};
use super::unfold::{Arc, ArcId, ArcKind, State, StateId, Unfolding};
use crate::model::expr::{Block, Expr, ExprKind, SlotKind, StatementKind};
use crate::model::node::{Node, NodeId};
use crate::model::typing::{Path, Root};
use crate::value::Value;

/// Lists whose actions and branches nest deeper than this may leave any value.
const MAX_LIST_DEPTH: u32 = 32;
/// The most statements that are looked at for one arc; more may leave any value.
const MAX_STATEMENTS: u32 = 5_000;

/// Some of the values of a place, by bit.
type Values = u64;

/// The values of one place at every state.
pub(super) struct Ranks<'a> {
    declared: Declared<'a>,
    unfolding: &'a Unfolding,
    path: Path,
    members: Vec<Value>,
    at: Vec<Values>,
}

impl<'a> Ranks<'a> {
    /// Follows the values of a place from the start of a run. [`None`] if it is no boolean or enum that is always there.
    pub(super) fn of(declared: Declared<'a>, unfolding: &'a Unfolding, path: &Path) -> Option<Self> {
        let members = members(&declared.ty(path)?)?;
        let at = vec![0; unfolding.graph.node_count()];
        let mut own = Self { declared, unfolding, path: path.clone(), members, at };
        own.spread();
        Some(own)
    }

    pub(super) fn members(&self) -> u32 {
        u32::try_from(self.members.len()).unwrap_or(u32::MAX)
    }

    fn all(&self) -> Values {
        u64::MAX >> (u64::BITS - self.members().clamp(1, u64::BITS))
    }

    fn spread(&mut self) {
        let mut open = vec![Unfolding::start()];
        self.at[Unfolding::start().index()] = self.first();
        while let Some(state) = open.pop() {
            for id in self.unfolding.leaving(state) {
                let after = self.after(id, self.before(id));
                let to = self.unfolding.to(id).index();
                if after & !self.at[to] != 0 {
                    self.at[to] |= after;
                    open.push(StateId::new(to));
                }
            }
        }
    }

    /// The value that a run begins with. What others give a run is any value.
    fn first(&self) -> Values {
        let Root::Slot(id) = self.path.root else { return self.all() };
        let slot = &self.declared.graph.slots[id.0 as usize];
        match (&slot.kind, &slot.init) {
            (SlotKind::State, Some(init)) if self.path.fields.is_empty() => self.value(init),
            _ => self.all(),
        }
    }

    /// The values that the place may have before an arc.
    fn before(&self, id: ArcId) -> Values {
        self.at[self.unfolding.from(id).index()] & among(&self.unfolding.graph[id].holds, &self.path)
    }

    /// True if the measure is at least 1 before an arc.
    pub(super) fn is_positive(&self, to_last: bool, id: ArcId) -> bool {
        bits(self.before(id)).all(|place| Measure::rank(self.members(), to_last, place) > 0)
    }

    /// The change of the rank along an arc: true if it may rise, and true if it surely falls where it is at least 1.
    pub(super) fn change(&self, to_last: bool, id: ArcId) -> (bool, bool) {
        let rank = |place| Measure::rank(self.members(), to_last, place);
        let (mut rises, mut falls) = (false, true);
        for place in bits(self.before(id)) {
            let most = bits(self.after(id, 1 << place)).map(rank).max().unwrap_or(0);
            rises |= most > rank(place);
            falls &= rank(place) == 0 || most < rank(place);
        }
        (rises, falls)
    }

    /// The values after an arc that begins with these.
    fn after(&self, id: ArcId, values: Values) -> Values {
        let (arc, to) = (&self.unfolding.graph[id], self.unfolding.graph[self.unfolding.to(id)]);
        let mut following = Following { ranks: self, work: 0 };
        match arc.kind {
            ArcKind::Nothing => values,
            ArcKind::Work(id) | ArcKind::Refused(id) => {
                let is_done = matches!(to, State::Exit(_, Cause::Done, _));
                following.worked(&self.declared.graph.graph[id], is_done, values)
            }
            ArcKind::Edge(id) => {
                let values = following.block(&self.declared.graph.graph[id].action, values, 0);
                following.entered(arc, matches!(to, State::Work(_)), values)
            }
            ArcKind::Start => following.entered(arc, matches!(to, State::Work(_)), values),
        }
    }

    fn value(&self, expr: &Expr) -> Values {
        match &expr.kind {
            ExprKind::Const(value) => {
                let place = self.members.iter().position(|member| member == value);
                place.map_or(self.all(), |place| 1 << place)
            }
            ExprKind::Coerce(inner, _) => self.value(inner),
            _ => self.all(),
        }
    }
}

struct Following<'a, 'r> {
    ranks: &'r Ranks<'a>,
    work: u32,
}

impl Following<'_, '_> {
    fn worked(&mut self, node: &Node, is_done: bool, before: Values) -> Values {
        let entered = self.block(&node.entry, before, 0);
        let reads = |relation| relation != Relation::Apart;
        let writes = node.kind.places().any(|place| reads(relation(place, &self.ranks.path)));
        let answered = if writes { self.ranks.all() } else { entered };
        let done = self.block(&node.then, answered, 0);
        if is_done { done } else { before | entered | answered | done }
    }

    fn entered(&mut self, arc: &Arc, all_happened: bool, before: Values) -> Values {
        let (mut now, mut ever) = (before, before);
        for composite in &arc.enters {
            now = self.begun(*composite, now);
            ever |= now;
            now = self.block(&self.ranks.declared.graph.graph[*composite].entry, now, 0);
            ever |= now;
        }
        if all_happened { now } else { ever }
    }

    /// A composite's own state begins afresh.
    fn begun(&self, composite: NodeId, values: Values) -> Values {
        let Root::Slot(id) = self.ranks.path.root else { return self.ranks.all() };
        let slot = &self.ranks.declared.graph.slots[id.0 as usize];
        match &slot.init {
            _ if slot.kind != SlotKind::Inner(composite) => values,
            Some(init) if self.ranks.path.fields.is_empty() => self.ranks.value(init),
            _ => self.ranks.all(),
        }
    }

    fn block(&mut self, block: &Block, values: Values, depth: u32) -> Values {
        let mut now = values;
        for statement in &block.statements {
            self.work += 1;
            if depth > MAX_LIST_DEPTH || self.work > MAX_STATEMENTS {
                return self.ranks.all();
            }
            now = self.statement(&statement.kind, now, depth + 1);
        }
        now
    }

    fn statement(&mut self, kind: &StatementKind, values: Values, depth: u32) -> Values {
        match kind {
            StatementKind::Assign { place, add, value } => match relation(place, &self.ranks.path) {
                Relation::Apart => values,
                Relation::Same if !add => self.ranks.value(value),
                Relation::Same | Relation::Within => self.ranks.all(),
            },
            StatementKind::Call(action) => {
                let graph = self.ranks.declared.graph;
                self.block(&graph.actions[action.0 as usize].body, values, depth)
            }
            StatementKind::For(_, _, body) => {
                let once = values | self.block(body, values, depth);
                if once == values { values } else { self.ranks.all() }
            }
            StatementKind::If(arms, otherwise) => {
                let mut any = if otherwise.is_none() { values } else { 0 };
                for body in arms.iter().map(|(_, body)| body).chain(otherwise) {
                    any |= self.block(body, values, depth);
                }
                any
            }
            StatementKind::Let(..)
            | StatementKind::Spend(..)
            | StatementKind::Emit(..)
            | StatementKind::Fail(..) => values,
        }
    }
}
