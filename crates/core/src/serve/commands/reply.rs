//! The reply of a command.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::diag::{self, Diagnostic};
use crate::source::Sources;
use crate::source::display::line;

/// The reply of a command.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CommandReply {
    /// The reply for people and models.
    pub text: String,
    /// The same for programs; none where the command was not carried out.
    pub structured: Option<Json>,
    /// True if the command was not carried out. Findings of `check` and failed scenarios of `test` are results.
    pub failed: bool,
}

impl CommandReply {
    /// The reply of a command that was carried out.
    pub(super) fn done(text: String, structured: Json) -> Self {
        Self { text, structured: Some(structured), failed: false }
    }

    /// The reply to what cannot be carried out, and why.
    #[must_use]
    pub fn refused(why: &str) -> Self {
        Self { text: format!("error: {}\n", line(why)), structured: None, failed: true }
    }

    /// The reply where findings keep the command from being carried out; `what` was not done.
    pub(super) fn not_done(what: &str, findings: &[Diagnostic], sources: &Sources) -> Self {
        let shown = diag::text::render(findings, sources, false);
        let text = format!("{shown}{what}: {}\n", diag::text::summary(findings));
        let structured = serde_json::json!({"findings": diag::json::render(findings, sources)});
        Self { text, structured: Some(structured), failed: true }
    }
}
