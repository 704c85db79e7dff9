//! A worker that takes runs from a queue, drives them and gives them back.
//!
//! - [`QueueWorker`] does that; [`WorkListener`] hears of it.
//!
//! # Why
//! - A run is taken with its lease in one step, so that of many workers one has it. A run that cannot be driven keeps its lease
//!   until that runs out: nobody takes it again and again meanwhile.
//! - A message that cannot be read is the fault of its run alone. What was taken and could not be begun at once stays until the
//!   next look, or is given back.
//! - Messages are looked for when a change is noted, and now and then besides: a wake-up may be lost. A message that was handed to
//!   a run stays in the queue until a commit took it in.
//! - A run that only waits for a timer is given back, so that what waits costs no worker anything.

mod driven;
mod report;
mod worker;

pub use report::{WorkListener, WorkNote};
pub use worker::QueueWorker;
