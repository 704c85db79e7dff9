//! Options of a drawing.

use super::path::TakenPath;
use crate::model::graph::View;
use crate::model::node::NodeId;

/// The language of a drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DrawingFormat {
    /// Mermaid's `stateDiagram-v2`.
    #[default]
    State,
    /// Mermaid's `flowchart`.
    Flow,
    /// DOT, the language of Graphviz.
    Dot,
}

/// The open composites: their inner nodes are drawn.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Opening {
    /// All.
    #[default]
    All,
    /// So many levels of nodes are drawn; 1 opens none.
    Depth(usize),
    /// These of the graph, and what they lie in. Those of called graphs are all open.
    Only(Vec<NodeId>),
}

/// The part of the model that is drawn.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Focus {
    /// The graph that was asked for.
    #[default]
    Whole,
    /// A composite of it, a graph it calls by the name of the calling node, or a called graph by its id.
    Named(String),
}

/// The options of a drawing.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
pub struct Options {
    /// The open composites.
    pub opening: Opening,
    /// No boxes: an arrow to an open composite ends at its start, one on its `done` begins at its finals.
    pub flat: bool,
    /// Edges on `error`, `timeout`, `unknown` and `exhausted` are drawn.
    pub errors: bool,
    /// Called graphs are drawn in the nodes that call them. Has no effect with `flat`.
    pub expand: bool,
    /// All arrows of one pair of nodes are one.
    pub merge: bool,
    /// It is read from left to right, else from top to bottom.
    pub across: bool,
    /// The part of the model that is drawn.
    pub focus: Focus,
    /// The highlighted path.
    pub path: Option<TakenPath>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            opening: Opening::All,
            flat: false,
            errors: true,
            expand: false,
            merge: false,
            across: false,
            focus: Focus::Whole,
            path: None,
        }
    }
}

impl Options {
    /// The options of a view, and the form it asks for.
    #[must_use]
    pub fn of_view(view: &View) -> (Self, DrawingFormat) {
        let form = if view.form == "flow" { DrawingFormat::Flow } else { DrawingFormat::State };
        let opening = Opening::Only(view.open.clone());
        (Self { opening, flat: view.flat, errors: view.errors, across: view.across, ..Self::default() }, form)
    }
}
