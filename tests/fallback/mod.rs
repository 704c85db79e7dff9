//! `use = ["fast", "strong"]`: which entry answers, what is recorded, and what it costs.

mod command;
mod config;
mod pace;
mod runs;
mod table;
mod trust;
pub(crate) mod world;
