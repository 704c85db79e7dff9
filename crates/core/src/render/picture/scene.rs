//! A drawing with everything in its place.

use rustc_hash::FxHashMap;

use super::measure::TextBlock;
use super::place::{Leg, Placed, place};
use super::plan::{Knot, LayoutPlan};
use super::shape::{Outline, POINT_SIZE, Point, Size, around, landing, reach};
use crate::render::drawing::{ArrowEnd, Drawing, ItemShape};
use crate::render::fault::RenderFault;
use crate::render::lines::MAX_LINE_CHARS;

/// The most nodes, and the most arrows, of a picture.
const MAX_PARTS: usize = 1_000;

/// The most characters in a line of a choice: its shape is twice as wide as its text.
const MAX_CHOICE_CHARS: usize = 18;

/// The distance from the border of a box to what lies in it.
const PADDING: f64 = 18.0;

/// The least distance of arrows at a node.
const ARROW_GAP: f64 = 13.0;

/// The room for an arrow from a node to itself, beside the node.
const LOOP: f64 = 30.0;

/// Everything of a drawing, with its place and size in pixels.
#[derive(Debug)]
pub(super) struct PictureScene {
    pub(super) size: Size,
    /// The items: boxes come before what lies in them.
    pub(super) items: Vec<PlacedItem>,
    /// The points where boxes begin and end.
    pub(super) points: Vec<(Point, bool)>,
    pub(super) arrows: Vec<PlacedArrow>,
}

/// An item in its place. One that is not drawn has no size.
#[derive(Debug, Default)]
pub(super) struct PlacedItem {
    pub(super) middle: Point,
    pub(super) size: Size,
    pub(super) text: TextBlock,
}

/// An arrow in its place.
#[derive(Debug, Default)]
pub(super) struct PlacedArrow {
    pub(super) path: Path,
    pub(super) text: TextBlock,
    pub(super) label: Point,
}

/// The path of an arrow.
#[derive(Debug)]
pub(super) enum Path {
    /// Vertical parts in order, each from its first height to its second.
    Legs(Vec<(f64, f64, f64)>),
    /// From an item to itself: where it leaves and comes back.
    Loop(Point, Point),
}

impl Default for Path {
    fn default() -> Self {
        Self::Legs(Vec::new())
    }
}

impl PictureScene {
    pub(super) fn new(drawing: &Drawing) -> Result<Self, RenderFault> {
        if drawing.items.len().max(drawing.arrows.len()) > MAX_PARTS {
            return Err(RenderFault::TooManyParts(MAX_PARTS));
        }
        let plan = LayoutPlan::new(drawing);
        let mut builder = SceneBuilder::new(drawing, &plan);
        let last = drawing.items.len();
        for item in (0..last).rev() {
            builder.outline(item)?;
        }
        builder.lay(last)?;
        Ok(builder.finish())
    }
}

struct SceneBuilder<'d> {
    drawing: &'d Drawing,
    plan: &'d LayoutPlan,
    texts: Vec<TextBlock>,
    arrow_texts: Vec<TextBlock>,
    labels: Vec<Size>,
    outlines: Vec<Outline>,
    placed: Vec<Placed>,
}

impl<'d> SceneBuilder<'d> {
    fn new(drawing: &'d Drawing, plan: &'d LayoutPlan) -> Self {
        let most = |shape| if shape == ItemShape::Choice { MAX_CHOICE_CHARS } else { MAX_LINE_CHARS };
        let texts = drawing.items.iter().map(|item| TextBlock::new(&item.label, most(item.shape))).collect();
        let arrow_texts: Vec<_> =
            drawing.arrows.iter().map(|arrow| TextBlock::new(&arrow.label, MAX_LINE_CHARS)).collect();
        let labels = arrow_texts.iter().map(|text| label_size(text).turned(drawing.across)).collect();
        let outlines = vec![Outline::default(); drawing.items.len()];
        let placed = (0..=drawing.items.len()).map(|_| Placed::default()).collect();
        Self { drawing, plan, texts, arrow_texts, labels, outlines, placed }
    }

