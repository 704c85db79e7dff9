//! The places of one level: knots in layers, pieces as vertical legs between them.

use dugong::graphlib::{Graph, GraphOptions};
use dugong::{EdgeLabel, GraphLabel, LabelPos, NodeLabel, WorkControl, WorkError, layout_controlled};
use rustc_hash::{FxHashMap, FxHashSet};

use super::plan::{Knot, PictureLevel};
use super::ports::ArrowPorts;
use super::shape::{Outline, Point, Size};
use crate::render::fault::RenderFault;

/// The work that a picture may take. A drawing of 200 nodes takes a hundredth of it.
const MAX_WORK: usize = 2_000_000_000;

/// The distance between layers; an arrow crosses over in it. Half of it lies above and below a label.
const LAYER_GAP: f64 = 64.0;

/// The part of the distance in which an arrow leads straight to its end, with room for its head.
const STRAIGHT: f64 = 12.0;

/// A vertical part of an arrow, from top to bottom. An arrow crosses over from leg to leg where nothing else lies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Leg {
    pub(super) x: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

/// A level with everything in its place.
#[derive(Debug, Default)]
pub(super) struct Placed {
    pub(super) size: Size,
    /// The middle of each knot.
    pub(super) middles: FxHashMap<Knot, Point>,
    /// The legs of each piece, from above.
    pub(super) legs: Vec<Vec<Leg>>,
    /// The middle of each label.
    pub(super) labels: FxHashMap<usize, Point>,
}

/// Counts the work of the layout, which ends where it takes too much.
struct LayoutWork(usize);

impl WorkControl for LayoutWork {
    fn charge(&mut self, units: usize) -> Result<(), WorkError> {
        self.0 = self.0.checked_sub(units).ok_or(WorkError::Interrupted)?;
        Ok(())
    }
}

/// Lays out a level: the outline of each knot, and the size of the label of each arrow, are given.
pub(super) fn place(
    level: &PictureLevel,
    outlines: &FxHashMap<Knot, Outline>,
    labels: &[Size],
) -> Result<Placed, RenderFault> {
    if level.knots.is_empty() {
        return Ok(Placed::default());
    }
    let mut graph = Graph::new(GraphOptions { multigraph: true, ..GraphOptions::default() });
    graph.set_graph(GraphLabel { nodesep: 36.0, edgesep: 18.0, ranksep: LAYER_GAP, ..GraphLabel::default() });
    for knot in &level.knots {
        let outline = &outlines[knot];
        graph.set_node(
            name(*knot),
            NodeLabel {
                width: outline.size.width + outline.beside,
                height: outline.size.height,
                ..NodeLabel::default()
            },
        );
    }
    for (at, piece) in level.pieces.iter().enumerate() {
        let label = if piece.labelled { labels[piece.arrow] } else { Size::default() };
        let edge = EdgeLabel {
            width: label.width,
            height: label.height,
            labelpos: LabelPos::C,
            weight: 1.0,
            ..EdgeLabel::default()
        };
        graph.set_edge_named(name(piece.upper), name(piece.lower), Some(at.to_string()), Some(edge));
    }
    hold_borders(level, &mut graph);
    layout_controlled(&mut graph, &mut LayoutWork(MAX_WORK)).map_err(|_| RenderFault::NoLayout)?;
    Ok(PlaceReader { level, outlines, graph: &graph, bands: FxHashMap::default() }.read(labels))
}

type Layers = Graph<NodeLabel, EdgeLabel, GraphLabel>;

fn name(knot: Knot) -> String {
    match knot {
        Knot::Item(item) => item.to_string(),
        Knot::Start => "start".to_owned(),
        Knot::Finish => "finish".to_owned(),
        Knot::Top => "top".to_owned(),
        Knot::Bottom => "bottom".to_owned(),
    }
}

/// Borders stay outside: nothing lies above the upper one or below the lower one.
fn hold_borders(level: &PictureLevel, graph: &mut Layers) {
    let (mut has_upper, mut has_lower) = (FxHashSet::default(), FxHashSet::default());
    for piece in &level.pieces {
        has_upper.insert(piece.lower);
        has_lower.insert(piece.upper);
    }
    let mut hold = |upper: Knot, lower: Knot| {
        let edge = EdgeLabel { weight: 0.0, labelpos: LabelPos::C, ..EdgeLabel::default() };
        graph.set_edge_named(name(upper), name(lower), Some("hold"), Some(edge));
    };
    for border in [Knot::Top, Knot::Bottom] {
        if !level.knots.contains(&border) {
            continue;
        }
        for knot in level.knots.iter().filter(|knot| !matches!(knot, Knot::Top | Knot::Bottom)) {
            match border {
                Knot::Top if !has_upper.contains(knot) => hold(Knot::Top, *knot),
                Knot::Bottom if !has_lower.contains(knot) => hold(*knot, Knot::Bottom),
                _ => {}
            }
        }
    }
}

struct PlaceReader<'l> {
    level: &'l PictureLevel,
    outlines: &'l FxHashMap<Knot, Outline>,
    graph: &'l Layers,
    /// Half of the height of each layer, by its middle.
    bands: FxHashMap<i64, f64>,
}

/// A layer, by its middle.
#[expect(clippy::cast_possible_truncation, reason = "a picture has less than 2^32 pixels")]
fn layer(y: f64) -> i64 {
    (y * 4.0).round() as i64
}

