//! The language server: what a client is given, feature by feature, in both syntaxes.

mod actions;
mod campaign;
mod client;
mod completion;
mod diagnostics;
mod marks;
mod names;
mod neovim;
mod nonsense;
mod program;
mod renames;
