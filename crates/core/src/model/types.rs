//! Types of values, resolved.

use std::sync::Arc;

use crate::value::{MAX_DEPTH, Str};

/// A resolved type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Type {
    /// The kind of type, without nullability.
    pub kind: Kind,
    /// True if null belongs to it.
    pub nullable: bool,
}

/// The kinds of type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `bool`.
    Bool,
    /// `int`, perhaps with inclusive bounds.
    Int(Option<(i64, i64)>),
    /// `float`.
    Float,
    /// `usd`.
    Usd,
    /// `string`, perhaps with a greatest number of characters.
    String(Option<u64>),
    /// `duration`.
    Duration,
    /// `any`: JSON, checked at run time.
    Any,
    /// The type of `null` alone (and of an empty list's items).
    Null,
    /// The type of a type name used as a value (`type(x) == int`).
    Type,
    /// `list<T>`, perhaps with a greatest length.
    List(Arc<Type>, Option<u64>),
    /// `map<T>` with string keys.
    Map(Arc<Type>),
    /// `enum(…)`.
    Enum(Arc<EnumType>),
    /// A record of the model's [`TypeTable`](super::record::TypeTable).
    Record(RecordId),
    /// Stands for a type that could not be resolved; fits everywhere, so that one fault is reported once.
    Error,
}

/// An enum's members in order of declaration.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct EnumType {
    /// The name it was declared under, for messages.
    pub name: Option<Str>,
    /// The members.
    pub members: Vec<Str>,
}

/// Index of a record in the [`TypeTable`](super::record::TypeTable).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RecordId(pub u32);

impl Type {
    /// The type of that kind without null.
    #[must_use]
    pub const fn of(kind: Kind) -> Self {
        Self { kind, nullable: false }
    }

    /// The same type with null.
    #[must_use]
    pub fn or_null(mut self) -> Self {
        self.nullable = true;
        self
    }

    /// The type, or `any` where its lists and maps nest deeper than a value may. Names are given such types: without a
    /// limit each name could stand for a deeper one than the one before.
    #[must_use]
    pub(in crate::model) fn named(self) -> Self {
        let mut inner = &self;
        for _ in 0..MAX_DEPTH {
            match &inner.kind {
                Kind::List(item, _) | Kind::Map(item) => inner = item,
                _ => return self,
            }
        }
        Self::of(Kind::Any)
    }

    /// The same type without null.
    #[must_use]
    pub fn not_null(mut self) -> Self {
        self.nullable = false;
        self
    }
}
