//! DOT, the language of Graphviz.

use super::drawing::{Arrow, ArrowEnd, Drawing, DrawingItem, ItemShape};
use super::ids;
use super::layout::Layout;
use super::state::{begun, indent};
use super::text;

/// A drawing as a DOT digraph. Boxes are clusters; arrows to a box lead to the point where it begins and are cut at its
/// border.
#[must_use]
pub fn dot(drawing: &Drawing) -> String {
    let layout = Layout::new(drawing);
    let mut writer = DotWriter { drawing, layout: &layout, out: begun(drawing, "digraph ") };
    text::dot(&drawing.name, &mut writer.out);
    // The older ranking of Graphviz fails where arrows lead into boxes and out of them in circles.
    writer.out.push_str(" {\n    compound=true\n    newrank=true\n    node [shape=box]\n");
    writer.out.push_str(if drawing.across { "    rankdir=LR\n" } else { "" });
    writer.body(None, 1);
    writer.out.push_str("}\n");
    writer.out
}

fn look(item: &DrawingItem) -> &'static str {
    match item.shape {
        ItemShape::Action => "",
        ItemShape::Choice => ", shape=diamond",
        ItemShape::Composite => ", shape=box3d",
        ItemShape::Model => ", shape=hexagon",
        ItemShape::Tool => ", shape=parallelogram",
        ItemShape::Human => ", shape=invtrapezium",
        ItemShape::Call => ", shape=component",
        ItemShape::Wait => ", style=rounded",
        ItemShape::Final => ", shape=ellipse, peripheries=2",
        ItemShape::Outside => ", style=dashed",
    }
}

const TAKEN: &str = ", color=orangered, penwidth=3";

const FAILS: &str = ", color=firebrick, style=dashed";

struct DotWriter<'d> {
    drawing: &'d Drawing,
    layout: &'d Layout,
    out: String,
}

impl DotWriter<'_> {
    fn body(&mut self, parent: Option<usize>, depth: usize) {
        self.points(parent, depth);
        for item in self.layout.items(parent) {
            self.item(*item, depth);
        }
        for arrow in self.layout.arrows(parent) {
            self.arrow(&self.drawing.arrows[*arrow], depth);
        }
    }

    fn points(&mut self, parent: Option<usize>, depth: usize) {
        let id = parent.map_or("root", |item| &self.drawing.items[item].id);
        let arrows = self.layout.arrows(parent);
        let start = arrows.iter().any(|at| self.drawing.arrows[*at].from == ArrowEnd::Start(parent));
        let finish = arrows.iter().any(|at| self.drawing.arrows[*at].to == ArrowEnd::Finish(parent));
        // A box always has its start point: arrows to the box lead there.
        if start || parent.is_some() {
            indent(depth, &mut self.out);
            self.out.extend(["\"", &ids::start(id), "\" [label=\"\", shape=point, width=0.15]\n"]);
        }
        if finish {
            indent(depth, &mut self.out);
            self.out.extend(["\"", &ids::end(id), "\" [label=\"\", shape=doublecircle, width=0.15]\n"]);
        }
    }

    fn item(&mut self, at: usize, depth: usize) {
        let item = &self.drawing.items[at];
        if item.alone {
            return;
        }
        indent(depth, &mut self.out);
        let taken = if item.taken { TAKEN } else { "" };
        if !item.open {
            self.out.extend(["\"", &item.id, "\" [label="]);
            text::dot(&item.label, &mut self.out);
            let fails = if item.fails && !item.taken { FAILS } else { "" };
            self.out.extend([look(item), fails, taken, "]\n"]);
            return;
        }
        self.out.extend(["subgraph \"cluster_", &item.id, "\" {\n"]);
        indent(depth + 1, &mut self.out);
        self.out.push_str("graph [label=");
        text::dot(&item.label, &mut self.out);
        self.out.extend([taken, "]\n"]);
        self.body(Some(at), depth + 1);
        indent(depth, &mut self.out);
        self.out.push_str("}\n");
    }

    fn arrow(&mut self, arrow: &Arrow, depth: usize) {
        indent(depth, &mut self.out);
        let tail = self.end(arrow.from);
        self.out.push_str(" -> ");
        let head = self.end(arrow.to);
        self.out.push_str(" [label=");
        text::dot(&arrow.label, &mut self.out);
        for (key, cluster, other) in [("ltail", tail, arrow.to), ("lhead", head, arrow.from)] {
            // An arrow that does not cross the border of the box is not cut there.
            if let Some(item) = cluster.filter(|item| !self.is_within(other, *item)) {
                self.out.extend([", ", key, "=\"cluster_", &self.drawing.items[item].id, "\""]);
            }
        }
        self.out.push_str(if arrow.error || arrow.back { ", style=dotted" } else { "" });
        self.out.push_str(if arrow.taken { TAKEN } else { "" });
        self.out.push_str("]\n");
    }

    /// Returns true if an end is a box or lies in it.
    fn is_within(&self, end: ArrowEnd, item: usize) -> bool {
        let mut next = match end {
            ArrowEnd::Item(item) => Some(item),
            ArrowEnd::Start(parent) | ArrowEnd::Finish(parent) => parent,
        };
        while let Some(at) = next.filter(|at| *at != item) {
            next = self.drawing.items[at].parent;
        }
        next.is_some()
    }

    /// Writes an end. Gives the box that is meant where its start point stands for it.
    fn end(&mut self, end: ArrowEnd) -> Option<usize> {
        let id = |item: Option<usize>| item.map_or("root", |item| &self.drawing.items[item].id);
        let (id, cluster) = match end {
            ArrowEnd::Item(item) if self.drawing.items[item].open => (ids::start(id(Some(item))), Some(item)),
            ArrowEnd::Item(item) => (id(Some(item)).to_owned(), None),
            ArrowEnd::Start(parent) => (ids::start(id(parent)), None),
            ArrowEnd::Finish(parent) => (ids::end(id(parent)), None),
        };
        self.out.extend(["\"", &id, "\""]);
        cluster
    }
}
