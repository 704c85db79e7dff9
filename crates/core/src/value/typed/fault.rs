//! The fault of a value and a type that do not fit each other.

use std::fmt::{self, Display};

use serde::{de, ser};

use super::super::{MAX_DEPTH, PathSeg};

/// The fault of a value and a type that do not fit each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypedFault {
    /// The place of what does not fit, from the outside in; empty for the whole.
    pub path: Vec<PathSeg>,
    /// The reason.
    pub kind: TypedFaultKind,
}

/// The reason for which a value and a type do not fit each other.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TypedFaultKind {
    /// An integer is beyond 64 signed bits.
    Integer(String),
    /// An integer cannot be a float without being rounded.
    Rounded(i64),
    /// A float is no number, or not finite.
    Float(&'static str),
    /// A key of a map is something else than a text.
    Key(&'static str),
    /// A key comes twice.
    Twice(String),
    /// Lists and maps nest too deep.
    Deep,
    /// The type says so.
    Other(String),
}

impl Display for TypedFaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(found) => {
                write!(f, "the integer {found} does not fit into 64 signed bits; hand it over as a text")
            }
            Self::Rounded(found) => write!(f, "the integer {found} would be rounded as a float"),
            Self::Float(found) => {
                write!(f, "the float is {found}, which has no place in a value; use null instead")
            }
            Self::Key(found) => write!(f, "a key is {found}, and keys are texts"),
            Self::Twice(key) => write!(f, "the key `{key}` comes twice"),
            Self::Deep => write!(f, "lists and maps nest deeper than {MAX_DEPTH}"),
            Self::Other(why) => f.write_str(why),
        }
    }
}

impl Display for TypedFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, part) in self.path.iter().enumerate() {
            match part {
                PathSeg::Key(key) if place == 0 => write!(f, "{key}")?,
                PathSeg::Key(key) => write!(f, ".{key}")?,
                PathSeg::Index(index) => write!(f, "[{index}]")?,
            }
        }
        if !self.path.is_empty() {
            f.write_str(": ")?;
        }
        self.kind.fmt(f)
    }
}

impl std::error::Error for TypedFault {}

impl From<TypedFaultKind> for TypedFault {
    fn from(kind: TypedFaultKind) -> Self {
        Self { path: Vec::new(), kind }
    }
}

impl TypedFault {
    /// The fault as seen from one level further out.
    pub(super) fn within(mut self, place: PathSeg) -> Self {
        self.path.insert(0, place);
        self
    }
}

impl ser::Error for TypedFault {
    fn custom<T: Display>(why: T) -> Self {
        TypedFaultKind::Other(why.to_string()).into()
    }
}

impl de::Error for TypedFault {
    fn custom<T: Display>(why: T) -> Self {
        TypedFaultKind::Other(why.to_string()).into()
    }
}
