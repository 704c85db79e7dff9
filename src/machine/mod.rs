//! The interpreter: one function, no clock, no file, no socket.

mod call;
mod event;
mod input;
mod output;

pub use call::{Ask, AskId, AskReason, Call, CallId, Outcome, Request, Usage};
pub use event::{Changes, Done, Emit, Event, EventKind, JOURNAL_VERSION, Spend, Write};
pub use input::{Given, Input, InputKind, Start, Time};
pub use output::Output;