    /// The outline of an item; what lies in a box is laid out first.
    fn outline(&mut self, at: usize) -> Result<(), RenderFault> {
        let item = &self.drawing.items[at];
        if item.alone {
            return Ok(());
        }
        if item.open {
            self.lay(at)?;
            self.outlines[at] = self.box_outline(at);
        } else {
            let size = self.wide_enough(at, around(item.shape, &self.texts[at]).turned(self.drawing.across));
            let landing =
                if self.drawing.across { size.width / 2.0 - 8.0 } else { landing(item.shape, size) };
            let pointed = item.shape == ItemShape::Choice;
            self.outlines[at] = Outline { size, landing, pointed, ..Outline::default() };
        }
        let loops = &self.plan.loops[at];
        if !loops.is_empty() {
            let widest = loops.iter().map(|arrow| self.labels[*arrow].width).fold(0.0, f64::max);
            let height = loops.iter().map(|arrow| self.slot(*arrow)).sum::<f64>();
            let outline = &mut self.outlines[at];
            outline.beside = LOOP + widest + 6.0;
            outline.size.height = outline.size.height.max(height);
        }
        Ok(())
    }

    /// The size of an item with room for its arrows side by side.
    #[expect(clippy::cast_precision_loss, reason = "a drawing has few arrows")]
    fn wide_enough(&self, at: usize, size: Size) -> Size {
        let level = self.drawing.items[at].parent.unwrap_or(self.drawing.items.len());
        let pieces = &self.plan.levels[level].pieces;
        let below = pieces.iter().filter(|piece| piece.upper == Knot::Item(at)).count();
        let above = pieces.iter().filter(|piece| piece.lower == Knot::Item(at)).count();
        let shape = self.drawing.items[at].shape;
        let lacking = ARROW_GAP * below.max(above) as f64 - 2.0 * landing(shape, size);
        // Only a part of the width of a rhombus is for arrows.
        let part = if shape == ItemShape::Choice { 0.55 } else { 1.0 };
        Size { width: size.width + lacking.max(0.0) / part, ..size }
    }

    /// The height that an arrow from an item to itself takes.
    fn slot(&self, arrow: usize) -> f64 {
        (self.labels[arrow].height + 6.0).max(28.0)
    }

    fn title_height(&self, at: usize) -> f64 {
        self.texts[at].height + 8.0
    }

    fn box_outline(&self, at: usize) -> Outline {
        let placed = &self.placed[at];
        let width = placed.size.width.max(self.texts[at].width) + 2.0 * PADDING;
        let height = placed.size.height + 2.0 * PADDING + self.title_height(at);
        let left = (width - placed.size.width) / 2.0;
        let mut crossings = FxHashMap::default();
        for (piece, legs) in self.plan.levels[at].pieces.iter().zip(&placed.legs) {
            let leg = match (piece.upper, piece.lower) {
                (Knot::Top, _) => legs.first(),
                (_, Knot::Bottom) => legs.last(),
                _ => None,
            };
            if let Some(leg) = leg {
                crossings.insert(piece.arrow, left + leg.x - width / 2.0);
            }
        }
        let size = Size { width, height };
        Outline { size, landing: (width / 2.0 - 16.0).max(0.0), crossings, ..Outline::default() }
    }

    fn lay(&mut self, level: usize) -> Result<(), RenderFault> {
        let knots = &self.plan.levels[level].knots;
        let pieces = &self.plan.levels[level].pieces;
        let outlines = knots.iter().map(|knot| {
            let outline = match knot {
                Knot::Item(item) => self.outlines[*item].clone(),
                Knot::Start | Knot::Finish => {
                    Outline { size: Size { width: POINT_SIZE, height: POINT_SIZE }, ..Outline::default() }
                }
                Knot::Top | Knot::Bottom => {
                    let count = pieces.iter().filter(|piece| piece.upper == *knot || piece.lower == *knot);
                    let width = count.map(|_| 20.0).sum();
                    Outline { size: Size { width, height: 1.0 }, ..Outline::default() }
                }
            };
            (*knot, outline)
        });
        let outlines = outlines.collect();
        self.placed[level] = place(&self.plan.levels[level], &outlines, &self.labels)?;
        Ok(())
    }

