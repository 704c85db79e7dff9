//! From text to a spanned [`tree`], for both syntaxes; expressions and statements as an [`ast`].

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod ast;
mod dsl;
pub mod expr;
mod file_key;
mod language;
mod lower;
mod names;
mod outline;
pub mod print;
mod quoted;
mod read;
mod schema;
pub mod tree;
mod write;
pub(crate) mod yaml;

#[cfg(feature = "lsp")]
pub(crate) use dsl::declaration_words;
pub(crate) use file_key::{FileKey, KeyForm, by_name, keys_schema, root_schema};
pub use language::Syntax;
pub(crate) use lower::KindName;
pub use names::{MAX_NAME, is_identifier};
pub use outline::{Outline, has_key, outline};
pub use read::read;
pub use schema::schema;
pub use write::{Refusal, write};
pub(crate) use write::{yaml_block, yaml_text};
pub use yaml::{MAX_BYTES, MAX_DEPTH, MAX_NODES};
