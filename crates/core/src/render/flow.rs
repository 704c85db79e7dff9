//! Mermaid's `flowchart`.

use super::drawing::{Arrow, ArrowEnd, Drawing, ItemShape};
use super::ids;
use super::layout::Layout;
use super::state::{CLASSES, begun, indent};
use super::text::mermaid;

/// A drawing as `flowchart`.
///
/// Every kind of node has its shape, and arrows for errors and rollbacks are dotted.
#[must_use]
pub fn flow(drawing: &Drawing) -> String {
    let layout = Layout::new(drawing);
    let mut writer = FlowWriter {
        drawing,
        layout: &layout,
        taken: Vec::new(),
        arrows: 0,
        out: begun(drawing, if drawing.across { "flowchart LR\n" } else { "flowchart TB\n" }),
    };
    writer.body(None, 1);
    writer.styles();
    writer.out
}

/// The brackets around the label of a node.
fn brackets(shape: ItemShape) -> (&'static str, &'static str) {
    match shape {
        ItemShape::Action | ItemShape::Composite | ItemShape::Outside => ("[", "]"),
        ItemShape::Choice => ("{", "}"),
        ItemShape::Model => ("{{", "}}"),
        ItemShape::Tool => ("[/", "/]"),
        ItemShape::Human => ("[\\", "/]"),
        ItemShape::Call => ("[[", "]]"),
        ItemShape::Wait => ("(", ")"),
        ItemShape::Final => ("([", "])"),
    }
}

struct FlowWriter<'d> {
    drawing: &'d Drawing,
    layout: &'d Layout,
    /// The numbers of the arrows that are highlighted, as Mermaid counts them.
    taken: Vec<String>,
    arrows: usize,
    out: String,
}

impl FlowWriter<'_> {
    fn body(&mut self, parent: Option<usize>, depth: usize) {
        self.points(parent, depth);
        for item in self.layout.items(parent) {
            self.item(*item, depth);
        }
        for arrow in self.layout.arrows(parent) {
            self.arrow(&self.drawing.arrows[*arrow], depth);
        }
    }

    /// The points where a box begins and ends, if arrows leave or reach them.
    fn points(&mut self, parent: Option<usize>, depth: usize) {
        let arrows = self.layout.arrows(parent);
        let start = arrows.iter().any(|at| self.drawing.arrows[*at].from == ArrowEnd::Start(parent));
        let finish = arrows.iter().any(|at| self.drawing.arrows[*at].to == ArrowEnd::Finish(parent));
        for (wanted, end, shape) in
            [(start, ArrowEnd::Start(parent), "((\" \"))"), (finish, ArrowEnd::Finish(parent), "(((\" \")))")]
        {
            if wanted {
                indent(depth, &mut self.out);
                self.end(end);
                self.out.extend([shape, "\n"]);
            }
        }
    }

    fn item(&mut self, at: usize, depth: usize) {
        let item = &self.drawing.items[at];
        if item.alone {
            return;
        }
        indent(depth, &mut self.out);
        let (open, close) = if item.open { ("[", "]") } else { brackets(item.shape) };
        self.out.extend([if item.open { "subgraph " } else { "" }, &item.id, open, "\""]);
        mermaid(&item.label, &mut self.out);
        self.out.extend(["\"", close, "\n"]);
        if item.open {
            self.body(Some(at), depth + 1);
            indent(depth, &mut self.out);
            self.out.push_str("end\n");
        }
    }

    fn arrow(&mut self, arrow: &Arrow, depth: usize) {
        indent(depth, &mut self.out);
        self.end(arrow.from);
        self.out.push_str(if arrow.error || arrow.back { " -.-> " } else { " --> " });
        if !arrow.label.is_empty() {
            self.out.pop();
            self.out.push_str("|\"");
            mermaid(&arrow.label, &mut self.out);
            self.out.push_str("\"| ");
        }
        self.end(arrow.to);
        self.out.push('\n');
        if arrow.taken {
            self.taken.push(self.arrows.to_string());
        }
        self.arrows += 1;
    }

    fn end(&mut self, end: ArrowEnd) {
        let id = |item: Option<usize>| item.map_or("root", |item| &self.drawing.items[item].id);
        match end {
            ArrowEnd::Item(item) => self.out.push_str(&self.drawing.items[item].id),
            ArrowEnd::Start(parent) => self.out.push_str(&ids::start(id(parent))),
            ArrowEnd::Finish(parent) => self.out.push_str(&ids::end(id(parent))),
        }
    }

    fn styles(&mut self) {
        for (name, style, has) in CLASSES {
            let ids = super::state::ids(&self.drawing.items, has);
            if !ids.is_empty() {
                self.out.extend(["    classDef ", name, " ", style, "\n    class ", &ids, " ", name, "\n"]);
            }
        }
        if !self.taken.is_empty() {
            self.out.extend([
                "    linkStyle ",
                &self.taken.join(","),
                " stroke:orangered,stroke-width:3px\n",
            ]);
        }
    }
}
