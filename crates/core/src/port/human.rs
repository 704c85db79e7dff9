//! People.

use super::{BoxFuture, RunView};
use crate::machine::Question;
use crate::value::Value;

/// Whoever answers questions.
pub trait Human: Send + Sync {
    /// Puts a question to a person. The future is dropped when nobody waits for the answer any more.
    fn ask(&self, ask: &Question, view: RunView<'_>) -> BoxFuture<'static, HumanReply>;
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
