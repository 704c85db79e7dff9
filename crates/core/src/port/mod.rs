//! Ports: the needs of a run from the world, as traits.
//!
//! The [machine](crate::machine) asks; the driver (`drive`) hands each question to the port it belongs to and brings
//! the answer back as an input. Implementations live in `llm`, `tool` and `store`, or in a program that embeds the
//! library.
//!
//! The futures of [`ModelClient::ask`] and [`ToolHost::call`] own what they need: what is to be read from the run's
//! state is read before the future is returned, since the run continues while a call is in progress. A future that is
//! dropped has been given up: whatever it started must end.

mod answers;
mod claim;
mod clock;
mod files;
mod human;
mod journal;
mod ledger;
mod mask;
mod model;
mod observer;
mod process;
mod queue;
mod run_info;
mod run_page;
mod store;
mod store_error;
mod tool;
mod unmet;

pub use answers::AnswerCache;
pub use claim::Claim;
pub use clock::Clock;
pub use files::{MessageFiles, UnreadFile};
pub use futures::future::BoxFuture;
pub use human::{Human, HumanReply};
pub use journal::{Commit, EntryCause, JournalEntry, Lease, LeaseState, ProgramText, StoredRun};
pub use ledger::{CallLedger, LimitRefusal};
pub use mask::{Mask, MaskStream, Masked};
pub use model::{Listener, ModelClient};
pub use observer::Observer;
pub use process::ProcessSignature;
pub use queue::{Message, PostedMessage, PostedMessages, TakenRun, TakenRuns, WorkRequest};
pub use run_info::{ListedRun, RunInfo, RunStatus};
pub use run_page::{RunFilter, RunPage, StatusKind};
pub use store::{Queue, Store, StoreFuture};
pub use store_error::StoreError;
pub use tool::{Leftovers, ProbeResult, ToolHost, ToolInfo, ToolListener, undo_id};
pub use unmet::{UnmetFunction, UnmetFunctions};

use crate::machine::Snapshot;
use crate::program::Program;

/// A look at a run: what it runs, where it is, and how long it is its driver's.
#[derive(Debug, Clone, Copy)]
pub struct RunView<'a> {
    /// The program.
    pub program: &'a Program,
    /// The place.
    pub snapshot: &'a Snapshot,
    /// The time for which it is its driver's: no call begins after that.
    pub claim: &'a Claim,
}
