//! The places where arrows leave a knot and reach it.

use rustc_hash::FxHashMap;

use super::plan::{Knot, PictureLevel};
use super::shape::{Outline, Point};

/// The least distance of two arrows at one side.
const GAP: f64 = 18.0;

/// The places at which each piece leaves its upper knot and reaches its lower one.
#[derive(Debug)]
pub(super) struct ArrowPorts {
    below: Vec<f64>,
    above: Vec<f64>,
}

/// A piece at a side: where it wants to be, and if it must.
struct Wish {
    piece: usize,
    x: f64,
    bound: bool,
}

impl ArrowPorts {
    /// Gives each piece a place as near as can be below or above where it goes on. `bends` are those of each piece.
    pub(super) fn new(
        level: &PictureLevel,
        outlines: &FxHashMap<Knot, Outline>,
        middles: &FxHashMap<Knot, Point>,
        bends: &[Vec<Point>],
    ) -> Self {
        let mut ports = Self { below: vec![0.0; bends.len()], above: vec![0.0; bends.len()] };
        for knot in &level.knots {
            let (outline, middle) = (&outlines[knot], middles[knot]);
            let (mut below, mut above) = (Vec::new(), Vec::new());
            for (at, piece) in level.pieces.iter().enumerate() {
                let crossing = outline.crossings.get(&piece.arrow).map(|beside| middle.x + beside);
                let wish = |next: Option<&Point>, other: Knot| Wish {
                    piece: at,
                    x: crossing.unwrap_or_else(|| next.map_or(middles[&other].x, |bend| bend.x)),
                    bound: crossing.is_some(),
                };
                if piece.upper == *knot {
                    below.push(wish(bends[at].first(), piece.lower));
                }
                if piece.lower == *knot {
                    above.push(wish(bends[at].last(), piece.upper));
                }
            }
            for (wishes, side) in [(below, &mut ports.below), (above, &mut ports.above)] {
                for Wish { piece, x, .. } in spread(wishes, middle.x, outline.landing) {
                    side[piece] = x;
                }
            }
        }
        ports
    }

    /// The place at which a piece leaves its upper knot.
    pub(super) fn below(&self, piece: usize) -> f64 {
        self.below[piece]
    }

    /// The place at which a piece reaches its lower knot.
    pub(super) fn above(&self, piece: usize) -> f64 {
        self.above[piece]
    }
}

/// Moves wishes into their side, and apart.
#[expect(clippy::cast_precision_loss, reason = "there are few arrows at a node")]
fn spread(mut wishes: Vec<Wish>, middle: f64, landing: f64) -> Vec<Wish> {
    let (left, right) = (middle - landing, middle + landing);
    wishes.sort_by(|a, b| a.x.total_cmp(&b.x));
    let gap = GAP.min(2.0 * landing / (wishes.len().max(2) - 1) as f64);
    let mut least = left;
    for wish in &mut wishes {
        if !wish.bound {
            wish.x = wish.x.clamp(least.min(right), right);
        }
        least = wish.x + gap;
    }
    let mut most = right;
    for wish in wishes.iter_mut().rev() {
        if !wish.bound {
            wish.x = wish.x.min(most.max(left));
        }
        most = wish.x - gap;
    }
    wishes
}
