//! Terms: the parts of a sum.

use super::declared::Declared;
use super::range::Range;
use crate::model::expr::SlotId;
use crate::model::node::NodeId;
use crate::model::types::Kind;
use crate::model::typing::{Path, Root};

/// The values of terms beyond those of their types.
pub(super) type Known<'a> = &'a dyn Fn(&Term) -> Range;

/// Nothing is known beyond types.
pub(super) fn unknown(_: &Term) -> Range {
    Range::default()
}

/// A part of a sum. All parts of one are counted in the same unit: the types of the language see to that.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Term {
    /// An integer that is stored, or money or time in its smallest unit.
    Int(Path),
    /// The size of a list, map or text that is stored.
    Size(Path),
    /// `step()`.
    Steps,
    /// `visits(node)`.
    Visits(NodeId),
}

impl Term {
    /// The place that is read, and the variable it lies in.
    pub(super) fn place(&self) -> Option<(SlotId, &Path)> {
        match self {
            Self::Int(path) | Self::Size(path) => match path.root {
                Root::Slot(id) => Some((id, path)),
                _ => None,
            },
            Self::Steps | Self::Visits(_) => None,
        }
    }

    /// The values of a term: those of its type, and what is known beyond.
    pub(super) fn range(&self, declared: Declared<'_>, known: Known<'_>) -> Range {
        let ty = self.place().and_then(|(_, path)| declared.ty(path));
        let declared = match (self, ty.map(|ty| ty.kind)) {
            (Self::Int(_), Some(Kind::Int(Some(bounds)))) => Range::within(bounds),
            (Self::Int(_), _) => Range::default(),
            (Self::Size(_), Some(Kind::List(_, Some(most)) | Kind::String(Some(most)))) => {
                Range { least: Some(0), most: i64::try_from(most).ok() }
            }
            (Self::Size(_) | Self::Steps | Self::Visits(_), _) => Range { least: Some(0), most: None },
        };
        declared.and(known(self))
    }
}
