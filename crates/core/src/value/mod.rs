//! Run-time values: one total order, cheap clones, JSON both ways.
//!
//! [`Value`] is what the fields of a running graph hold. A clone costs a few nanoseconds whatever its size: strings,
//! lists and maps are shared and copied only when one of the owners writes. Every list and map carries its
//! [`size`](Value::size_estimate) and [`depth`](Value::depth), so asking for them costs nothing, however large the
//! value is.
//!
//! - [`List`], [`Map`]: the containers.
//! - [`Value::equals`] is the language's `==`; `PartialEq`, `Ord` and `Hash` are one total order (see [`Value`]).
//! - [`json`]: plain and canonical JSON, the strict parser, digests. `serde` is the lossless form.
//! - [`Value::from_serde`], [`Value::deserialize`]: types of Rust.
//! - [`PathSeg`], [`Value::set_path`]: writing into the middle of a value.
//! - [`duration`], [`usd`]: the two unit types as text.
//!
//! # Why
//! - Persistent lists and maps (`rpds`) are shared between snapshots: a state of any size is copied in nanoseconds.
//! - Only the lossless form has tags (`{"$usd": "0.5"}`); plain JSON writes amounts and durations as texts, since people and
//!   tools read it.
//! - Sorting, hashing and digests compare an integer with a float exactly, while `==` compares them as floats: a total order
//!   may not take different numbers for one.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod convert;
pub mod duration;
mod exact;
pub mod json;
mod list;
mod map;
mod number;
mod order;
mod path;
mod same_text;
mod serial;
mod text_fault;
mod typed;
pub mod usd;
mod weight;

use ecow::EcoString;

pub(crate) use exact::Exact;
pub use json::{Digest, digest};
pub use list::{List, ListIter};
pub use map::{Map, MapIter};
pub use number::{float_of_int, int_of_float};
pub use path::{PathFault, PathFaultKind, PathSeg};
pub use text_fault::TextFault;
pub use typed::{TypedFault, TypedFaultKind};

/// A string: short ones (up to 15 bytes) are stored in place, long ones are shared.
pub type Str = EcoString;

/// The deepest nesting of lists and maps that is read, decoded or written into a value.
pub const MAX_DEPTH: u32 = 64;

/// A run-time value. Enum members and types-as-values are [`Value::Str`]; records are [`Value::Map`]s whose
/// entries are in the order of the record's declaration.
///
/// `PartialEq`, `Eq`, `Ord` and `Hash` follow one total order: null, booleans, numbers, money, durations, strings,
/// lists, maps. Integers and floats compare by their exact numeric value (`1 == 1.0`, `-0.0 == 0`); NaN equals itself
/// and is the greatest number; maps compare without regard to the order of their entries. For the language's `==` see
/// [`Value::equals`].
#[derive(Clone, Default)]
pub enum Value {
    /// `null`.
    #[default]
    Null,
    /// `bool`.
    Bool(bool),
    /// `int`.
    Int(i64),
    /// `float`.
    Float(f64),
    /// `usd`, in billionths.
    Usd(i64),
    /// `duration`, in nanoseconds.
    Duration(i64),
    /// `string`.
    Str(Str),
    /// `list<T>`.
    List(List),
    /// `map<T>`, or a record.
    Map(Map),
}

impl Value {
    /// True if both are the very same list or map, or equal and neither. False says nothing.
    #[must_use]
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::List(one), Self::List(two)) => one.same(two),
            (Self::Map(one), Self::Map(two)) => one.same(two),
            (Self::List(_) | Self::Map(_), _) | (_, Self::List(_) | Self::Map(_)) => false,
            _ => std::mem::discriminant(self) == std::mem::discriminant(other) && self == other,
        }
    }

    /// The name of the value's type as the language writes it: `null bool int float usd duration string list map`.
    #[must_use]
    pub const fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Float(_) => "float",
            Self::Usd(_) => "usd",
            Self::Duration(_) => "duration",
            Self::Str(_) => "string",
            Self::List(_) => "list",
            Self::Map(_) => "map",
        }
    }

    /// Returns true if this is `null`.
    #[must_use]
    #[inline]
    pub const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Returns true if this is exactly the string `text`.
    #[must_use]
    #[inline]
    pub fn is_str(&self, text: &str) -> bool {
        matches!(self, Self::Str(own) if own.as_str() == text)
    }

    /// The boolean, if this is one.
    #[must_use]
    #[inline]
    pub const fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(value) = self { Some(*value) } else { None }
    }

    /// The integer, if this is one (a float is none, even a whole one).
    #[must_use]
    #[inline]
    pub const fn as_int(&self) -> Option<i64> {
        if let Self::Int(value) = self { Some(*value) } else { None }
    }

    /// The string, if this is one.
    #[must_use]
    #[inline]
    pub fn as_str(&self) -> Option<&str> {
        if let Self::Str(value) = self { Some(value.as_str()) } else { None }
    }

    /// The list, if this is one.
    #[must_use]
    #[inline]
    pub const fn as_list(&self) -> Option<&List> {
        if let Self::List(value) = self { Some(value) } else { None }
    }

    /// The map, if this is one.
    #[must_use]
    #[inline]
    pub const fn as_map(&self) -> Option<&Map> {
        if let Self::Map(value) = self { Some(value) } else { None }
    }

    /// The value's approximate size in bytes when written out, data that several places share counted at every place.
    ///
    /// Costs the same for every value: containers keep their own sum. A write into a state changes it by the difference
    /// of the written value's size before and after.
    #[must_use]
    #[inline]
    pub fn size_estimate(&self) -> usize {
        usize::try_from(weight::size_of(self)).unwrap_or(usize::MAX)
    }

    /// The depth of nested lists and maps: 0 for a scalar, 1 for an empty list. Costs the same for every value.
    #[must_use]
    #[inline]
    pub fn depth(&self) -> u32 {
        weight::depth_of(self)
    }
}

#[cfg(test)]
pub(crate) mod sample;
#[cfg(test)]
mod tests;
