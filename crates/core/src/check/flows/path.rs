//! Ways down into values: fields, and items that are not told apart.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::model::record::TypeTable;
use crate::model::types::{Kind, Type};
use crate::value::Str;

/// A step down: the number of a field's name, or [`ITEM`].
pub(super) type PathStep = u32;

/// Any item of a list, any value of a map.
pub(super) const ITEM: PathStep = 0;

/// Longer paths are cut off: what lies deeper is not told apart.
pub(super) const MAX_STEPS: usize = 5;

/// A way down into a value.
pub(super) type FieldPath = SmallVec<[PathStep; MAX_STEPS]>;

/// Field names by their numbers.
#[derive(Debug, Default)]
pub(super) struct FieldNames {
    names: Vec<Str>,
    numbers: FxHashMap<Str, PathStep>,
}

impl FieldNames {
    /// The step to a field of that name.
    pub(super) fn step(&mut self, name: &Str) -> PathStep {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        self.names.push(name.clone());
        let number = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        self.numbers.insert(name.clone(), number);
        number
    }

    /// The type at the end of a path, where it is known.
    pub(super) fn type_at<'t>(
        &self,
        types: &'t TypeTable,
        ty: &'t Type,
        path: &[PathStep],
    ) -> Option<&'t Type> {
        let mut ty = ty;
        for step in path {
            ty = match &ty.kind {
                Kind::List(item, _) | Kind::Map(item) => item,
                Kind::Record(id) => {
                    let name = self.names.get((*step as usize).checked_sub(1)?)?;
                    &types.record(*id).fields.get(name)?.ty
                }
                _ => return None,
            };
        }
        Some(ty)
    }
}

/// True if two paths may lead to the same value, or one into the value that the other leads to.
pub(super) fn meet(one: &[PathStep], other: &[PathStep]) -> bool {
    one.iter().zip(other).all(|(a, b)| a == b || *a == ITEM || *b == ITEM)
}
