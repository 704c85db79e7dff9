//! Outputs of the machine.

use super::call::{Call, CallId, Question, QuestionId};
use super::event::{Done, Event};
use super::input::Time;

/// One output. Outputs of one step are acted on in order; a [`Output::Record`] is durable before any later one is
/// acted on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Output {
    /// Keep this.
    Record(Event),
    /// Make this call and bring back its outcome.
    Call(Box<Call>),
    /// Nobody waits for this call any more.
    Cancel(CallId),
    /// Ask a person.
    Ask(Box<Question>),
    /// Nobody waits for this answer any more.
    Withdraw(QuestionId),
    /// Send [`InputKind::Time`](super::InputKind::Time) at this time, or later.
    Wait(Time),
    /// A person chose to go back: restore the snapshot that was current at this step.
    Rollback {
        /// The step.
        step: u64,
    },
    /// The run ended.
    Done(Box<Done>),
}
