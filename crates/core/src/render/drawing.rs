//! A drawing: items, boxes, arrows.

use serde::Serialize;

use super::ids;
use crate::value::Str;

/// The most nodes of a drawing that are easy to read.
const MAX_READABLE_ITEMS: usize = 40;

/// A drawing: what is seen of a graph, before it is put into a language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Drawing {
    /// The id of the graph.
    pub name: String,
    /// It is read from left to right, else from top to bottom.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub across: bool,
    /// The ids of the graphs that it shows, by number.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub graphs: Vec<String>,
    /// Everything that has a place: a box comes before what lies in it.
    pub items: Vec<DrawingItem>,
    /// The arrows in order.
    pub arrows: Vec<Arrow>,
}

/// A node, or a box with nodes in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own, and all are printed as JSON")]
pub struct DrawingItem {
    /// Unique in the drawing: letters, digits and `_`, and no word of a drawing language.
    pub id: String,
    /// The label; lines are parted by newlines.
    pub label: String,
    /// The kind of the node.
    pub shape: ItemShape,
    /// The box it lies in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<usize>,
    /// It is a box: what lies in it is drawn.
    pub open: bool,
    /// A final that ends the box it lies in, or the drawing.
    pub ends: bool,
    /// A final that is drawn as the end point of its box alone. All arrows to it are arrows to [`ArrowEnd::Finish`].
    pub alone: bool,
    /// It lies on the path that is highlighted.
    pub taken: bool,
    /// A final that is never a success.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub fails: bool,
    /// The graph whose nodes it stands for, by its number in [`Drawing::graphs`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graph: Option<usize>,
    /// The names of those nodes: a composite that is not open stands for those in it, too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<Str>,
}

impl DrawingItem {
    /// A composite whose inner nodes are not drawn.
    #[must_use]
    pub fn is_collapsed(&self) -> bool {
        self.shape == ItemShape::Composite && !self.open
    }
}

/// The kinds of item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ItemShape {
    /// Statements are executed.
    Action,
    /// One of several edges is chosen.
    Choice,
    /// Other nodes are inside.
    Composite,
    /// A language model is asked.
    Model,
    /// A tool is called.
    Tool,
    /// A person is asked.
    Human,
    /// Another graph runs: `call`, `each`, `parallel`, and a branch of `parallel`.
    Call,
    /// Time passes.
    Wait,
    /// The run, or the composite around, ends.
    Final,
    /// Lies outside of what is drawn: an arrow leads to it or comes from it.
    Outside,
}

/// The end of an arrow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ArrowEnd {
    /// The item of this index.
    Item(usize),
    /// The start point of a box, or of the drawing.
    Start(Option<usize>),
    /// The end point of a box, or of the drawing.
    Finish(Option<usize>),
}

/// An arrow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Arrow {
    /// The start.
    pub from: ArrowEnd,
    /// The end.
    pub to: ArrowEnd,
    /// The label; may be empty.
    pub label: String,
    /// All it stands for are edges on `error`, `timeout`, `unknown` or `exhausted`.
    pub error: bool,
    /// It leads back to what was left before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub back: bool,
    /// It lies on the path that is highlighted.
    pub taken: bool,
    /// The graph whose edges it stands for, by its number in [`Drawing::graphs`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graph: Option<usize>,
    /// The numbers of those edges.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub edges: Vec<usize>,
}

impl Drawing {
    /// The id of an end, as it is written in drawings.
    #[must_use]
    pub fn end_id(&self, end: ArrowEnd) -> String {
        let id = |item: Option<usize>| item.map_or("root", |item| self.items[item].id.as_str());
        match end {
            ArrowEnd::Item(item) => self.items[item].id.clone(),
            ArrowEnd::Start(parent) => ids::start(id(parent)),
            ArrowEnd::Finish(parent) => ids::end(id(parent)),
        }
    }

    /// The names of the composites that can be drawn alone, where the drawing has more than 40 nodes and is easier to read in
    /// parts: one overview without what lies in them, and one drawing for each. They are those that lie in no other.
    #[must_use]
    pub fn parts(&self) -> Option<Vec<&str>> {
        let boxes = self.items.iter().filter(|item| item.open && item.parent.is_none());
        let names: Vec<&str> =
            boxes.filter_map(|item| item.nodes.first()).map(ecow::EcoString::as_str).collect();
        (self.items.len() > MAX_READABLE_ITEMS && !names.is_empty()).then_some(names)
    }

    /// The box that an end lies in.
    #[must_use]
    pub fn home(&self, end: ArrowEnd) -> Option<usize> {
        match end {
            ArrowEnd::Item(item) => self.items[item].parent,
            ArrowEnd::Start(parent) | ArrowEnd::Finish(parent) => parent,
        }
    }
}
