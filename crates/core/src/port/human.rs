//! People.

use super::{BoxFuture, RunView};
use crate::machine::Question;
use crate::value::Value;

/// Whoever answers questions.
pub trait Human: Send + Sync {
    /// Puts a question to a person. The future is dropped when nobody waits for the answer any more.
    fn ask(&self, ask: &Question, view: RunView<'_>) -> BoxFuture<'static, HumanReply>;

    /// Puts a question of a tool to a person, in the middle of its call. It is no part of the run and is not stored. The
    /// future is dropped when nobody waits for the answer any more.
    fn ask_for_tool(&self, _ask: &Question) -> BoxFuture<'static, HumanReply> {
        Box::pin(async { HumanReply::Unattended })
    }
}

/// The result of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum HumanReply {
    /// An answer; the machine checks that it fits.
    Answer(Value),
    /// Nobody is here: the run waits, and its driver returns.
    Unattended,
}
