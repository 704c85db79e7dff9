//! A drawing: items, boxes, arrows.

use serde::Serialize;

/// A drawing: what is seen of a graph, before it is put into a language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Drawing {
    /// The id of the graph.
    pub name: String,
    /// It is read from left to right, else from top to bottom.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub across: bool,
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
}

impl Drawing {
    /// The box that an end lies in.
    #[must_use]
    pub fn home(&self, end: ArrowEnd) -> Option<usize> {
        match end {
            ArrowEnd::Item(item) => self.items[item].parent,
            ArrowEnd::Start(parent) | ArrowEnd::Finish(parent) => parent,
        }
    }
}
