//! Classes of shapes: those of one class take the same values.

use std::fmt::Write;

use rustc_hash::FxHashMap;

use super::{Shape, ShapeKind, Shapes};

/// The rounds in which shapes are parted. Each looks one level deeper into the types that are still held for one.
const MAX_ROUNDS: usize = 16;

impl Shapes {
    /// Returns true if a value that was made to fit one of the shapes fits the other one as it is. Records with the same fields
    /// are such shapes, as two graphs have them that use the same file.
    #[must_use]
    pub(crate) fn are_alike(&self, one: u32, other: u32) -> bool {
        let class = |id: u32| self.classes.get(id as usize);
        one == other || class(one).is_some_and(|own| Some(own) == class(other))
    }

    /// Puts the shapes that are there into classes. At first all are of one; they are parted by what they are and by the classes of
    /// their parts until nothing changes, since records may refer to themselves. Types that differ only deep inside are not
    /// looked for: then there are no classes.
    pub(crate) fn classify(&mut self) {
        self.classes.clear();
        let mut classes = vec![0; self.shapes.len()];
        let mut count = 1;
        for _ in 0..MAX_ROUNDS {
            let mut numbers = FxHashMap::default();
            let number = |shape: &Shape| {
                let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
                *numbers.entry(layer(shape, &classes)).or_insert(next)
            };
            classes = self.shapes.iter().map(number).collect();
            if numbers.len() == count {
                self.classes = classes;
                return;
            }
            count = numbers.len();
        }
    }
}

/// A shape as a text, with the classes of its parts in place of them.
fn layer(shape: &Shape, classes: &[u32]) -> String {
    let class = |id: u32| classes[id as usize];
    let mut text = if shape.nullable { "?".to_owned() } else { String::new() };
    // Writing to a String cannot fail.
    let _ = match &shape.kind {
        ShapeKind::List(item, most) => write!(text, "list {} {most:?}", class(*item)),
        ShapeKind::Map(item) => write!(text, "map {}", class(*item)),
        ShapeKind::Record { open, fields, .. } => {
            let _ = write!(text, "record {open}");
            fields.iter().try_for_each(|field| write!(text, " {:?} {}", field.name, class(field.shape)))
        }
        plain => write!(text, "{plain:?}"),
    };
    text
}
