//! A segment of a run: the work on it between two entries of its object.

mod driven;
mod in_progress;
mod journaled;
mod onlookers;
mod origin;
mod service;

pub(super) use service::service;
