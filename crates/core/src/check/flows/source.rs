//! The sources of values, and what cuts a flow.

use std::fmt;

use crate::model::types::{Kind, Type};
use crate::value::Str;

/// The origin of a value. The graph's own constants are no source.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FlowSource {
    /// The operator: what the configuration says of tools, and a rollback.
    Operator,
    /// An input of the graph that runs.
    Input(Str),
    /// A person's answer.
    Person,
    /// A model in that role; [`None`] where the role is computed and may be any.
    Model(Option<Str>),
    /// A tool of that name; [`None`] where the name is computed and may be any.
    Tool(Option<Str>),
}

impl fmt::Display for FlowSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Operator => f.write_str("operator"),
            Self::Input(name) => write!(f, "input:{name}"),
            Self::Person => f.write_str("person"),
            Self::Model(role) => write!(f, "model:{}", or_any(role.as_ref())),
            Self::Tool(name) => write!(f, "tool:{}", or_any(name.as_ref())),
        }
    }
}

/// A name, or the sign for any.
pub(super) fn or_any(name: Option<&Str>) -> &str {
    name.map_or("*", Str::as_str)
}

/// An end of a flow that a rule may accept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cut {
    /// A person approved the call with these very arguments.
    Approved,
    /// The value is a member of an enum, or a boolean.
    Enum,
    /// The value is an int with bounds.
    Bounded,
    /// The value was looked up in constants of the graph: only the key came from the source.
    Lookup,
}

impl Cut {
    /// All of them with their words in a policy.
    pub const ALL: [(&'static str, Self); 4] = [
        ("approved", Self::Approved),
        ("enum", Self::Enum),
        ("bounded", Self::Bounded),
        ("lookup", Self::Lookup),
    ];

    /// The word in a policy.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::Enum => "enum",
            Self::Bounded => "bounded",
            Self::Lookup => "lookup",
        }
    }
}

/// A set of cuts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct CutSet(u8);

impl CutSet {
    /// No cut.
    pub const NONE: Self = Self(0);

    /// The set of one.
    #[must_use]
    pub const fn of(cut: Cut) -> Self {
        Self(1 << cut as u8)
    }

    /// The set with another one.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Those that are in both sets.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// True for the empty set.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// True if all of this set are in the other one.
    pub(super) const fn is_within(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// The members, in the order of [`Cut::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Cut> {
        Cut::ALL.into_iter().map(|(_, cut)| cut).filter(move |cut| !Self::of(*cut).and(self).is_empty())
    }

    /// The cuts that a type alone makes.
    pub(super) const fn of_type(ty: &Type) -> Self {
        match ty.kind {
            Kind::Enum(_) | Kind::Bool => Self::of(Cut::Enum),
            Kind::Int(Some(_)) => Self::of(Cut::Bounded),
            _ => Self::NONE,
        }
    }
}
