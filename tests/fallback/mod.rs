//! `use = ["fast", "strong"]`: which entry answers, what is recorded, and what it costs.

mod command;
mod config;
mod pace;
mod prices;
mod runs;
mod table;
mod trust;
pub(crate) mod world;
