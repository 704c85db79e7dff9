//! What the library's functions take and give.

use std::fmt;
use std::sync::Arc;

use super::fit::{join, join_items};
use crate::model::record::TypeTable;
use crate::model::types::{Kind, Type};
use crate::value::Function;

/// A type with a hole: the pattern of a parameter or result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pattern {
    /// Anything, null too.
    Nullable,
    /// Anything but null.
    Value,
    Bool,
    Int,
    Float,
    Usd,
    Duration,
    String,
    TypeName,
    /// JSON.
    Any,
    /// The hole: the same type everywhere in one signature.
    T,
    List(&'static Self),
    Map(&'static Self),
    /// The pattern or null (results only).
    OrNull(&'static Self),
}

/// One way to call a function: the receiver is the first parameter. `rest` repeats the last one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Overload {
    pub(super) params: &'static [Pattern],
    pub(super) rest: bool,
    pub(super) result: Pattern,
}

const fn takes(params: &'static [Pattern], result: Pattern) -> Overload {
    Overload { params, rest: false, result }
}

const fn takes_many(params: &'static [Pattern], result: Pattern) -> Overload {
    Overload { params, rest: true, result }
}

macro_rules! overloads {
    ($($overload:expr),* $(,)?) => {{
        const ALL: &[Overload] = &[$($overload),*];
        ALL
    }};
}

const LIST_T: Pattern = Pattern::List(&Pattern::T);
const LIST_S: Pattern = Pattern::List(&Pattern::String);
const LIST_V: Pattern = Pattern::List(&Pattern::Nullable);

/// The ways to call a function. Operators have none: their types are judged where they are written.
pub(super) fn overloads(function: Function) -> &'static [Overload] {
    let groups = [conversions, texts, lists, numbers, others];
    groups.iter().map(|group| group(function)).find(|found| !found.is_empty()).unwrap_or(&[])
}

/// Functions of any kind of value: conversions, size.
fn conversions(function: Function) -> &'static [Overload] {
    use Pattern as P;
    match function {
        Function::Size => overloads![
            takes(&[P::String], P::Int),
            takes(&[LIST_V], P::Int),
            takes(&[P::Map(&P::Nullable)], P::Int),
        ],
        Function::Type => overloads![takes(&[P::Nullable], P::TypeName)],
        Function::ToString => overloads![
            takes(&[P::String], P::String),
            takes(&[P::Int], P::String),
            takes(&[P::Float], P::String),
            takes(&[P::Bool], P::String),
            takes(&[P::Usd], P::String),
            takes(&[P::Duration], P::String),
            takes(&[P::TypeName], P::String),
        ],
        Function::ToInt => {
            overloads![takes(&[P::Int], P::Int), takes(&[P::Float], P::Int), takes(&[P::String], P::Int),]
        }
        Function::ToFloat => overloads![
            takes(&[P::Float], P::Float),
            takes(&[P::Int], P::Float),
            takes(&[P::String], P::Float),
            takes(&[P::Usd], P::Float),
        ],
        Function::ToBool => overloads![takes(&[P::Bool], P::Bool), takes(&[P::String], P::Bool)],
        Function::ToDuration => {
            overloads![takes(&[P::String], P::Duration), takes(&[P::Duration], P::Duration)]
        }
        Function::ToUsd => overloads![
            takes(&[P::Usd], P::Usd),
            takes(&[P::String], P::Usd),
            takes(&[P::Int], P::Usd),
            takes(&[P::Float], P::Usd),
        ],
        Function::Dyn => overloads![takes(&[P::Nullable], P::Any)],
        _ => &[],
    }
}

/// Functions of strings.
fn texts(function: Function) -> &'static [Overload] {
    use Pattern as P;
    match function {
        Function::Contains | Function::StartsWith | Function::EndsWith | Function::Matches => {
            overloads![takes(&[P::String, P::String], P::Bool)]
        }
        Function::FindAll => overloads![takes(&[P::String, P::String], P::List(&LIST_S))],
        Function::CharAt => overloads![takes(&[P::String, P::Int], P::String)],
        Function::IndexOf | Function::LastIndexOf => {
            overloads![takes(&[P::String, P::String], P::Int), takes(&[P::String, P::String, P::Int], P::Int),]
        }
        Function::Join => overloads![takes(&[LIST_S], P::String), takes(&[LIST_S, P::String], P::String)],
        Function::LowerAscii | Function::UpperAscii | Function::Trim | Function::Quote => {
            overloads![takes(&[P::String], P::String)]
        }
        Function::Replace => overloads![
            takes(&[P::String, P::String, P::String], P::String),
            takes(&[P::String, P::String, P::String, P::Int], P::String),
        ],
        Function::Split => {
            overloads![takes(&[P::String, P::String], LIST_S), takes(&[P::String, P::String, P::Int], LIST_S),]
        }
        Function::Substring => {
            overloads![takes(&[P::String, P::Int], P::String), takes(&[P::String, P::Int, P::Int], P::String),]
        }
        Function::Format => overloads![takes(&[P::String, LIST_V], P::String)],
        Function::Reverse => overloads![takes(&[P::String], P::String), takes(&[LIST_T], LIST_T)],
        _ => &[],
    }
}