    fn finish(self) -> PictureScene {
        let (drawing, last) = (self.drawing, self.drawing.items.len());
        let mut scene = PictureScene {
            size: self.placed[last].size,
            items: Vec::with_capacity(last),
            points: Vec::new(),
            arrows: Vec::with_capacity(drawing.arrows.len()),
        };
        // Where each level begins.
        let mut origins = vec![Point::default(); last + 1];
        for (at, item) in drawing.items.iter().enumerate() {
            let level = item.parent.unwrap_or(last);
            let Some(middle) = self.placed[level].middles.get(&Knot::Item(at)) else {
                scene.items.push(PlacedItem::default());
                continue;
            };
            let middle = moved(*middle, origins[level]);
            let size = self.outlines[at].size;
            if item.open {
                let inner = self.placed[at].size;
                let top = middle.y - size.height / 2.0 + PADDING + self.title_height(at);
                origins[at] = Point { x: middle.x - inner.width / 2.0, y: top };
            }
            scene.items.push(PlacedItem { middle, size, text: self.texts[at].clone() });
        }
        for (level, placed) in self.placed.iter().enumerate() {
            for (knot, finish) in [(Knot::Start, false), (Knot::Finish, true)] {
                if let Some(middle) = placed.middles.get(&knot) {
                    scene.points.push((moved(*middle, origins[level]), finish));
                }
            }
        }
        for at in 0..drawing.arrows.len() {
            let arrow = self.arrow(at, &origins, &scene.items);
            scene.arrows.push(arrow);
        }
        scene
    }

    fn arrow(&self, at: usize, origins: &[Point], items: &[PlacedItem]) -> PlacedArrow {
        let path = &self.plan.paths[at];
        let text = self.arrow_texts[at].clone();
        if path.pieces.is_empty() {
            return self.turn(at, text, items);
        }
        let mut legs: Vec<(f64, f64, f64)> = Vec::new();
        let mut label = Point::default();
        for (level, piece) in &path.pieces {
            let (placed, origin) = (&self.placed[*level], origins[*level]);
            let end = self.ends(*level, *piece);
            let own = placed.legs[*piece].iter().enumerate().map(|(number, leg)| {
                let Leg { x, mut top, mut bottom } = *leg;
                // To the border of the box itself, past its padding and its title.
                if number == 0 && end.0 {
                    top -= PADDING + self.title_height(*level);
                }
                if number + 1 == placed.legs[*piece].len() && end.1 {
                    bottom += PADDING;
                }
                (x + origin.x, top + origin.y, bottom + origin.y)
            });
            if path.against {
                let own: Vec<_> = own.map(|(x, top, bottom)| (x, bottom, top)).collect();
                legs.extend(own.into_iter().rev());
            } else {
                legs.extend(own);
            }
            if let Some(middle) =
                placed.labels.get(&at).filter(|_| self.plan.levels[*level].pieces[*piece].labelled)
            {
                label = moved(*middle, origin);
            }
        }
        PlacedArrow { path: Path::Legs(legs), text, label }
    }

    /// Two answers about a piece: true if it begins at the upper border of its box, and if it ends at the lower one.
    fn ends(&self, level: usize, piece: usize) -> (bool, bool) {
        let piece = &self.plan.levels[level].pieces[piece];
        (piece.upper == Knot::Top, piece.lower == Knot::Bottom)
    }

    /// An arrow from an item to itself, at its right side.
    fn turn(&self, at: usize, text: TextBlock, items: &[PlacedItem]) -> PlacedArrow {
        let ArrowEnd::Item(item) = self.drawing.arrows[at].from else {
            return PlacedArrow { text, ..PlacedArrow::default() };
        };
        let PlacedItem { middle, size, .. } = &items[item];
        let loops = &self.plan.loops[item];
        let total: f64 = loops.iter().map(|arrow| self.slot(*arrow)).sum();
        let before: f64 = loops.iter().take_while(|arrow| **arrow != at).map(|arrow| self.slot(*arrow)).sum();
        let below = before + self.slot(at) / 2.0 - total / 2.0;
        let shape = if self.drawing.items[item].open || self.drawing.across {
            ItemShape::Action
        } else {
            self.drawing.items[item].shape
        };
        let side = |below: f64| Point { x: middle.x + reach(shape, *size, below), y: middle.y + below };
        let x = middle.x + size.width / 2.0 + LOOP + self.labels[at].width / 2.0;
        let label = Point { x, y: middle.y + below };
        PlacedArrow { path: Path::Loop(side(below - 8.0), side(below + 8.0)), text, label }
    }
}

/// The size of the box of a label.
fn label_size(text: &TextBlock) -> Size {
    if text.is_empty() {
        return Size::default();
    }
    Size { width: text.width + 8.0, height: text.height + 4.0 }
}

fn moved(point: Point, by: Point) -> Point {
    Point { x: point.x + by.x, y: point.y + by.y }
}