impl PlaceReader<'_> {
    fn read(mut self, labels: &[Size]) -> Placed {
        let mut placed = Placed::default();
        let mut bounds = Bounds::default();
        for knot in &self.level.knots {
            let Some(node) = self.graph.node(&name(*knot)) else { continue };
            let outline = &self.outlines[knot];
            let middle =
                Point { x: node.x.unwrap_or_default() - outline.beside / 2.0, y: node.y.unwrap_or_default() };
            if !matches!(knot, Knot::Top | Knot::Bottom) {
                let half = outline.size.width / 2.0;
                bounds.add(middle.x - half, middle.y - outline.size.height / 2.0);
                bounds.add(middle.x + half + outline.beside, middle.y + outline.size.height / 2.0);
            }
            self.band(middle.y, outline.size.height);
            placed.middles.insert(*knot, middle);
        }
        let mut bends = Vec::new();
        for (at, piece) in self.level.pieces.iter().enumerate() {
            let edge = self.graph.edge(&name(piece.upper), &name(piece.lower), Some(&at.to_string()));
            let points = edge.map(|edge| edge.points.as_slice()).unwrap_or_default();
            let inner = points.get(1..points.len().saturating_sub(1)).unwrap_or_default();
            bends.push(inner.iter().map(|point| Point { x: point.x, y: point.y }).collect::<Vec<_>>());
            if let Some((x, y)) = edge.and_then(|edge| edge.x.zip(edge.y))
                && piece.labelled
                && labels[piece.arrow].width > 0.0
            {
                let size = labels[piece.arrow];
                self.band(y, size.height);
                bounds.add(x - size.width / 2.0, y - size.height / 2.0);
                bounds.add(x + size.width / 2.0, y + size.height / 2.0);
                placed.labels.insert(piece.arrow, Point { x, y });
            }
        }
        for point in bends.iter().flatten() {
            bounds.add(point.x, point.y);
        }
        let ports = ArrowPorts::new(self.level, self.outlines, &placed.middles, &self.beside_others(&bends));
        placed.legs =
            (0..bends.len()).map(|at| self.legs(at, &bends[at], &placed, &ports, &bounds)).collect();
        bounds.shift(&mut placed);
        placed
    }

    fn band(&mut self, y: f64, height: f64) {
        let half = self.bands.entry(layer(y)).or_default();
        *half = half.max(height / 2.0);
    }

    fn half(&self, y: f64) -> f64 {
        self.bands.get(&layer(y)).copied().unwrap_or_default()
    }

    /// The bends in layers where something lies beside the arrow.
    fn beside_others(&self, bends: &[Vec<Point>]) -> Vec<Vec<Point>> {
        let beside =
            |bends: &Vec<Point>| bends.iter().copied().filter(|bend| self.half(bend.y) > 1.0).collect();
        bends.iter().map(beside).collect()
    }

    fn legs(
        &self,
        at: usize,
        bends: &[Point],
        placed: &Placed,
        ports: &ArrowPorts,
        bounds: &Bounds,
    ) -> Vec<Leg> {
        let piece = &self.level.pieces[at];
        let band = |y: f64| (y - self.half(y), y + self.half(y));
        let mut legs = Vec::new();
        let middle = placed.middles[&piece.upper];
        if piece.upper == Knot::Top {
            let x = bends.first().map_or(middle.x, |bend| bend.x);
            legs.push(Leg { x, top: bounds.top, bottom: middle.y });
        } else {
            let x = ports.below(at);
            let top = middle.y + self.rise(piece.upper, x - middle.x);
            legs.push(Leg { x, top, bottom: band(middle.y).1 + STRAIGHT });
        }
        for bend in bends.iter().filter(|bend| self.half(bend.y) > 1.0) {
            let (top, bottom) = band(bend.y);
            legs.push(Leg { x: bend.x, top, bottom });
        }
        let middle = placed.middles[&piece.lower];
        if piece.lower == Knot::Bottom {
            let x = bends.last().map_or(middle.x, |bend| bend.x);
            legs.push(Leg { x, top: middle.y, bottom: bounds.bottom });
        } else {
            let x = ports.above(at);
            let bottom = middle.y - self.rise(piece.lower, x - middle.x);
            legs.push(Leg { x, top: band(middle.y).0 - STRAIGHT, bottom });
        }
        legs
    }

    fn rise(&self, knot: Knot, beside: f64) -> f64 {
        let outline = &self.outlines[&knot];
        let half = outline.size.height / 2.0;
        if outline.pointed { half * (1.0 - beside.abs() / (outline.size.width / 2.0)).max(0.0) } else { half }
    }
}

/// The rectangle around all that lies in a level.
#[derive(Debug)]
struct Bounds {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

impl Default for Bounds {
    fn default() -> Self {
        let (low, high) = (f64::INFINITY, f64::NEG_INFINITY);
        Self { left: low, top: low, right: high, bottom: high }
    }
}

impl Bounds {
    const fn add(&mut self, x: f64, y: f64) {
        self.left = self.left.min(x);
        self.top = self.top.min(y);
        self.right = self.right.max(x);
        self.bottom = self.bottom.max(y);
    }

    /// Moves everything so that the level begins at zero.
    fn shift(&self, placed: &mut Placed) {
        let (left, top) = (self.left, self.top);
        placed.size = Size { width: self.right - left, height: self.bottom - top };
        let points = placed.middles.values_mut().chain(placed.labels.values_mut());
        points.for_each(|point| *point = Point { x: point.x - left, y: point.y - top });
        for leg in placed.legs.iter_mut().flatten() {
            *leg = Leg { x: leg.x - left, top: leg.top - top, bottom: leg.bottom - top };
        }
    }
}
