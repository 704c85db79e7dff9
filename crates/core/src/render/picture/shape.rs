//! Shapes: their sizes, and where arrows meet them.

use rustc_hash::FxHashMap;

use super::measure::TextBlock;
use crate::render::drawing::ItemShape;

/// A size in pixels, or half of one.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Size {
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Size {
    /// The size in a drawing that is read from left to right: it is laid out as if it were read from top to bottom.
    pub(super) const fn turned(self, across: bool) -> Self {
        if across { Self { width: self.height, height: self.width } } else { self }
    }
}

/// A point in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
}

/// The outline of a knot, as arrows see it.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Outline {
    pub(super) size: Size,
    /// Room beside it, for arrows to itself.
    pub(super) beside: f64,
    /// Half of the part of its upper and lower side where arrows begin and end.
    pub(super) landing: f64,
    /// Its sides slope from the middle on.
    pub(super) pointed: bool,
    /// Where arrows cross its border, from its middle, by their number: those that go on inside.
    pub(super) crossings: FxHashMap<usize, f64>,
}

/// The diameter of the points where a box begins and ends.
pub(super) const POINT_SIZE: f64 = 16.0;

/// The size of the shape around a text, such that the text lies inside of it.
pub(super) fn around(shape: ItemShape, text: &TextBlock) -> Size {
    let (width, height) = ((text.width + 24.0).max(48.0), text.height + 18.0);
    let (width, height) = match shape {
        // The corners of the text touch the sides of a rhombus where the two parts make less than one.
        ItemShape::Choice => (text.width / 0.55 + 12.0, text.height / 0.42 + 8.0),
        ItemShape::Model | ItemShape::Tool | ItemShape::Human => (width + 2.0 * slant(height), height),
        ItemShape::Call => (width + 16.0, height),
        ItemShape::Composite => (width + 8.0, height + 8.0),
        ItemShape::Final => (width + height / 2.0, height),
        ItemShape::Action | ItemShape::Wait | ItemShape::Outside => (width, height),
    };
    Size { width, height }
}

/// The width of a slanted side.
pub(super) fn slant(height: f64) -> f64 {
    (height / 3.0).min(16.0)
}

/// Half of the part of the upper and lower side where arrows may begin and end.
pub(super) fn landing(shape: ItemShape, size: Size) -> f64 {
    let half = size.width / 2.0;
    match shape {
        ItemShape::Choice => half * 0.55,
        ItemShape::Model | ItemShape::Tool | ItemShape::Human => half - slant(size.height) - 4.0,
        ItemShape::Final => half - size.height / 2.0,
        _ => half - 10.0,
    }
    .max(0.0)
}

/// The distance from the middle to the right side, so far below the middle.
pub(super) fn reach(shape: ItemShape, size: Size, below: f64) -> f64 {
    let (half, tall) = (size.width / 2.0, size.height / 2.0);
    let part = (below / tall).clamp(-1.0, 1.0);
    match shape {
        ItemShape::Choice => half * (1.0 - part.abs()),
        ItemShape::Model => half - slant(size.height) * part.abs(),
        ItemShape::Tool | ItemShape::Human => half - slant(size.height) * f64::midpoint(part, 1.0),
        ItemShape::Final => half - tall + tall * (1.0 - part * part).sqrt(),
        _ => half,
    }
}
