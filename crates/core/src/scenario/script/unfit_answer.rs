//! Scripted answers that do not fit their types.

use crate::machine::{CallId, EventKind, Outcome};
use crate::program::error::ErrorKind;
use crate::source::Span;

/// An answer of a script that was refused where it was to go. A scenario may mean it so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnfitAnswer {
    /// The answer.
    pub span: Span,
    /// In words: how it does not fit.
    pub why: String,
}

/// The last call of a frame, and if it came back with a value.
#[derive(Debug, Clone)]
pub(super) struct LastCall {
    pub(super) call: CallId,
    pub(super) is_value: bool,
}

impl LastCall {
    /// Takes the next event of its frame; the call and the reason, if the event refuses the value.
    pub(super) fn next(&mut self, kind: &EventKind) -> Option<(CallId, String)> {
        let why = match kind {
            EventKind::Resolved { outcome, .. } => {
                self.is_value = matches!(**outcome, Outcome::Answer { .. });
                return None;
            }
            EventKind::Failed { error, .. } if self.is_value => {
                let field = |name: &str| error.as_map()?.get(name)?.as_str();
                if field("kind") != Some(ErrorKind::InvalidOutput.name()) {
                    return None;
                }
                field("message").unwrap_or_default().to_owned()
            }
            EventKind::Retrying { .. } if self.is_value => "another one is asked for".to_owned(),
            _ => return None,
        };
        self.is_value = false;
        Some((self.call.clone(), why))
    }
}
