//! The question that an answer is for.

use crate::machine::{Question, Snapshot};
use crate::value::Str;

/// The fault for which no question is meant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// The run asks nothing.
    #[error("it asks nothing")]
    Nothing,
    /// Several questions are open, and none was named.
    #[error("it asks several questions: {}", names(.0))]
    Several(Vec<Str>),
    /// The question that was named is not open.
    #[error("it does not ask `{id}`; open are {}", names(.open))]
    Unknown {
        /// The question that was named.
        id: Str,
        /// Those that are open.
        open: Vec<Str>,
    },
}

/// The names of questions as a fault lists them.
fn names(ids: &[Str]) -> String {
    ids.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ")
}

/// The question that is meant: the one of that id, or the only one that is open.
///
/// # Errors
/// None is meant, or no single one.
pub fn open_question<'s>(snapshot: &'s Snapshot, id: Option<&str>) -> Result<&'s Question, AnswerError> {
    let asks: Vec<&Question> = snapshot.asks().collect();
    let open = || asks.iter().map(|ask| ask.id.0.clone()).collect();
    match (id, asks.as_slice()) {
        (_, []) => Err(AnswerError::Nothing),
        (None, [ask]) => Ok(*ask),
        (None, _) => Err(AnswerError::Several(open())),
        (Some(id), all) => {
            let found = all.iter().find(|ask| ask.id.0 == *id).copied();
            found.ok_or_else(|| AnswerError::Unknown { id: id.into(), open: open() })
        }
    }
}
