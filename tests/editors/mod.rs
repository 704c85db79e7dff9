//! The files for editors: the grammar for tree-sitter beside our own reader.

mod agreement;
mod copies;
mod highlights;
mod keys;
mod neovim;
mod reader;
mod texts;
