//! Graphs as tools: each call is a run, stored as every run is.
//!
//! # Why
//! - What a client sends was written by its agent, which may do what a page told it. Inputs are all that it decides: the graph,
//!   its configuration, grants, limits and inputs that the operator has set are those of the server's start.
//! - Questions of a graph go to the client's user where the client has forms. Approvals do not, unless the operator said so, and
//!   there is no tool that answers: the client's own agent would.
//! - A run that waits, or that the client gives up, is left in the store: a person resumes it, on the operator's machine.

mod asking;
mod form;
mod progress;
mod resources;
mod result;
mod schema;
mod tool;

pub use self::resources::graph_resources;
pub(in crate::serve) use self::schema::input as input_schema;
pub use self::tool::{GraphTool, MAX_RUNS_AT_ONCE, RunningGraphs};
