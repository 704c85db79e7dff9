//! The inside of `loopwright`, which shows a short list of names from here and has the command line.
//!
//! Everything may change with each version: depend on `loopwright`.
//!
//! The modules are in the order of the data; each sees only those before it. `source` holds texts, `syntax` reads them into a
//! tree, `model` resolves names and types, `check` judges, `render` draws, `compile` makes a flat `program`, and
//! `machine::step` interprets it, without clock, file or socket. `port` has the traits to the world, `llm`, `tool` and `store`
//! implement them, `drive` drives a run, and `app` composes them.

#[cfg(feature = "runtime")]
pub mod app;
pub mod check;
pub mod compile;
#[cfg(feature = "runtime")]
pub mod config;
pub mod decide;
pub mod diag;
pub mod diff;
#[cfg(feature = "runtime")]
pub mod drive;
pub mod explore;
#[cfg(feature = "runtime")]
pub mod folder;
#[cfg(feature = "runtime")]
pub mod llm;
#[cfg(feature = "lsp")]
pub mod lsp;
pub mod machine;
pub mod model;
pub mod mutate;
#[cfg(feature = "runtime")]
pub mod port;
#[cfg(feature = "runtime")]
mod proc;
pub mod program;
pub mod reference;
pub mod render;
pub mod scenario;
#[cfg(feature = "serve")]
pub mod serve;
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
#[cfg(feature = "runtime")]
pub mod worker;
