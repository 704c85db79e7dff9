//! Calls that a person changes with the yes to them.

use super::answer::asking;
use super::call::{Call, QuestionId};
use super::snapshot::{Phase, Snapshot};
use super::yes::Yes;
use crate::value::Value;

/// The call as an answer changes it; none where the answer changes nothing or does not fit the question.
#[must_use]
pub fn edited_call(snapshot: &Snapshot, ask: &QuestionId, answer: &Value) -> Option<Call> {
    let Phase::Approving { ask, call } = &snapshot.lane(asking(snapshot, ask)?)?.phase else { return None };
    match Yes::of(answer, ask.approval()?) {
        Ok(yes @ Yes::Edited(_)) => Some(yes.to((**call).clone())),
        _ => None,
    }
}
