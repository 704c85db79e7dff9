//! States that stand for a class: what a run would have to hold for it.

use crate::model::Graph;
use crate::model::expr::ExprKind;
use crate::model::node::NodeId;
use crate::model::record::TypeTable;
use crate::model::types::{Kind, Type};
use crate::program::frame::{Counters, Frame};
use crate::program::op::{BudgetQuery, Special};
use crate::value::{Map, Str, Value};

use super::term::Head;

/// Records in records deeper than this are left empty.
const MAX_DEPTH: u32 = 8;

/// A value of a type, as plain as it can be.
pub(crate) fn plain(ty: &Type, types: &TypeTable, depth: u32) -> Value {
    if ty.nullable && depth > 0 {
        return Value::Null;
    }
    match &ty.kind {
        Kind::Bool => Value::Bool(false),
        Kind::Int(bounds) => Value::Int(bounds.map_or(0, |(low, high)| 0.clamp(low, high.max(low)))),
        Kind::Float => Value::Float(0.0),
        Kind::Usd => Value::Usd(0),
        Kind::Duration => Value::Duration(0),
        Kind::String(_) | Kind::Type => Value::Str(Str::new()),
        Kind::Enum(members) => {
            members.members.first().map_or(Value::Null, |member| Value::Str(member.clone()))
        }
        Kind::List(..) => Value::List(crate::value::List::new()),
        Kind::Map(_) => Value::Map(Map::new()),
        Kind::Record(id) if depth < MAX_DEPTH => {
            let fields = types.record(*id).fields.iter();
            Value::Map(fields.map(|field| (field.name.clone(), plain(&field.ty, types, depth + 1))).collect())
        }
        Kind::Record(_) | Kind::Any | Kind::Null | Kind::Error => Value::Null,
    }
}

/// An example of a class as a value of the type: lists and maps have items of their type, records their fields.
fn typed(value: Value, ty: &Type, types: &TypeTable) -> Value {
    match (&ty.kind, value) {
        (Kind::Record(_), Value::Map(_)) => plain(&ty.clone().not_null(), types, 0),
        (Kind::List(item, _), Value::List(list)) => {
            let item = plain(item, types, 1);
            list.iter().map(|_| item.clone()).collect()
        }
        (Kind::Map(of), Value::Map(map)) => {
            let of = plain(of, types, 1);
            Value::Map(map.iter().map(|(key, _)| (key.clone(), of.clone())).collect())
        }
        (_, value) => value,
    }
}

/// A frame of a graph in which nothing has happened, with the run at a node.
pub(super) fn blank(graph: &Graph, types: &TypeTable, node: NodeId) -> Frame {
    let index = |node: NodeId| u32::try_from(node.index()).unwrap_or(u32::MAX);
    let mut visits = vec![0; graph.graph.node_count()];
    visits[node.index()] = 1;
    Frame {
        graph: 0,
        slots: graph
            .slots
            .iter()
            .map(|slot| if slot.ty.nullable { Value::Null } else { plain(&slot.ty, types, 0) })
            .collect(),
        counters: graph
            .budgets
            .iter()
            .map(|budget| {
                let limit = match budget.limit.kind {
                    ExprKind::Const(Value::Int(n) | Value::Usd(n) | Value::Duration(n)) => n.max(0),
                    _ => 1,
                };
                let grace = match budget.grace.as_ref().map(|grace| &grace.kind) {
                    Some(ExprKind::Const(Value::Int(n) | Value::Usd(n) | Value::Duration(n))) => (*n).max(0),
                    _ => 0,
                };
                Counters { used: 0, limit, grace }
            })
            .collect(),
        families: Vec::new(),
        visits,
        node: index(node),
        steps: 1,
        ..Frame::default()
    }
}

/// Puts a value where a term reads it; false where no state can hold it.
pub(super) fn put(
    frame: &mut Frame,
    (graph, types): (&Graph, &TypeTable),
    (root, fields): (&Head, &[Str]),
    ty: &Type,
    value: Value,
) -> bool {
    let value = typed(value, ty, types);
    let number = super::class::whole(&value);
    match (root, number) {
        (Head::Slot(id), _) => {
            let slot = id.0 as usize;
            put_into(&mut frame.slots[slot], &graph.slots[slot].ty, fields, value, types)
        }
        (Head::Special(which), _) => {
            let place = match which {
                Special::Result => &mut frame.result,
                Special::Error => &mut frame.error,
                Special::Outcome => &mut frame.outcome,
                Special::Tools => return false,
            };
            put_into(place, &Type::of(Kind::Any), fields, value, types)
        }
        (Head::Budget(query, id), Some(number)) => {
            let Some(counters) = frame.counters.get_mut(id.0 as usize) else { return false };
            match query {
                BudgetQuery::Used => counters.used = number,
                BudgetQuery::Limit => counters.limit = number,
                BudgetQuery::Left | BudgetQuery::Exhausted => return false,
            }
            true
        }
        (Head::Step, Some(number)) => u64::try_from(number).map(|number| frame.steps = number).is_ok(),
        (Head::Visits(node), Some(number)) => {
            match (u32::try_from(number), frame.visits.get_mut(node.index())) {
                (Ok(number), Some(visits)) => {
                    *visits = number;
                    true
                }
                _ => false,
            }
        }
        _ => false,
    }
}

fn put_into(place: &mut Value, ty: &Type, fields: &[Str], value: Value, types: &TypeTable) -> bool {
    let Some((name, rest)) = fields.split_first() else {
        *place = value;
        return true;
    };
    if !matches!(place, Value::Map(_)) {
        if value.is_null() && place.is_null() {
            return true;
        }
        *place = match &ty.kind {
            Kind::Record(_) => plain(&ty.clone().not_null(), types, 0),
            Kind::Map(_) | Kind::Any => Value::Map(Map::new()),
            _ => return false,
        };
    }
    let any = Type::of(Kind::Any);
    let own = match &ty.kind {
        Kind::Record(id) => types.record(*id).fields.get(name).map(|field| &field.ty),
        Kind::Map(item) => Some(&**item),
        _ => Some(&any),
    };
    let (Value::Map(map), Some(own)) = (&mut *place, own) else { return false };
    let mut below = map.get(name).cloned().unwrap_or_default();
    let done = put_into(&mut below, own, rest, value, types);
    map.set(name.clone(), below);
    done
}