/// Functions of lists and maps.
fn lists(function: Function) -> &'static [Overload] {
    use Pattern as P;
    match function {
        Function::Slice => overloads![takes(&[LIST_T, P::Int, P::Int], LIST_T)],
        Function::Flatten => overloads![
            takes(&[P::List(&LIST_T)], LIST_T),
            takes(&[LIST_T], LIST_T),
            takes(&[LIST_V, P::Int], P::List(&P::Any)),
        ],
        Function::First | Function::Last => overloads![takes(&[LIST_T], P::OrNull(&P::T))],
        Function::Distinct | Function::Sort => overloads![takes(&[LIST_T], LIST_T)],
        Function::SortByKeys => overloads![takes(&[LIST_T, LIST_V], LIST_T)],
        Function::Range => overloads![takes(&[P::Int], P::List(&P::Int))],
        Function::Keys => overloads![takes(&[P::Map(&P::Nullable)], LIST_S)],
        Function::Values => overloads![takes(&[P::Map(&P::T)], LIST_T)],
        Function::Merge => overloads![takes(&[P::Map(&P::T), P::Map(&P::T)], P::Map(&P::T))],
        Function::Without => overloads![
            takes(&[P::Map(&P::T), P::String], P::Map(&P::T)),
            takes(&[P::Map(&P::T), LIST_S], P::Map(&P::T)),
            takes(&[LIST_T, LIST_V], LIST_T),
        ],
        _ => &[],
    }
}

/// Functions of numbers.
fn numbers(function: Function) -> &'static [Overload] {
    use Pattern as P;
    match function {
        Function::Sum => overloads![
            takes(&[P::List(&P::Int)], P::Int),
            takes(&[P::List(&P::Float)], P::Float),
            takes(&[P::List(&P::Usd)], P::Usd),
            takes(&[P::List(&P::Duration)], P::Duration),
        ],
        Function::Least | Function::Greatest => overloads![
            takes(&[P::List(&P::Int)], P::Int),
            takes(&[P::List(&P::Float)], P::Float),
            takes(&[P::List(&P::Usd)], P::Usd),
            takes(&[P::List(&P::Duration)], P::Duration),
            takes_many(&[P::Int], P::Int),
            takes_many(&[P::Float], P::Float),
            takes_many(&[P::Usd], P::Usd),
            takes_many(&[P::Duration], P::Duration),
        ],
        Function::Ceil | Function::Floor | Function::Round | Function::Trunc => {
            overloads![takes(&[P::Float], P::Float)]
        }
        Function::Sqrt => overloads![takes(&[P::Float], P::Float), takes(&[P::Int], P::Float)],
        Function::Abs => overloads![
            takes(&[P::Int], P::Int),
            takes(&[P::Float], P::Float),
            takes(&[P::Usd], P::Usd),
            takes(&[P::Duration], P::Duration),
        ],
        Function::Sign => overloads![
            takes(&[P::Int], P::Int),
            takes(&[P::Float], P::Float),
            takes(&[P::Usd], P::Int),
            takes(&[P::Duration], P::Int),
        ],
        Function::IsNaN | Function::IsInf | Function::IsFinite => overloads![takes(&[P::Float], P::Bool)],
        Function::BitAnd
        | Function::BitOr
        | Function::BitXor
        | Function::BitShiftLeft
        | Function::BitShiftRight => overloads![takes(&[P::Int, P::Int], P::Int)],
        Function::BitNot => overloads![takes(&[P::Int], P::Int)],
        _ => &[],
    }
}

