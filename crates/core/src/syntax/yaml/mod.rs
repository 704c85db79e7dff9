//! YAML text to a spanned tree of our own.
//!
//! The events come from `granit-parser`; what the language refuses (aliases, tags, merge keys, duplicate keys,
//! further documents) is refused here, by name. Size and depth are limited before and while reading.

mod build;
mod fault;
mod node;
mod quote;
mod scalar;
mod split;
mod text;
mod unique;

#[cfg(test)]
mod tests;

pub(crate) use build::{Document, parse};
pub(crate) use fault::{too_deep, too_many_comments};
pub(crate) use node::{Entry, Node, NodeKind};
pub(crate) use quote::{has_open_quote, intended, quoted};
pub(crate) use scalar::{Scalar, Style};
pub(crate) use text::check;
pub(in crate::syntax) use unique::unique;

/// The longest file that is read, in bytes: 4 MiB.
pub const MAX_BYTES: usize = 4 << 20;
/// The deepest nesting of lists and mappings.
pub const MAX_DEPTH: usize = 64;
/// The most values one file may hold.
pub const MAX_NODES: usize = 200_000;
/// The most comments one file may hold.
pub(crate) const MAX_COMMENTS: usize = 50_000;
/// The most expressions, statements and types one file may hold together, in bytes: 1 MiB.
pub(crate) const MAX_CODE: usize = 1 << 20;
/// The most findings one file is given before reading stops.
pub(crate) const MAX_FINDINGS: usize = 200;
