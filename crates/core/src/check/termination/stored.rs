//! The values that integers, and the sizes that lists, maps and texts in the state have in any run: by what a run begins with
//! and by what is ever written to them.

use std::mem::discriminant;

use super::change::{Relation, relation};
use super::declared::Declared;
use super::interval::{items_of, size_with};
use super::linear::{is_exact, values};
use super::range::Range;
use super::term::Term;
use crate::machine::Beginning;
use crate::model::expr::{Block, Expr, Place, SlotId, SlotKind, StatementKind};
use crate::model::graph::Slot;
use crate::model::types::{Kind, Type};
use crate::model::typing::{Path, Root};
use crate::value::Value;

/// An end that still moves after so many rounds over all writes is taken for none.
const MAX_ROUNDS: u32 = 3;
/// If ends still move then, nothing is known of what is written to.
const MAX_WIDENED_ROUNDS: u32 = 12;

/// The values and sizes of one slot.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct SlotRange {
    /// The values of an integer, or of money or time in its smallest unit.
    value: Range,
    /// The sizes of a list, map or text.
    size: Range,
}

impl SlotRange {
    fn of(value: &Value) -> Self {
        let size = items_of(value).and_then(|n| i64::try_from(n).ok());
        let value = match value {
            Value::Int(n) | Value::Usd(n) | Value::Duration(n) => Range::of(*n),
            _ => Range::default(),
        };
        Self { value, size: size.map_or_else(Range::default, Range::of) }
    }

    fn or(self, other: Self) -> Self {
        Self { value: self.value.or(other.value), size: self.size.or(other.size) }
    }

    /// Only the ends that this and a later round agree on.
    fn agreed(self, later: Self) -> Self {
        let same = |a: Option<i64>, b: Option<i64>| a.filter(|_| a == b);
        let both = |a: Range, b: Range| Range { least: same(a.least, b.least), most: same(a.most, b.most) };
        Self { value: both(self.value, later.value), size: both(self.size, later.size) }
    }
}

/// A write to a slot.
#[derive(Clone, Copy)]
enum SlotWrite<'g> {
    /// The value that it begins with.
    Init(SlotId, &'g Expr),
    Assigned {
        place: &'g Place,
        add: bool,
        value: &'g Expr,
    },
}

/// The values and sizes of every slot.
pub(super) struct StoredValues {
    /// The inputs that are given, by slot: they are never written to.
    inputs: Vec<Option<Value>>,
    slots: Vec<SlotRange>,
}

impl StoredValues {
    /// `given`: how the run begins, if it is one run.
    pub(super) fn of(declared: Declared<'_>, given: Option<&Beginning>) -> Self {
        let graph = declared.graph;
        let values = graph.slots.iter().zip(0_usize..).map(|(slot, i)| {
            let value = given?.slots.get(i)?;
            (slot.kind == SlotKind::Input).then(|| value.clone())
        });
        let own = Self { inputs: values.collect(), slots: vec![SlotRange::default(); graph.slots.len()] };
        let mut settling = Settling { declared, known: own };
        let mut writes = Vec::new();
        for (slot, id) in graph.slots.iter().zip(0..) {
            settling.begin(slot, SlotId(id), given, &mut writes);
        }
        for node in graph.graph.node_weights() {
            collect(&node.entry, &mut writes);
            collect(&node.then, &mut writes);
        }
        graph.graph.edge_weights().for_each(|edge| collect(&edge.action, &mut writes));
        graph.actions.iter().for_each(|action| collect(&action.body, &mut writes));
        settling.settle(&writes);
        settling.known
    }

    /// The values of a term beyond those of its type.
    pub(super) fn of_term(&self, term: &Term) -> Range {
        let Some((SlotId(slot), path)) = term.place() else { return Range::default() };
        let stored = match self.inputs.get(slot as usize).and_then(Option::as_ref) {
            Some(value) => path.fields.iter().try_fold(value, field).map(SlotRange::of),
            None => self.slots.get(slot as usize).copied().filter(|_| path.fields.is_empty()),
        };
        let stored = stored.unwrap_or_default();
        if matches!(term, Term::Size(_)) { stored.size } else { stored.value }
    }
}

/// Follows what is written.
struct Settling<'g> {
    declared: Declared<'g>,
    known: StoredValues,
}