/// Functions of durations, JSON and what else there is.
fn others(function: Function) -> &'static [Overload] {
    use Pattern as P;
    match function {
        Function::GetHours | Function::GetMinutes | Function::GetSeconds | Function::GetMilliseconds => {
            overloads![takes(&[P::Duration], P::Int)]
        }
        Function::ParseInt => overloads![takes(&[P::String], P::OrNull(&P::Int))],
        Function::ParseJson => overloads![takes(&[P::String], P::Any)],
        Function::Violations => overloads![takes(&[P::Nullable, P::Value], LIST_S)],
        Function::Tokens => overloads![takes(&[P::String], P::Int), takes(&[LIST_S], P::Int)],
        Function::Json | Function::Digest => overloads![takes(&[P::Nullable], P::String)],
        _ => &[],
    }
}

impl Pattern {
    /// Whether the pattern lets null through.
    pub(super) const fn takes_null(self) -> bool {
        matches!(self, Self::Nullable)
    }

    /// Whether a type (null aside) has this form; the hole is filled or widened.
    pub(super) fn admits(self, table: &TypeTable, ty: &Type, hole: &mut Option<Type>) -> bool {
        match (self, &ty.kind) {
            (Self::T, _) => {
                *hole = Some(match hole.take() {
                    Some(own) => join_items(table, &own, ty),
                    None => ty.clone(),
                });
                true
            }
            (_, Kind::Any | Kind::Error)
            | (Self::Nullable | Self::Value | Self::Any, _)
            | (Self::Bool, Kind::Bool)
            | (Self::Int, Kind::Int(_))
            | (Self::Float, Kind::Float)
            | (Self::Usd, Kind::Usd)
            | (Self::Duration, Kind::Duration)
            | (Self::String, Kind::String(_) | Kind::Enum(_))
            | (Self::TypeName, Kind::Type) => true,
            (Self::List(item), Kind::List(own, _)) | (Self::Map(item), Kind::Map(own)) => {
                item.admits_item(table, own, hole)
            }
            (Self::Map(value), Kind::Record(id)) => {
                let all = table.record(*id).fields.iter().map(|f| f.ty.clone());
                let common = all.reduce(|a, b| join_items(table, &a, &b)).unwrap_or(Type::of(Kind::Any));
                value.admits_item(table, &common, hole)
            }
            _ => false,
        }
    }

    fn admits_item(self, table: &TypeTable, item: &Type, hole: &mut Option<Type>) -> bool {
        match self {
            // No items at all fit every pattern.
            _ if matches!(item.kind, Kind::Null) && !item.nullable => {
                if matches!(self, Self::T) {
                    self.admits(table, item, hole);
                }
                true
            }
            Self::T | Self::Nullable => self.admits(table, item, hole),
            _ => !item.nullable && self.admits(table, item, hole),
        }
    }

    /// The type of the pattern with its hole filled.
    pub(super) fn fill(self, hole: Option<&Type>) -> Type {
        match self {
            Self::Nullable | Self::Value | Self::Any => Type::of(Kind::Any),
            Self::Bool => Type::of(Kind::Bool),
            Self::Int => Type::of(Kind::Int(None)),
            Self::Float => Type::of(Kind::Float),
            Self::Usd => Type::of(Kind::Usd),
            Self::Duration => Type::of(Kind::Duration),
            Self::String => Type::of(Kind::String(None)),
            Self::TypeName => Type::of(Kind::Type),
            Self::T => hole.cloned().unwrap_or(Type::of(Kind::Any)),
            Self::List(item) => Type::of(Kind::List(Arc::new(item.fill(hole)), None)),
            Self::Map(value) => Type::of(Kind::Map(Arc::new(value.fill(hole)))),
            Self::OrNull(inner) => match inner.fill(hole) {
                any @ Type { kind: Kind::Any, .. } => any,
                other => other.or_null(),
            },
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nullable | Self::Value | Self::Any => f.write_str("any"),
            Self::Bool => f.write_str("bool"),
            Self::Int => f.write_str("int"),
            Self::Float => f.write_str("float"),
            Self::Usd => f.write_str("usd"),
            Self::Duration => f.write_str("duration"),
            Self::String => f.write_str("string"),
            Self::TypeName => f.write_str("type"),
            Self::T => f.write_str("T"),
            Self::List(item) => write!(f, "list<{item}>"),
            Self::Map(value) => write!(f, "map<{value}>"),
            Self::OrNull(inner) => write!(f, "{inner}?"),
        }
    }
}

/// The type that both alternatives of an overloaded call give, `any` if they differ.
pub(super) fn either(table: &TypeTable, a: Option<Type>, b: Type) -> Type {
    match a {
        None => b,
        Some(a) => join(table, &a, &b).unwrap_or(Type::of(Kind::Any)),
    }
}
