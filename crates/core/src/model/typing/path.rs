//! Paths: what facts are about.

use smallvec::SmallVec;

use crate::model::expr::{Expr, ExprKind, LetId, LocalId, SlotId};

use crate::program::op::Special;
use crate::value::{Str, Value};

/// The value that a path starts at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Root {
    /// An input or state field.
    Slot(SlotId),
    /// A parameterless let.
    Let(LetId),
    /// `result`, `error`, …
    Special(Special),
    /// A loop variable or the like.
    Local(LocalId),
}

/// A root and constant field names below it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Path {
    /// Its start.
    pub root: Root,
    /// The way down.
    pub fields: SmallVec<[Str; 2]>,
}

impl Path {
    /// The path that is a root alone.
    #[must_use]
    pub fn root(root: Root) -> Self {
        Self { root, fields: SmallVec::new() }
    }

    /// The path an expression reads, if it reads one.
    #[must_use]
    pub fn of(expr: &Expr) -> Option<Self> {
        match &expr.kind {
            ExprKind::Coerce(inner, _) => Self::of(inner),
            kind => {
                if let Some(root) = root_of(kind) {
                    return Some(Self::root(root));
                }
                let (target, name) = step_of(kind)?;
                let mut path = Self::of(target)?;
                path.fields.push(name.clone());
                Some(path)
            }
        }
    }

    /// The same way down from another root.
    pub(super) fn at(&self, root: Root) -> Self {
        Self { root, fields: self.fields.clone() }
    }

    /// The slot that is the whole path.
    pub(super) fn slot(&self) -> Option<SlotId> {
        match self.root {
            Root::Slot(id) if self.fields.is_empty() => Some(id),
            _ => None,
        }
    }

    /// True if `self` is `other` or lies above it.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        self.root == other.root && other.fields.starts_with(&self.fields)
    }

    /// True if this is the path that `expr` reads. Allocates nothing.
    pub(super) fn reads(&self, expr: &Expr) -> bool {
        let mut rest = self.fields.as_slice();
        let mut at = expr;
        loop {
            if let ExprKind::Coerce(inner, _) = &at.kind {
                at = inner;
            } else if let Some(root) = root_of(&at.kind) {
                return rest.is_empty() && root == self.root;
            } else {
                let (Some((target, name)), Some((last, above))) = (step_of(&at.kind), rest.split_last())
                else {
                    return false;
                };
                if name != last {
                    return false;
                }
                (at, rest) = (target, above);
            }
        }
    }
}

/// The slot that an expression reads as a whole.
pub(super) fn slot_of(expr: &Expr) -> Option<SlotId> {
    match &expr.kind {
        ExprKind::Slot(id) => Some(*id),
        ExprKind::Coerce(inner, _) => slot_of(inner),
        _ => None,
    }
}

fn root_of(kind: &ExprKind) -> Option<Root> {
    match kind {
        ExprKind::Slot(id) => Some(Root::Slot(*id)),
        ExprKind::Let(id) => Some(Root::Let(*id)),
        ExprKind::Local(id) => Some(Root::Local(*id)),
        ExprKind::Special(which) => Some(Root::Special(*which)),
        _ => None,
    }
}

fn step_of(kind: &ExprKind) -> Option<(&Expr, &Str)> {
    match kind {
        ExprKind::Field { target, name, .. } => Some((target, name)),
        ExprKind::Index(target, index) => match &index.kind {
            ExprKind::Const(Value::Str(name)) => Some((target, name)),
            _ => None,
        },
        _ => None,
    }
}
