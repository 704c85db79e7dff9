//! The levels of a drawing: each box is laid out alone, and arrows that cross borders are cut there into pieces.

use rustc_hash::FxHashSet;

use crate::render::drawing::{ArrowEnd, Drawing};

/// Something with a place in a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Knot {
    /// The item of this index.
    Item(usize),
    /// The point where the box begins.
    Start,
    /// The point where the box ends.
    Finish,
    /// The upper border of the box.
    Top,
    /// The lower border of the box.
    Bottom,
}

/// The piece of an arrow in one level. Pieces lead down: an arrow that leads back runs against them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ArrowPiece {
    /// The arrow.
    pub(super) arrow: usize,
    pub(super) upper: Knot,
    pub(super) lower: Knot,
    /// The label of the arrow stands here.
    pub(super) labelled: bool,
}

/// The things that lie in a box, or in none.
#[derive(Debug, Default)]
pub(super) struct PictureLevel {
    pub(super) knots: Vec<Knot>,
    pub(super) pieces: Vec<ArrowPiece>,
}

/// The path of an arrow.
#[derive(Debug, Default)]
pub(super) struct ArrowPath {
    /// Its pieces in order, each by its level and its number there. Without one, the arrow leads from an item to itself.
    pub(super) pieces: Vec<(usize, usize)>,
    /// It runs against its pieces.
    pub(super) against: bool,
}

/// A drawing in levels.
#[derive(Debug)]
pub(super) struct LayoutPlan {
    /// The level of each item that is a box; the last one is that of the drawing.
    pub(super) levels: Vec<PictureLevel>,
    /// The path of each arrow.
    pub(super) paths: Vec<ArrowPath>,
    /// The arrows from an item to itself.
    pub(super) loops: Vec<Vec<usize>>,
}

/// An arrow as it is seen in the innermost level that holds both ends.
struct LevelLink {
    arrow: usize,
    level: usize,
    from: Knot,
    to: Knot,
    /// The borders that it crosses before and behind that level, with what lies inside of each.
    leaves: Vec<(usize, Knot)>,
    enters: Vec<(usize, Knot)>,
}

impl LayoutPlan {
    pub(super) fn new(drawing: &Drawing) -> Self {
        let last = drawing.items.len();
        let mut plan = Self {
            levels: (0..=last).map(|_| PictureLevel::default()).collect(),
            paths: drawing.arrows.iter().map(|_| ArrowPath::default()).collect(),
            loops: vec![Vec::new(); last],
        };
        let mut links = Vec::new();
        for arrow in 0..drawing.arrows.len() {
            let (from, to) = inside(drawing, arrow);
            plan.point(drawing, from);
            plan.point(drawing, to);
            match to {
                ArrowEnd::Item(item) if from == to => plan.loops[item].push(arrow),
                _ => links.push(link(drawing, arrow, from, to)),
            }
        }
        for (at, item) in drawing.items.iter().enumerate().filter(|(_, item)| !item.alone) {
            plan.levels[item.parent.unwrap_or(last)].knots.push(Knot::Item(at));
        }
        let back = backward(&plan.levels, &links);
        for (link, back) in links.iter().zip(back) {
            plan.lay(link, back);
        }
        plan
    }

    /// Start and end points come before the items of their level.
    fn point(&mut self, drawing: &Drawing, end: ArrowEnd) {
        let (knot, parent) = match end {
            ArrowEnd::Start(parent) => (Knot::Start, parent),
            ArrowEnd::Finish(parent) => (Knot::Finish, parent),
            ArrowEnd::Item(_) => return,
        };
        let knots = &mut self.levels[parent.unwrap_or(drawing.items.len())].knots;
        if !knots.contains(&knot) {
            knots.push(knot);
        }
    }

    fn lay(&mut self, link: &LevelLink, back: bool) {
        self.paths[link.arrow].against = back;
        for (level, inner) in &link.leaves {
            let (upper, lower) = if back { (Knot::Top, *inner) } else { (*inner, Knot::Bottom) };
            self.piece(*level, ArrowPiece { arrow: link.arrow, upper, lower, labelled: false });
        }
        let (upper, lower) = if back { (link.to, link.from) } else { (link.from, link.to) };
        self.piece(link.level, ArrowPiece { arrow: link.arrow, upper, lower, labelled: true });
        for (level, inner) in &link.enters {
            let (upper, lower) = if back { (*inner, Knot::Bottom) } else { (Knot::Top, *inner) };
            self.piece(*level, ArrowPiece { arrow: link.arrow, upper, lower, labelled: false });
        }
    }

