//! Exploring graphs: beside a search of all values, beside a model checker, with planted faults, the shipped ones, and by the
//! command.

mod command;
mod concrete;
mod fault;
mod planted;
mod raw;
mod shipped;
mod stateright;
mod tiny;
mod write;
