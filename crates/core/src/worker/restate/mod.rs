//! Runs that are driven by a Restate server, which keeps what it takes to continue them and calls workers to do so.
//!
//! - [`RestateWorker`]: serves graphs to such a server.
//! - [`RestateClient`]: begins runs there, and speaks to them. [`RestateRuns`] shows them as a store does.
//!
//! A run is a virtual object, keyed by its id, that holds its journal, its state and the messages for it. Its work is done in
//! *segments*: workflows `RUN/0`, `RUN/1`, …, each begun by the end of the one before. A segment steps the
//! [machine](crate::machine), and every input of the machine is a result that Restate has journaled.
//!
//! # Why
//! - The object is told what happened in pieces and by one-way messages, so that an effect costs one entry of the segment's journal
//!   and no call. It is told at once when a run waits or ends.
//! - The name of the workflow has the digest of the program: a segment goes to a deployment that serves this program, whatever was
//!   registered since.
//! - What is in progress is one step of the segment's journal: it ends with whatever comes back first. Restate journals the result
//!   of one step at a time and cannot end a step, so a call of its own would be waited for though nobody wants it any more.
//! - Messages have numbers, and each number is a promise: a question may be answered twice where the first answer did not fit.
//! - What onlookers see is shown within a step of the journal, so that it is not shown again when the journal is replayed.

mod client;
mod faults;
mod list;
mod message;
mod object;
mod reading;
mod segment;
mod service;
mod wakes;
mod worker;

pub use client::{ClientError, RestateClient};
pub use message::{DroppedWord, NO_ROLLBACK, PostedWord, RunReply, Word};
pub use reading::RestateRuns;
pub use service::segments_name;
pub use worker::{DEFAULT_EFFECTS, ListeningWorker, RestateWorker, WorkerError};
