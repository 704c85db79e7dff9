//! Mermaid's `stateDiagram-v2`.

use super::drawing::{Arrow, Drawing, End, Item, Shape};
use super::text::mermaid;

/// Lines of nested boxes are indented up to this depth.
const DEEPEST: usize = 16;

/// What is printed on an arrow that a run took.
const TAKEN: &str = "●";

/// A drawing as `stateDiagram-v2`.
///
/// A state diagram has one shape for all states but choices, and one kind of arrow. The title of a choice stands in a note,
/// since Mermaid prints nothing in its diamond. An arrow that a run took has a dot before its label, since Mermaid cannot give
/// it a colour.
#[must_use]
pub fn state(drawing: &Drawing) -> String {
    let mut writer =
        Writer { drawing, layout: Layout::new(drawing), out: begun(drawing, "stateDiagram-v2\n") };
    writer.body(None, 1);
    writer.classes();
    writer.out
}

/// Which lines stand where.
pub(super) struct Layout {
    /// What lies in each box; the last row is what lies in none.
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
                if let End::Item(item) = end {
                    layout.named[item] |= drawing.items[item].parent == home;
                }
            }
        }
        layout
    }

    /// What lies in a box, or in none.
    pub(super) fn items(&self, parent: Option<usize>) -> &[usize] {
        &self.items[parent.unwrap_or(self.items.len() - 1)]
    }

    /// The arrows of a box. Those from one box to another are none's: a Mermaid that reads a name in a box takes it for
    /// something in that box.
    pub(super) fn arrows(&self, parent: Option<usize>) -> &[usize] {
        &self.arrows[parent.unwrap_or(self.arrows.len() - 1)]
    }
}

struct Writer<'d> {
    drawing: &'d Drawing,
    layout: Layout,
    out: String,
}

impl Writer<'_> {
    fn body(&mut self, parent: Option<usize>, depth: usize) {
        for at in 0..self.layout.items(parent).len() {
            let item = self.layout.items(parent)[at];
            self.item(item, depth);
        }
        for at in 0..self.layout.arrows(parent).len() {
            let arrow = self.layout.arrows(parent)[at];
            self.arrow(&self.drawing.arrows[arrow], depth);
        }
        for at in 0..self.layout.items(parent).len() {
            let item = &self.drawing.items[self.layout.items(parent)[at]];
            if item.ends && !item.alone {
                self.line(depth, &[&item.id, " --> [*]"]);
            }
        }
    }

    fn item(&mut self, at: usize, depth: usize) {
        let item = &self.drawing.items[at];
        let titled = item.label != item.id;
        if item.alone {
            return;
        }
        if item.shape == Shape::Choice {
            self.line(depth, &["state ", &item.id, " <<choice>>"]);
            if titled {
                self.indent(depth);
                self.out.extend(["note right of ", &item.id, " : "]);
                mermaid(&item.label, &mut self.out);
                self.out.push('\n');
            }
            return;
        }
        if titled {
            self.indent(depth);
            self.out.push_str("state \"");
            mermaid(&item.label, &mut self.out);
            self.out.extend(["\" as ", &item.id]);
        } else if item.open {
            self.indent(depth);
            self.out.extend(["state ", &item.id]);
        } else if !self.layout.named[at] && !item.ends {
            self.line(depth, &[&item.id]);
            return;
        } else {
            return;
        }
        if item.open {
            self.out.push_str(" {\n");
            self.body(Some(at), depth + 1);
            self.line(depth, &["}"]);
        } else {
            self.out.push('\n');
        }
    }

    fn arrow(&mut self, arrow: &Arrow, depth: usize) {
        self.indent(depth);
        self.end(arrow.from);
        self.out.push_str(" --> ");
        self.end(arrow.to);
        if arrow.taken {
            self.out.extend([" : ", TAKEN]);
        }
        if !arrow.label.is_empty() {
            self.out.push_str(if arrow.taken { " " } else { " : " });
            mermaid(&arrow.label, &mut self.out);
        }
        self.out.push('\n');
    }

    fn end(&mut self, end: End) {
        match end {
            End::Item(item) => self.out.push_str(&self.drawing.items[item].id),
            End::Start(_) | End::Finish(_) => self.out.push_str("[*]"),
        }
    }

    fn classes(&mut self) {
        for (name, style, has) in CLASSES {
            let ids = ids(&self.drawing.items, has);
            if !ids.is_empty() {
                self.line(1, &["classDef ", name, " ", style]);
                self.line(1, &["class ", &ids, " ", name]);
            }
        }
    }

    fn line(&mut self, depth: usize, parts: &[&str]) {
        self.indent(depth);
        self.out.extend(parts.iter().copied());
        self.out.push('\n');
    }

    fn indent(&mut self, depth: usize) {
        indent(depth, &mut self.out);
    }
}

/// A class of items: its name, how it looks, and what is of it.
type Class = (&'static str, &'static str, fn(&Item) -> bool);

/// The classes of items in Mermaid.
pub(super) const CLASSES: [Class; 2] = [
    ("outside", "stroke-dasharray:5 5", |item| item.shape == Shape::Outside),
    ("taken", "stroke:orangered,stroke-width:3px", |item| item.taken && !item.alone),
];

/// The ids of the items of a class, parted by commas.
pub(super) fn ids(items: &[Item], has: fn(&Item) -> bool) -> String {
    items.iter().filter(|item| has(item)).map(|item| item.id.as_str()).collect::<Vec<_>>().join(",")
}

/// The first line, with room for the others.
pub(super) fn begun(drawing: &Drawing, line: &str) -> String {
    let mut out = String::with_capacity(64 * (drawing.items.len() + drawing.arrows.len() + 1));
    out.push_str(line);
    out
}

pub(super) fn indent(depth: usize, out: &mut String) {
    for _ in 0..depth.min(DEEPEST) {
        out.push_str("    ");
    }
}
