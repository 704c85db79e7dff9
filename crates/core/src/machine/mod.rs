//! The interpreter: one function, no clock, no file, no socket.
//!
//! ```text
//! step(&Program, &mut Snapshot, Input, &mut Vec<Output>)
//! ```
//!
//! # The contract
//! 1. After each input drain all outputs. A [`Output::Record`] is durable before any later output of the same
//!    drain is acted on.
//! 2. Time, randomness and every answer enter as inputs. The same program digest and the same inputs give the same
//!    outputs, byte for byte.
//! 3. Guards never write. Writes happen in nodes and edge actions, atomically per unit. A visit has three units:
//!    the node's `do` with its keys (a request is made only when all of it held), `into` with `then`, and the
//!    edge's `do`. A unit that fails takes back its own writes; spends are never taken back.
//! 4. Pure transitions run until something outside is needed; only then does the machine stop. The cost of a step
//!    does not grow with the length of history: state is persistent, events carry deltas.
//! 5. [`Snapshot`] is `Clone + Eq + Hash + Serialize`: search, rollback and resume all rely on that.
//!
//! The place of a fault in the text is no part of all that: [`step_located`] hands it out beside the outputs, and
//! [`step_judged`] also tells whether the properties of the graphs hold. [`step_to`] takes an input only as far as a given
//! transition: so every step of a run can be looked at, and gone back to.
//!
//! The same function serves running, resuming, replaying, testing and exploring; they differ in where the inputs
//! come from.
//!
//! # Why
//! - An event keeps what a unit changed as one list in the order in which it happened, a change in 40 bytes: recording
//!   costs as much as everything else in a transition. Changes of a step lie in shared pieces of at least 256, so most
//!   units allocate nothing; whoever keeps one event keeps its piece alive. Events are made where they stay, since
//!   moving them there takes longer than the rest of a step.
//! - Spends of a unit that fails are recorded with the failure, and so are the branches it took: both took place.
//! - Values of lets stay valid from one guard of a node to the next: a guard writes nothing, so nothing can change them.
//! - A journal means what each lane did in its own order. The order between lanes matters only where they compete: for
//!   the last units of a budget, and for being the first to fail.
//! - Random numbers (jitter) come from a generator whose state is part of the snapshot, seeded by the first input, so a
//!   replay waits as long.
//! - Events reach the store in batches of at most 1,024, and a step that records more than [`MAX_RECORDED`] fails, so
//!   one step cannot fill the memory.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod answer;
mod approve;
mod beginning;
mod call;
mod catalogue;
mod cursor;
mod divergence;
mod edited_call;
mod effect;
mod enter;
mod event;
mod fault;
mod input;
mod join;
mod judging;
mod leave;
mod meter;
mod monitor;
mod origin;
mod output;
mod pause;
mod person;
mod plan;
mod random;
mod read_answer;
mod replay_check;
mod reply;
mod report;
mod resolve;
mod rollback;
mod snapshot;
mod start;
mod step;
mod store;
mod transfer;
mod trigger;
mod yes;

pub use answer::{asks_rollback, check_answer, wanted_step};
pub use beginning::{Beginning, beginning};
pub use call::{
    AttemptFault, Call, CallId, CallProgress, ModelAttempt, Outcome, Question, QuestionId, QuestionReason,
    Request, SentFile, Usage,
};
pub(crate) use catalogue::in_catalogue;
pub use cursor::{EventCursor, EventPlace};
pub use divergence::Divergence;
pub use edited_call::edited_call;
pub use event::{Change, Changes, Done, Emit, Event, EventKind, JOURNAL_VERSION, Spend, Write};
pub use input::{Input, InputKind, Interrupt, MidwayStart, Start, Time};
pub use monitor::{PropertyMonitor, Violation};
pub use origin::FaultOrigin;
pub use output::Output;
pub use pause::condition_holds;
pub(crate) use random::next_random;
pub use read_answer::{AnswerReader, ReadAnswer, with_reader};
pub use replay_check::ReplayCheck;
pub use report::{REPORT_VERSION, event_json, event_text, event_text_whole, timestamp};
pub use rollback::{branch_off, roll_back, run_id};
pub use snapshot::{Join, Lane, LaneEnd, NodeExit, Phase, SentBack, Snapshot};
pub use step::{MAX_DRAIN, MAX_RECORDED, step, step_judged, step_located, step_to, step_watched};
pub use transfer::{Transfer, TransferError, transfer};
