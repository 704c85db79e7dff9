//! The language server: what a client is given, feature by feature, in both syntaxes.

mod campaign;
mod client;
mod diagnostics;
mod nonsense;
mod program;
