//! Expressions that are constants although they are written as lists, maps or records.

use crate::model::expr::{Expr, ExprKind};
use crate::model::types::Type;
use crate::value::{Map, Value};

/// The treatment of a coercion on the way: the value made to fit, or [`None`] to leave the whole to run time.
pub(super) type Coercion<'a> = &'a mut dyn FnMut(&Type, Value) -> Option<Value>;

/// The value of an expression that consists of constants alone.
pub(super) fn literal(expr: &Expr, fit: Coercion<'_>) -> Option<Value> {
    match &expr.kind {
        ExprKind::Const(value) => Some(value.clone()),
        ExprKind::List(items) => items.iter().map(|item| literal(item, fit)).collect::<Option<Value>>(),
        ExprKind::Map(entries) => {
            let mut map = Map::new();
            for (key, value) in entries {
                let Value::Str(key) = literal(key, fit)? else { return None };
                // A key that comes twice is a fault, and faults belong to run time.
                if map.insert(key, literal(value, fit)?).is_some() {
                    return None;
                }
            }
            Some(Value::Map(map))
        }
        ExprKind::Record(_, fields) => {
            let mut map = Map::new();
            for (name, value) in fields {
                map.set(name.clone(), literal(value, fit)?);
            }
            Some(Value::Map(map))
        }
        ExprKind::Coerce(inner, ty) => {
            let value = literal(inner, fit)?;
            fit(ty, value)
        }
        _ => None,
    }
}
