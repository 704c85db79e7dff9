//! Shapes that the same values fit.
//!
//! Each graph declares the records that it uses, so one record has several shapes where graphs call each other.

use std::mem::{Discriminant, discriminant};

use rustc_hash::FxHashMap;

use super::{Shape, ShapeKind, Shapes};
use crate::value::Str;

/// Rounds after which the shapes of a program are held for different ones: each takes time in the number of shapes, and types that
/// nest so deep are none of a graph that people write.
const MAX_ROUNDS: usize = 64;

/// All of a shape that decides which values fit it as they are. What is inside of it counts by its class.
#[derive(Debug, PartialEq, Eq, Hash)]
struct ShapeClass {
    kind: Discriminant<ShapeKind>,
    nullable: bool,
    bounds: Option<(i64, i64)>,
    most: Option<u64>,
    open: bool,
    /// Members and fields, in order.
    names: Vec<Str>,
    inside: Vec<u32>,
}

impl Shapes {
    /// Returns true if the same values fit both shapes as they are.
    #[must_use]
    pub(crate) fn are_alike(&self, one: u32, other: u32) -> bool {
        let class = |id: u32| self.classes.get(id as usize);
        one == other || class(one).is_some_and(|own| class(other) == Some(own))
    }

    /// Finds out which shapes are alike: all are at first, and those that differ are told apart until no more do. So records that hold
    /// themselves come out right.
    pub(crate) fn classify(&mut self) {
        self.classes = vec![0; self.shapes.len()];
        let mut count = 0;
        for _ in 0..MAX_ROUNDS {
            let mut known: FxHashMap<ShapeClass, u32> = FxHashMap::default();
            let class = |shape: &Shape| {
                let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
                *known.entry(self.class_of(shape)).or_insert(next)
            };
            let classes = self.shapes.iter().map(class).collect();
            self.classes = classes;
            if known.len() == count {
                return;
            }
            count = known.len();
        }
        self.classes.clear();
    }

    fn class_of(&self, shape: &Shape) -> ShapeClass {
        let class = |id: &u32| self.classes[*id as usize];
        let (mut bounds, mut most, mut open) = (None, None, false);
        let (mut names, mut inside) = (Vec::new(), Vec::new());
        match &shape.kind {
            ShapeKind::Int(own) => bounds = *own,
            ShapeKind::String(own) => most = *own,
            ShapeKind::List(item, own) => (most, inside) = (*own, vec![class(item)]),
            ShapeKind::Map(item) => inside = vec![class(item)],
            ShapeKind::Enum(members) => names = members.to_vec(),
            ShapeKind::Record { open: own, fields, .. } => {
                open = *own;
                names = fields.iter().map(|field| field.name.clone()).collect();
                inside = fields.iter().map(|field| class(&field.shape)).collect();
            }
            ShapeKind::Any
            | ShapeKind::Null
            | ShapeKind::Bool
            | ShapeKind::Float
            | ShapeKind::Usd
            | ShapeKind::Duration => {}
        }
        ShapeClass {
            kind: discriminant(&shape.kind),
            nullable: shape.nullable,
            bounds,
            most,
            open,
            names,
            inside,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::program::shape::{FieldShape, Shape, ShapeKind, Shapes};

    fn record(name: &str, fields: &[(&str, u32)]) -> ShapeKind {
        let field =
            |(name, shape): &(&str, u32)| FieldShape { name: (*name).into(), shape: *shape, default: None };
        let fields = fields.iter().map(field).collect();
        ShapeKind::Record { name: name.into(), base: 0, open: false, fields }
    }

    fn classified(kinds: impl IntoIterator<Item = ShapeKind>) -> Shapes {
        let shapes = kinds.into_iter().map(|kind| Shape { kind, nullable: false }).collect();
        let mut shapes = Shapes { shapes, ..Shapes::default() };
        shapes.classify();
        shapes
    }

    #[test]
    fn shapes_that_nest_deep_are_held_for_different_ones() {
        for (depth, alike) in [(20, true), (1_000, false)] {
            let lists = |first: u32| (first + 1..first + depth).map(|item| ShapeKind::List(item, None));
            let kinds = lists(0).chain([ShapeKind::Bool]).chain(lists(depth)).chain([ShapeKind::Bool]);
            let shapes = classified(kinds);
            assert!(shapes.are_alike(3, 3));
            assert!(!shapes.are_alike(3, 4));
            assert_eq!(shapes.are_alike(3, depth + 3), alike, "{depth}");
        }
    }

    #[test]
    fn shapes_are_alike_where_the_same_values_fit() {
        let kinds = [
            // Two trees, and one whose leaves are others.
            record("Tree", &[("value", 6), ("inside", 1)]),
            ShapeKind::List(0, None),
            record("Other", &[("value", 6), ("inside", 3)]),
            ShapeKind::List(2, None),
            record("Tree", &[("value", 7), ("inside", 5)]),
            ShapeKind::List(4, None),
            ShapeKind::Int(None),
            ShapeKind::Int(Some((0, 9))),
            ShapeKind::List(0, Some(3)),
            record("Tree", &[("inside", 1), ("value", 6)]),
            ShapeKind::Map(0),
        ];
        let shapes = classified(kinds);
        let count = u32::try_from(shapes.shapes.len()).expect("a few");
        for one in 0..count {
            let alike: Vec<u32> = (0..count).filter(|other| shapes.are_alike(one, *other)).collect();
            let wanted = match one {
                0 | 2 => vec![0, 2],
                1 | 3 => vec![1, 3],
                other => vec![other],
            };
            assert_eq!(alike, wanted, "{one}");
        }
    }
}
