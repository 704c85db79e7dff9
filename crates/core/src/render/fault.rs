//! Errors of drawing.

use thiserror::Error;

/// Errors of drawing.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RenderFault {
    /// Nothing has that name.
    #[error("there is no node and no called graph `{0}`")]
    Unknown(String),
    /// The node has no nodes in it and calls no graph.
    #[error("`{0}` is not a composite and calls no graph, so there is nothing to draw in it")]
    Empty(String),
    /// The drawing would have more items or arrows than are drawn.
    #[error(
        "the drawing would have more than {0} nodes and edges: draw less of it, without called graphs or with a lower depth"
    )]
    TooLarge(usize),
    /// The run has more steps than are drawn.
    #[error("the run made more than {0} steps, too many to draw each; name its graph to see its path in it")]
    TooLong(usize),
    /// The drawing has more items or arrows than are laid out.
    #[error(
        "a picture has at most {0} nodes and {0} edges: draw less of it, with `--depth` or `--node`, or as text"
    )]
    TooManyParts(usize),
    /// The layout of the drawing takes too much work.
    #[error(
        "the picture is too much work to lay out: draw less of it, with `--depth` or `--node`, or as text"
    )]
    NoLayout,
    /// The picture cannot be painted.
    #[error("the picture cannot be painted: {0}")]
    Unpainted(String),
}
