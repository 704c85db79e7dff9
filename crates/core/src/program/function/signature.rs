//! Types of parameters and results, as data.

use std::borrow::Cow;
use std::fmt;

use crate::value;

/// A type with a hole: the pattern of a parameter or result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypePattern {
    /// Anything, null too.
    Nullable,
    /// Anything but null.
    Value,
    /// `bool`.
    Bool,
    /// `int`.
    Int,
    /// `float`.
    Float,
    /// `usd`.
    Usd,
    /// `duration`.
    Duration,
    /// `string`.
    String,
    /// The name of a type.
    TypeName,
    /// JSON.
    Any,
    /// The hole: the same type everywhere in one signature.
    T,
    /// A list of such items.
    List(&'static Self),
    /// A map of such values.
    Map(&'static Self),
    /// A message of a conversation: a record of a type of this name.
    Message,
    /// The pattern or null.
    OrNull(&'static Self),
}

impl TypePattern {
    /// Returns true if the pattern lets null through.
    #[must_use]
    pub const fn takes_null(self) -> bool {
        matches!(self, Self::Nullable | Self::OrNull(_))
    }

    /// The part of a value that is not of the type: the value itself, or one inside.
    pub(super) fn misfit<'v>(&self, value: &'v value::Value) -> Option<&'v value::Value> {
        match (self, value) {
            (Self::Nullable | Self::Any, _) | (Self::OrNull(_), value::Value::Null) => None,
            (Self::OrNull(inner), _) => inner.misfit(value),
            (_, value::Value::Null) => Some(value),
            (Self::Value | Self::T, _)
            | (Self::Bool, value::Value::Bool(_))
            | (Self::Int, value::Value::Int(_))
            | (Self::Float, value::Value::Float(_))
            | (Self::Usd, value::Value::Usd(_))
            | (Self::Duration, value::Value::Duration(_))
            | (Self::String | Self::TypeName, value::Value::Str(_))
            | (Self::Message, value::Value::Map(_)) => None,
            (Self::List(item), value::Value::List(list)) => list.iter().find_map(|found| item.misfit(found)),
            (Self::Map(item), value::Value::Map(map)) => map.values().find_map(|found| item.misfit(found)),
            _ => Some(value),
        }
    }
}

impl fmt::Display for TypePattern {
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
            Self::Message => f.write_str("Message"),
            Self::List(item) => write!(f, "list<{item}>"),
            Self::Map(value) => write!(f, "map<{value}>"),
            Self::OrNull(inner) => write!(f, "{inner}?"),
        }
    }
}

/// One way to call a function. The receiver is the first parameter.
#[derive(Debug, Clone)]
pub struct Overload {
    /// The parameters.
    pub params: Cow<'static, [TypePattern]>,
    /// True if the last parameter may be given any number of times.
    pub rest: bool,
    /// The result.
    pub result: TypePattern,
}

impl Overload {
    /// The pattern of an argument; after the last parameter that one continues.
    #[must_use]
    pub fn param(&self, at: usize) -> TypePattern {
        self.params[at.min(self.params.len() - 1)]
    }

    /// Returns true if it takes so many arguments.
    #[must_use]
    pub fn takes(&self, given: usize) -> bool {
        if self.rest { given >= self.params.len() } else { given == self.params.len() }
    }
}
