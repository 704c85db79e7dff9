//! Mermaid's `stateDiagram-v2`.

use super::drawing::{Arrow, ArrowEnd, Drawing, DrawingItem, ItemShape};
use super::layout::Layout;
use super::text::mermaid;

/// Lines of nested boxes are indented up to this depth.
const MAX_INDENT_DEPTH: usize = 16;

/// The label of an arrow that a run took.
const TAKEN: &str = "●";

/// A drawing as `stateDiagram-v2`.
///
/// A state diagram has one shape for all states but choices, and one kind of arrow. The title of a choice is in a note,
/// since Mermaid prints nothing in its diamond. An arrow that a run took has a dot before its label, since Mermaid
/// cannot give it a colour.
#[must_use]
pub fn state(drawing: &Drawing) -> String {
    let layout = Layout::new(drawing);
    let mut writer = StateWriter { drawing, layout: &layout, out: begun(drawing, "stateDiagram-v2\n") };
    writer.out.push_str(if drawing.across { "    direction LR\n" } else { "" });
    writer.body(None, 1);
    writer.classes();
    writer.out
}

struct StateWriter<'d> {
    drawing: &'d Drawing,
    layout: &'d Layout,
    out: String,
}

impl StateWriter<'_> {
    fn body(&mut self, parent: Option<usize>, depth: usize) {
        for item in self.layout.items(parent) {
            self.item(*item, depth);
        }
        for arrow in self.layout.arrows(parent) {
            self.arrow(&self.drawing.arrows[*arrow], depth);
        }
        for item in self.layout.items(parent) {
            let item = &self.drawing.items[*item];
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
        if item.shape == ItemShape::Choice {
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

    fn end(&mut self, end: ArrowEnd) {
        match end {
            ArrowEnd::Item(item) => self.out.push_str(&self.drawing.items[item].id),
            ArrowEnd::Start(_) | ArrowEnd::Finish(_) => self.out.push_str("[*]"),
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
type Class = (&'static str, &'static str, fn(&DrawingItem) -> bool);

/// The classes of items in Mermaid.
pub(super) const CLASSES: [Class; 3] = [
    ("outside", "stroke-dasharray:5 5", |item| item.shape == ItemShape::Outside),
    ("failed", "stroke:firebrick,stroke-dasharray:2 2", |item| item.fails && !item.alone),
    ("taken", "stroke:orangered,stroke-width:3px", |item| item.taken && !item.alone),
];

/// The ids of the items of a class, parted by commas.
pub(super) fn ids(items: &[DrawingItem], has: fn(&DrawingItem) -> bool) -> String {
    items.iter().filter(|item| has(item)).map(|item| item.id.as_str()).collect::<Vec<_>>().join(",")
}

/// The first line, with room for the others.
pub(super) fn begun(drawing: &Drawing, line: &str) -> String {
    let mut out = String::with_capacity(64 * (drawing.items.len() + drawing.arrows.len() + 1));
    out.push_str(line);
    out
}

pub(super) fn indent(depth: usize, out: &mut String) {
    for _ in 0..depth.min(MAX_INDENT_DEPTH) {
        out.push_str("    ");
    }
}
