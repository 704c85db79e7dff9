//! Agent loops as data.
//!
//! An agent loop is a *graph file*: nodes that think, act and end, edges with guards, typed state, and budgets that
//! say when the loop must stop. This crate reads such a file, judges it, and runs it. What the command line does is
//! all public here.
//!
//! # The way of a graph
//!
//! The modules stand in the order of the data. Each sees only those before it.
//!
//! 1. [`source`] holds the texts of files and knows every place in them; [`diag`] says what is wrong at a place.
//! 2. [`syntax`] reads a text into a spanned tree.
//! 3. [`model`] resolves names and types. The graph itself is a `petgraph`.
//! 4. [`check`] judges it. [`check::check_file`] does everything up to here in one call.
//! 5. [`render`] draws it; [`mod@compile`] turns the model into a [`program`]: flat tables, and the evaluation of their
//!    expressions and statements.
//! 6. [`machine`] interprets the program: [`machine::step`], one function without clock, file or socket. Its
//!    documentation has the contract.
//! 7. [`scenario`] plays scripted worlds against a graph.
//!
//! So far nothing has touched the world. With the feature `runtime`:
//!
//! 8. `port` has the traits: models, tools, people, stores, clocks.
//! 9. `llm`, `tool`, `store` implement them, and `drive` has the one loop that drives a run: `drive::Driver`.
//! 10. `app` composes them: open a graph, begin a run, find a stored one by its id and go on with it.
//!
//! [`value`] has the values that all of them pass around.
//!
//! # A first look
//!
//! ```
//! use loopwright::check::check_file;
//! use loopwright::machine::{Input, InputKind, Output, Snapshot, Start, step};
//! use loopwright::model::Files;
//! use loopwright::compile::compile;
//! use loopwright::source::Sources;
//!
//! let mut files = Files::new().with(
//!     "count.yaml",
//!     "graph: count\nbudgets: {rounds: 3}\nstart: again\nnodes:\n  again:\n    do: spend rounds\n    next: [{to: again}, {to: done, on: exhausted(rounds)}]\n  done: {kind: final}\n",
//! );
//! let checked = check_file(&mut Sources::new(), &mut files, "count.yaml");
//! assert!(checked.is_sound());
//! let program = compile(checked.model.as_ref().expect("a sound graph has a model")).expect("it compiles");
//!
//! let mut snapshot = Snapshot::new();
//! let mut outputs = Vec::new();
//! let start = InputKind::Started(Box::new(Start::default()));
//! step(&program, &mut snapshot, Input { at: 0, kind: start }, &mut outputs);
//! assert!(matches!(outputs.last(), Some(Output::Done(done)) if done.outcome == "done"));
//! ```
//!
//! The programs in `examples/` show a run with Rust functions as tools, a model of one's own, and a stored run that goes on.

#[cfg(feature = "runtime")]
pub mod app;
pub mod check;
#[cfg(feature = "cli")]
pub mod cli;
pub mod compile;
#[cfg(feature = "runtime")]
pub mod config;
pub mod diag;
pub mod diff;
#[cfg(feature = "runtime")]
pub mod drive;
#[cfg(feature = "runtime")]
pub mod folder;
#[cfg(feature = "runtime")]
pub mod llm;
pub mod machine;
pub mod model;
#[cfg(feature = "runtime")]
pub mod port;
#[cfg(feature = "runtime")]
mod proc;
pub mod program;
pub mod render;
pub mod scenario;
pub mod source;
#[cfg(feature = "runtime")]
pub mod store;
pub mod syntax;
#[cfg(feature = "runtime")]
pub mod telemetry;
#[cfg(feature = "runtime")]
pub mod tool;
pub mod value;
#[cfg(feature = "runtime")]
mod wire;
