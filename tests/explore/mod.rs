//! Exploring graphs: beside a search of all values, beside a model checker, with planted faults, and by the command.

mod command;
mod concrete;
mod fault;
mod planted;
mod raw;
mod stateright;
mod tiny;
