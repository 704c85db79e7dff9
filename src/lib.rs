//! Agent loops as data.
//!
//! A loop is a *graph file*. The path of the data is the order of the modules:
//! [`syntax`] reads text into a spanned tree.

pub mod check;
pub mod diag;
pub mod machine;
pub mod model;
pub mod program;
pub mod source;
pub mod syntax;
pub mod value;
