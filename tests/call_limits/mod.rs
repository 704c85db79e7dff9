//! `[limits]`: the most that one run may make of a tool or a model.

mod config;
mod runs;