impl<'g> Settling<'g> {
    fn begin(
        &mut self,
        slot: &'g Slot,
        SlotId(id): SlotId,
        given: Option<&Beginning>,
        writes: &mut Vec<SlotWrite<'g>>,
    ) {
        let value = given.and_then(|given| given.slots.get(id as usize));
        match (&slot.kind, value, &slot.init) {
            (SlotKind::State, Some(value), _) => self.known.slots[id as usize] = SlotRange::of(value),
            (SlotKind::State | SlotKind::Inner(_), _, Some(init)) => {
                self.known.slots[id as usize] = self.stored(SlotId(id), init);
                writes.push(SlotWrite::Init(SlotId(id), init));
            }
            _ => {}
        }
    }

    /// Joins what is written until nothing moves any more.
    fn settle(&mut self, writes: &[SlotWrite<'g>]) {
        for node in self.declared.graph.graph.node_weights() {
            for place in node.kind.places() {
                self.known.slots[place.slot.0 as usize] = SlotRange::default();
            }
        }
        for round in 0..MAX_WIDENED_ROUNDS {
            let before = self.known.slots.clone();
            for write in writes {
                self.join(*write);
            }
            if self.known.slots == before {
                return;
            }
            if round >= MAX_ROUNDS {
                for (now, before) in self.known.slots.iter_mut().zip(before) {
                    *now = before.agreed(*now);
                }
            }
        }
        self.known.slots.fill(SlotRange::default());
    }

    fn join(&mut self, write: SlotWrite<'g>) {
        let (slot, new) = match write {
            SlotWrite::Init(slot, init) => (slot, self.stored(slot, init)),
            SlotWrite::Assigned { place, add, value } => (place.slot, self.assigned(place, add, value)),
        };
        let slot = &mut self.known.slots[slot.0 as usize];
        *slot = slot.or(new);
    }

    /// The range of a slot after a write to it, or to a place in it.
    fn assigned(&self, place: &Place, add: bool, value: &Expr) -> SlotRange {
        let before = self.known.slots[place.slot.0 as usize];
        let is_list = matches!(self.ty(place.slot).kind, Kind::List(..));
        if relation(place, &Path::root(Root::Slot(place.slot))) != Relation::Same {
            // An item is another one then.
            return if is_list { before } else { SlotRange::default() };
        }
        let new = self.stored(place.slot, value);
        match add {
            false => new,
            true if is_list => SlotRange { size: before.size.plus(Range::of(1)), ..SlotRange::default() },
            true => SlotRange { value: before.value.plus(new.value), ..SlotRange::default() },
        }
    }

    fn ty(&self, SlotId(slot): SlotId) -> &'g Type {
        &self.declared.graph.slots[slot as usize].ty
    }

    /// The range of a value that a slot gets.
    fn stored(&self, slot: SlotId, expr: &Expr) -> SlotRange {
        let known = |term: &Term| self.known.of_term(term);
        // What is counted in another unit is another number.
        if discriminant(&self.ty(slot).kind) != discriminant(&expr.ty.kind) {
            return SlotRange::default();
        }
        if is_exact(&expr.ty.kind) {
            return SlotRange { value: values(self.declared, expr, &known), ..SlotRange::default() };
        }
        match expr.ty.kind {
            Kind::List(..) | Kind::Map(_) | Kind::String(_) => {
                SlotRange { size: size_with(self.declared.graph, expr, &known), ..SlotRange::default() }
            }
            _ => SlotRange::default(),
        }
    }
}

fn field<'v>(value: &'v Value, name: &crate::value::Str) -> Option<&'v Value> {
    match value {
        Value::Map(map) => map.get(name),
        _ => None,
    }
}

/// The writes of a list of statements. Those of the actions it calls are collected where the actions are.
fn collect<'g>(block: &'g Block, writes: &mut Vec<SlotWrite<'g>>) {
    let mut open = vec![block];
    while let Some(block) = open.pop() {
        for statement in &block.statements {
            match &statement.kind {
                StatementKind::Assign { place, add, value } => {
                    writes.push(SlotWrite::Assigned { place, add: *add, value });
                }
                StatementKind::For(_, _, body) => open.push(body),
                StatementKind::If(arms, otherwise) => {
                    open.extend(arms.iter().map(|(_, body)| body).chain(otherwise));
                }
                _ => {}
            }
        }
    }
}
