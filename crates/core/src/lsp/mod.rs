//! A language server for editors: what `check` reports as one types, and what is known of each name.
//!
//! [`LanguageServer`] speaks the Language Server Protocol over a connection; [`serve_streams`] does over a pair of
//! streams.
//!
//! # Why
//! - One thread reads what the client says and, where nothing waits, examines one file. So a text is never examined while a newer
//!   one waits, and nothing is locked. A request about one file waits for that file, one about names of all files for all.
//! - A file is examined as `check` does it, with the files that it names. What it read is noted; it is examined again when
//!   one of those changes, and not when others do. The file that is edited comes first, then open ones.
//! - A finding that several graphs share is shown once, and one that callers answer to not at all, as in `check` of the folder.
//! - Configurations count as they are saved: they decide what a folder may do, and half a word must not.

mod actions;
mod buffer;
mod completion;
mod document;
mod examined_file;
mod features;
mod file_names;
mod folding;
mod format;
mod hints;
mod hover;
mod key_place;
mod keys;
mod lenses;
mod name_index;
mod navigation;
mod overlay;
mod placed_finding;
mod placed_suggestion;
mod rename;
mod reply;
mod server;
mod symbols;
mod text_index;
mod tokens;
mod transport;
mod workspace;

pub use lsp_server::{Connection, Message};
pub use placed_finding::{FilePlace, FindingPlaces, PlacedFinding};
pub use server::LanguageServer;
pub use transport::serve_streams;
