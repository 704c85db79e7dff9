//! Stores and engines past one machine, against real servers.

mod host;
mod queue;
