//! Types as they are checked at run time.

use crate::value::{Str, Value};

/// All shapes of a program. Records may refer to themselves.
#[derive(Debug, Default)]
pub struct Shapes {
    /// Indexed by the ids ops carry.
    pub shapes: Vec<Shape>,
}

/// A type that is checked at run time.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// What it is.
    pub kind: ShapeKind,
    /// Whether null fits.
    pub nullable: bool,
}

/// The kinds of shape; numbers in `list`, `map` and fields are ids of shapes.
#[derive(Debug, Clone, PartialEq)]
pub enum ShapeKind {
    /// Anything but null (null fits when nullable; `any` is nullable).
    Any,
    /// Only null.
    Null,
    /// `bool`.
    Bool,
    /// `int` with bounds.
    Int(Option<(i64, i64)>),
    /// `float`.
    Float,
    /// `usd`.
    Usd,
    /// `duration`.
    Duration,
    /// `string` with a greatest number of characters.
    String(Option<u64>),
    /// `list<T>` with a greatest length.
    List(u32, Option<u64>),
    /// `map<T>`.
    Map(u32),
    /// The members of an enum.
    Enum(Box<[Str]>),
    /// A record.
    Record {
        /// The name, for messages.
        name: Str,
        /// Whether unknown fields are let through.
        open: bool,
        /// Its fields.
        fields: Box<[FieldShape]>,
    },
}

/// A record's field.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldShape {
    /// The name.
    pub name: Str,
    /// The shape.
    pub shape: u32,
    /// What a missing field takes; [`None`] means it is required, unless it is nullable.
    pub default: Option<Value>,
}
