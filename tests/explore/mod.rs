//! Exploring graphs: beside a search of all values, and by the command.

mod command;
mod concrete;
mod tiny;
mod write;
