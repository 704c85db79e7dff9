//! Exploring graphs: beside a search of all values, beside a model checker, and by the command.

mod command;
mod concrete;
mod raw;
mod stateright;
mod tiny;
