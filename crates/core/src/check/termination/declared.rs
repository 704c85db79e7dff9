//! The declared types of places: what is stored there fits them wherever a run is.

use crate::model::Graph;
use crate::model::expr::{Expr, SlotId};
use crate::model::record::TypeTable;
use crate::model::types::{Kind, Type};
use crate::model::typing::{Path, Root};

/// A graph with its records.
#[derive(Clone, Copy)]
pub(super) struct Declared<'g> {
    pub(super) graph: &'g Graph,
    pub(super) types: &'g TypeTable,
}

impl Declared<'_> {
    /// The type of a place; [`None`] if it lies in a value of `any` or in none that is stored. It is nullable if
    /// anything above it is.
    pub(super) fn ty(&self, path: &Path) -> Option<Type> {
        let Root::Slot(SlotId(slot)) = path.root else { return None };
        let mut ty = &self.graph.slots.get(slot as usize)?.ty;
        let mut nullable = ty.nullable;
        for field in &path.fields {
            let Kind::Record(id) = ty.kind else { return None };
            ty = &self.types.record(id).fields.get(field)?.ty;
            nullable |= ty.nullable;
        }
        Some(Type { kind: ty.kind.clone(), nullable })
    }

    /// A place as expressions write it.
    pub(super) fn written(&self, path: &Path) -> String {
        let slot = match path.root {
            Root::Slot(id) => self.graph.slots.get(id.0 as usize),
            _ => None,
        };
        let mut place = slot.map_or_else(String::new, |slot| slot.name.value.to_string());
        for field in &path.fields {
            place.push('.');
            place.push_str(field);
        }
        place
    }

    /// The place that an expression reads, and its declared type.
    pub(super) fn stored(&self, expr: &Expr) -> Option<(Path, Type)> {
        let path = Path::of(expr)?;
        let ty = self.ty(&path)?;
        Some((path, ty))
    }
}
