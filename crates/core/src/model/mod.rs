//! The graph with every name resolved: types, slots, budgets, and a `petgraph` of nodes and edges.
//!
//! A [`Model`] holds the graph that was asked for and all graphs it calls. Nothing in it refers back to text
//! except the spans.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod build;
pub mod cfg;
pub mod expr;
pub mod graph;
mod id;
pub mod load;
pub mod name_use;
pub mod node;
pub mod record;
mod registration;
mod settled;
pub mod types;
pub mod typing;
mod visit;

pub use build::{TRIGGER_FORMS, TriggerForm};
pub use graph::{Graph, GraphId, Model};
pub use load::{Files, LoadError, Loaded, Loader, beside, load, load_edited, load_named};
pub use registration::FunctionError;
