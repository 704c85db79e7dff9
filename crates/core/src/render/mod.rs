//! Drawings of graphs, as text: Mermaid's `stateDiagram-v2` and `flowchart`, and DOT; with the feature `pictures` as SVG.
//!
//! A [`Drawing`] says what is seen: items, boxes around them, arrows between them. It is made of a checked model and the
//! [`Options`]: which composites are open, whether boxes are drawn, what is left out. The writers ([`state`], [`flow`],
//! [`dot`]) put it into their languages. The same model and options give the same bytes.
//!
//! ```
//! use loopwright::check::check_file;
//! use loopwright::model::Files;
//! use loopwright::render::{Drawing, Options, state};
//! use loopwright::source::Sources;
//!
//! let mut files = Files::new().with("a.yaml", "graph: a\nstart: work\nnodes:\n  work: {next: end}\n  end: {kind: final}\n");
//! let checked = check_file(&mut Sources::new(), &mut files, "a.yaml");
//! let model = checked.model.as_ref().expect("a sound graph has a model");
//! let drawing = Drawing::new(model, &checked.trees, &Options::default()).expect("a small graph can be drawn");
//! assert_eq!(
//!     state(&drawing),
//!     "stateDiagram-v2\n    state \"end\" as end_\n    [*] --> work\n    work --> end_\n    end_ --> [*]\n"
//! );
//! ```
//!
//! # Why
//! - A merged arrow of a collapsed composite is dotted only if all its edges are for errors: else it would hide the ordinary
//!   way.
//! - `--node` draws nodes outside that an inner edge leads to as dashed ones, and ends an edge to the composite itself
//!   at its start, so that no arrow is lost.
//! - Called graphs are functions: `--flat` does not dissolve them. Expanded ones may multiply, so a drawing of more than
//!   100,000 nodes or edges is refused.
//! - Pairs that Mermaid takes for entities (`ﬂ°`, `¶ß`) get a mark of no width between them: it decodes twice.
//! - `--watch` looks again when a file that was read changes, never for its own output.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod arrows;
mod build;
mod dot;
mod drawing;
mod fault;
mod flow;
mod ids;
mod label;
mod layout;
mod lines;
mod options;
mod path;
#[cfg(feature = "pictures")]
mod picture;
mod region;
mod scene;
mod state;
mod steps;
mod text;

pub use dot::dot;
pub use drawing::{Arrow, ArrowEnd, Drawing, DrawingItem, ItemShape};
pub use fault::RenderFault;
pub use flow::flow;
pub use options::{DrawingFormat, Focus, Opening, Options};
pub use path::TakenPath;
#[cfg(feature = "png")]
pub use picture::png;
#[cfg(feature = "pictures")]
pub use picture::svg;
pub use state::state;
pub use steps::Turn;
