//! Pictures of drawings: SVG, and with the feature `png` PNG.
//!
//! A drawing is taken apart at the borders of its boxes (`plan`). Each level is laid out in layers (`place`, with the
//! layout that Mermaid uses), from the innermost box out (`scene`), and written down (`svg`). The same drawing gives the
//! same bytes.
//!
//! # Why
//! - Mermaid lays labels over each other where a node leads to itself, and leads arrows through nodes. Here arrows cross
//!   over between layers only, where nothing else lies, and a label has a place of its own in a layer.
//! - Texts are measured with a table of widths, so that a picture is the same on every machine; each line says how wide it is,
//!   so that it fits its box whatever font is there.
//! - Looks are attributes, which any style sheet overrules; there is nothing in the file that acts or is fetched.

mod measure;
mod place;
mod plan;
#[cfg(feature = "png")]
mod png;
mod ports;
mod scene;
mod shape;
mod svg;
mod widths;

#[cfg(feature = "png")]
pub use png::png;
pub use svg::svg;
