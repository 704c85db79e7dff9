//! Assignment of the lines of a drawing to boxes.

use super::drawing::{ArrowEnd, Drawing};

/// The lines of each box.
pub(super) struct Layout {
    /// The items in each box; the last row is what lies in none.
    items: Vec<Vec<usize>>,
    /// The arrows whose two ends lie in the same box; the last row has all others, too.
    arrows: Vec<Vec<usize>>,
    /// Items that are named by an arrow of their own box.
    pub(super) named: Vec<bool>,
}

impl Layout {
    pub(super) fn new(drawing: &Drawing) -> Self {
        let last = drawing.items.len();
        let mut layout = Self {
            items: vec![Vec::new(); last + 1],
            arrows: vec![Vec::new(); last + 1],
            named: vec![false; last],
        };
        for (i, item) in drawing.items.iter().enumerate() {
            layout.items[item.parent.unwrap_or(last)].push(i);
        }
        for (i, arrow) in drawing.arrows.iter().enumerate() {
            let (from, to) = (drawing.home(arrow.from), drawing.home(arrow.to));
            let home = from.filter(|_| from == to);
            layout.arrows[home.unwrap_or(last)].push(i);
            for end in [arrow.from, arrow.to] {
                if let ArrowEnd::Item(item) = end {
                    layout.named[item] |= drawing.items[item].parent == home;
                }
            }
        }
        layout
    }

    /// The items in a box, or in none.
    pub(super) fn items(&self, parent: Option<usize>) -> &[usize] {
        &self.items[parent.unwrap_or(self.items.len() - 1)]
    }

    /// The arrows of a box. Those from one box to another are none's: a Mermaid that reads a name in a box takes it for
    /// something in that box.
    pub(super) fn arrows(&self, parent: Option<usize>) -> &[usize] {
        &self.arrows[parent.unwrap_or(self.arrows.len() - 1)]
    }
}
