//! Agent loops as data.
//!
//! A loop is a *graph file*. The path of the data is the order of the modules:
//! [`syntax`] reads text into a spanned tree.

pub mod check;
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "runtime")]
pub mod config;
pub mod diag;
#[cfg(feature = "runtime")]
pub mod drive;
#[cfg(feature = "runtime")]
pub mod llm;
pub mod machine;
pub mod model;
#[cfg(feature = "runtime")]
pub mod port;
pub mod program;
pub mod scenario;
pub mod source;
#[cfg(feature = "runtime")]
pub mod store;
pub mod syntax;
#[cfg(feature = "runtime")]
pub mod tool;
pub mod value;