    fn piece(&mut self, level: usize, piece: ArrowPiece) {
        let level_of = &mut self.levels[level];
        self.paths[piece.arrow].pieces.push((level, level_of.pieces.len()));
        level_of.pieces.push(piece);
        for border in [piece.upper, piece.lower] {
            if matches!(border, Knot::Top | Knot::Bottom) && !level_of.knots.contains(&border) {
                level_of.knots.push(border);
            }
        }
    }
}

/// The ends of an arrow. One that leads from within a box to the box itself leads to the point where that begins.
fn inside(drawing: &Drawing, arrow: usize) -> (ArrowEnd, ArrowEnd) {
    let arrow = &drawing.arrows[arrow];
    let begins = |item: usize| drawing.arrows.iter().any(|other| other.from == ArrowEnd::Start(Some(item)));
    match arrow.to {
        ArrowEnd::Item(item)
            if arrow.from != arrow.to && homes(drawing, arrow.from).contains(&item) && begins(item) =>
        {
            (arrow.from, ArrowEnd::Start(Some(item)))
        }
        to => (arrow.from, to),
    }
}

/// The levels around an end, from within.
fn homes(drawing: &Drawing, end: ArrowEnd) -> Vec<usize> {
    let mut homes = Vec::new();
    let mut home = drawing.home(end);
    while let Some(item) = home {
        homes.push(item);
        home = drawing.items[item].parent;
    }
    homes.push(drawing.items.len());
    homes
}

const fn knot(end: ArrowEnd) -> Knot {
    match end {
        ArrowEnd::Item(item) => Knot::Item(item),
        ArrowEnd::Start(_) => Knot::Start,
        ArrowEnd::Finish(_) => Knot::Finish,
    }
}

fn link(drawing: &Drawing, arrow: usize, from: ArrowEnd, to: ArrowEnd) -> LevelLink {
    let (mut outward, mut inward) = (homes(drawing, from), homes(drawing, to));
    let (mut first, mut second) = (knot(from), knot(to));
    // What one end is a box around begins or ends at its border, from within.
    if let ArrowEnd::Item(item) = to
        && outward.contains(&item)
    {
        (second, inward) = (Knot::Bottom, homes_of(drawing, item));
    } else if let ArrowEnd::Item(item) = from
        && inward.contains(&item)
    {
        (first, outward) = (Knot::Top, homes_of(drawing, item));
    }
    let around: FxHashSet<usize> = inward.iter().copied().collect();
    let common = outward.iter().position(|level| around.contains(level)).unwrap_or(outward.len() - 1);
    let level = outward[common];
    let mut leaves = Vec::new();
    for home in &outward[..common] {
        leaves.push((*home, first));
        first = Knot::Item(*home);
    }
    let mut enters = Vec::new();
    for home in inward.iter().take_while(|home| **home != level) {
        enters.push((*home, second));
        second = Knot::Item(*home);
    }
    enters.reverse();
    LevelLink { arrow, level, from: first, to: second, leaves, enters }
}

fn homes_of(drawing: &Drawing, item: usize) -> Vec<usize> {
    std::iter::once(item).chain(homes(drawing, ArrowEnd::Item(item))).collect()
}

/// For each link, if it leads back: to something from which its level is being walked through, beginning with its start.
fn backward(levels: &[PictureLevel], links: &[LevelLink]) -> Vec<bool> {
    let mut back = vec![false; links.len()];
    let mut of_level: Vec<Vec<usize>> = vec![Vec::new(); levels.len()];
    for (at, link) in links.iter().enumerate() {
        of_level[link.level].push(at);
    }
    for (level, own) in levels.iter().zip(&of_level) {
        let outgoing = |knot: Knot| own.iter().copied().filter(move |at| links[*at].from == knot);
        let (mut open, mut done) = (FxHashSet::default(), FxHashSet::default());
        for knot in std::iter::once(Knot::Start).chain(level.knots.iter().copied()) {
            let mut walk = vec![(knot, outgoing(knot).collect::<Vec<_>>().into_iter())];
            if done.contains(&knot) {
                continue;
            }
            open.insert(knot);
            while let Some((here, left)) = walk.last_mut() {
                let here = *here;
                let Some(at) = left.next() else {
                    walk.pop();
                    open.remove(&here);
                    done.insert(here);
                    continue;
                };
                let to = links[at].to;
                if open.contains(&to) {
                    back[at] = true;
                } else if !done.contains(&to) {
                    open.insert(to);
                    walk.push((to, outgoing(to).collect::<Vec<_>>().into_iter()));
                }
            }
        }
    }
    back
}
