//! Types against the patterns of functions' parameters and results.

use std::sync::Arc;

use super::fit::{join, join_items};
use crate::model::record::TypeTable;
use crate::model::types::{Kind, Type};
use crate::program::function::TypePattern;

/// Returns true if a type (null aside) has the form of the pattern; the hole is filled or widened.
pub(super) fn admits(pattern: TypePattern, table: &TypeTable, ty: &Type, hole: &mut Option<Type>) -> bool {
    match (pattern, &ty.kind) {
        (TypePattern::T, _) => {
            *hole = Some(match hole.take() {
                Some(own) => join_items(table, &own, ty),
                None => ty.clone(),
            });
            true
        }
        (_, Kind::Any | Kind::Error)
        | (TypePattern::Nullable | TypePattern::Value | TypePattern::Any, _)
        | (TypePattern::Bool, Kind::Bool)
        | (TypePattern::Int, Kind::Int(_))
        | (TypePattern::Float, Kind::Float)
        | (TypePattern::Usd, Kind::Usd)
        | (TypePattern::Duration, Kind::Duration)
        | (TypePattern::String, Kind::String(_) | Kind::Enum(_))
        | (TypePattern::TypeName, Kind::Type) => true,
        (TypePattern::OrNull(inner), _) => admits(*inner, table, ty, hole),
        (TypePattern::Message, Kind::Record(id)) => table.record(*id).name == "Message",
        (TypePattern::List(item), Kind::List(own, _)) | (TypePattern::Map(item), Kind::Map(own)) => {
            admits_item(*item, table, own, hole)
        }
        (TypePattern::Map(value), Kind::Record(id)) => {
            let all = table.record(*id).fields.iter().map(|f| f.ty.clone());
            let common = all.reduce(|a, b| join_items(table, &a, &b)).unwrap_or(Type::of(Kind::Any));
            admits_item(*value, table, &common, hole)
        }
        _ => false,
    }
}

fn admits_item(pattern: TypePattern, table: &TypeTable, item: &Type, hole: &mut Option<Type>) -> bool {
    match pattern {
        // No items at all fit every pattern.
        _ if matches!(item.kind, Kind::Null) && !item.nullable => {
            if matches!(pattern, TypePattern::T) {
                admits(pattern, table, item, hole);
            }
            true
        }
        TypePattern::OrNull(inner) => admits_item(*inner, table, &item.clone().not_null(), hole),
        TypePattern::T | TypePattern::Nullable => admits(pattern, table, item, hole),
        _ => !item.nullable && admits(pattern, table, item, hole),
    }
}

/// The type of the pattern with its hole filled.
pub(super) fn fill(pattern: TypePattern, hole: Option<&Type>) -> Type {
    match pattern {
        // No function gives a message.
        TypePattern::Nullable | TypePattern::Value | TypePattern::Any | TypePattern::Message => {
            Type::of(Kind::Any)
        }
        TypePattern::Bool => Type::of(Kind::Bool),
        TypePattern::Int => Type::of(Kind::Int(None)),
        TypePattern::Float => Type::of(Kind::Float),
        TypePattern::Usd => Type::of(Kind::Usd),
        TypePattern::Duration => Type::of(Kind::Duration),
        TypePattern::String => Type::of(Kind::String(None)),
        TypePattern::TypeName => Type::of(Kind::Type),
        TypePattern::T => hole.cloned().unwrap_or(Type::of(Kind::Any)),
        TypePattern::List(item) => Type::of(Kind::List(Arc::new(fill(*item, hole)), None)),
        TypePattern::Map(value) => Type::of(Kind::Map(Arc::new(fill(*value, hole)))),
        TypePattern::OrNull(inner) => match fill(*inner, hole) {
            any @ Type { kind: Kind::Any, .. } => any,
            other => other.or_null(),
        },
    }
}

/// The type that both alternatives of an overloaded call give, `any` if they differ.
pub(super) fn either(table: &TypeTable, a: Option<Type>, b: Type) -> Type {
    match a {
        None => b,
        Some(a) => join(table, &a, &b).unwrap_or(Type::of(Kind::Any)),
    }
}
