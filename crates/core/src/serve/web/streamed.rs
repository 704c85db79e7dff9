//! Answers of models on their way to whoever watches.

use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;

use crate::machine::{Call, CallId};
use crate::port::{Mask, MaskStream};
use crate::value::json::FieldReader;

/// The most answers that are on their way at once. Of further ones nothing is shown before they are there.
const MAX_ANSWERS: usize = 4_096;

/// The answers that are on their way: of each the field that may be shown, without the keys that its graph uses.
#[derive(Default)]
pub(super) struct StreamedAnswers(Mutex<FxHashMap<CallId, StreamedAnswer>>);

struct StreamedAnswer {
    /// None where the answer is the text.
    field: Option<FieldReader>,
    hidden: MaskStream,
}

impl StreamedAnswers {
    /// Takes a piece of an answer, and gives what may be shown.
    pub(super) fn push(&self, call: &Call, piece: &str, mask: &Mask) -> String {
        let mut answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !answers.contains_key(&call.id) && answers.len() >= MAX_ANSWERS {
            return String::new();
        }
        let answer = answers.entry(call.id.clone()).or_insert_with(|| StreamedAnswer {
            field: call.request.streamed_field().map(|field| FieldReader::new(field.as_str())),
            hidden: mask.stream(),
        });
        match &mut answer.field {
            None => answer.hidden.push(piece),
            Some(field) => {
                let text = field.push(piece);
                answer.hidden.push(&text)
            }
        }
    }

    /// Forgets an answer that has come or was dropped.
    pub(super) fn forget(&self, call: &CallId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(call);
    }
}
