//! Replies that are no answer, by kinds of error.

use super::transport::HttpReply;
use crate::machine::{CallProgress, Outcome, Usage};
use crate::program::error::ErrorKind;
use crate::value::{Map, Value};
use crate::wire::{Complaint, PartialReply};

/// The most of a provider's own words that is passed on, in characters.
const MAX_QUOTED_CHARS: usize = 500;

/// A try that gave no answer.
#[derive(Debug)]
pub(super) struct AttemptError {
    /// The kind of error.
    pub(super) kind: ErrorKind,
    pub(super) message: String,
    /// True if another attempt may be made here: nothing of a reply was seen.
    pub(super) again: bool,
    /// The wait the provider asks for, in nanoseconds.
    pub(super) retry_after: Option<i64>,
    /// The reply so far.
    pub(super) reply: Option<Box<PartialReply>>,
}

impl AttemptError {
    /// A miss that another try here does not mend.
    pub(super) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), again: false, retry_after: None, reply: None }
    }

    /// The provider could not be reached, or said nothing.
    pub(super) fn unavailable(message: impl Into<String>) -> Self {
        Self { again: true, ..Self::new(ErrorKind::Unavailable, message) }
    }

    /// Says what had come of the reply. Then there is no second try: it would be another answer to the same call.
    pub(super) fn after(self, reply: PartialReply) -> Self {
        let seen = !reply.text.is_empty();
        Self { again: self.again && !seen, reply: Some(Box::new(reply)), ..self }
    }

    /// The error of a status other than success.
    pub(super) fn refused(head: &HttpReply, body: &str, retry_after: Option<i64>) -> Self {
        let complaint = Complaint::of_body(body);
        let status = head.status;
        if (300..400).contains(&status) {
            let to = head.header("location").map(short).unwrap_or_default();
            return Self::new(
                ErrorKind::Denied,
                format!("the provider sends on to `{to}`; redirects are not followed"),
            );
        }
        let (kind, again) = kind_of(status, &complaint);
        let message = format!("the provider answered {status}: {}", words(&complaint));
        Self { again, retry_after: retry_after.or(complaint.wait), ..Self::new(kind, message) }
    }

    /// The error of a complaint in the middle of a reply.
    pub(super) fn failed(complaint: &Complaint) -> Self {
        let (kind, again) = kind_of(complaint.status.unwrap_or(500), complaint);
        let message = format!("the provider failed in its reply: {}", words(complaint));
        Self { again, retry_after: complaint.wait, ..Self::new(kind, message) }
    }

    /// The error of a reply that is no stream. A server that answers whole does so the next time, at the same price; what is
    /// not even JSON may come of something on the way to it.
    pub(super) fn no_stream(body: &str) -> Self {
        let message = format!("the provider sent no stream: {}", short(body));
        let whole = serde_json::from_str::<serde::de::IgnoredAny>(body).is_ok();
        if whole { Self::new(ErrorKind::Denied, message) } else { Self::unavailable(message) }
    }

    /// As what comes back of the call.
    pub(super) fn outcome(self, usage: Usage) -> Outcome {
        let mut details = Map::new();
        if let Some(reply) = &self.reply {
            details.set("raw", reply.text.as_str());
            if let Some(refusal) = &reply.refusal {
                details.set("refusal", refusal.as_str());
            }
        }
        let details = if details.is_empty() { Value::Null } else { Value::Map(details) };
        Outcome::Failed {
            kind: self.kind.into(),
            message: self.message.into(),
            details,
            usage,
            retry_after: self.retry_after,
            progress: CallProgress::Unsaid,
            attempts: Vec::new(),
        }
    }
}

/// Words for a prompt that is longer than the model reads.
const TOO_LONG: [&str; 10] = [
    "context length",
    "context limit",
    "context size",
    "context window",
    "maximum context",
    "maximum model length",
    "maximum number of tokens",
    "maximum prompt length",
    "prompt is too long",
    "reduce the length of the messages",
];

/// Words of providers for what no other try mends: a used-up account, a wrong key, a request they do not understand.
const FINAL: [&str; 7] = [
    "insufficient_quota",
    "billing",
    "authentication",
    "permission",
    "invalid_request",
    "api_key",
    "not_found",
];

/// The kind of error that a status and the provider's words mean, and true if another try may help.
fn kind_of(status: u16, complaint: &Complaint) -> (ErrorKind, bool) {
    let (word, wording) = (complaint.word.to_lowercase(), complaint.wording.to_lowercase());
    let names = |words: &[&str]| words.iter().any(|one| word.contains(one));
    let says = |words: &[&str]| words.iter().any(|one| wording.contains(one));
    match status {
        _ if names(&["context_length", "context_window", "exceed_context", "too_large"]) => {
            (ErrorKind::ContextLimit, false)
        }
        _ if says(&TOO_LONG) => (ErrorKind::ContextLimit, false),
        413 => (ErrorKind::ContextLimit, false),
        _ if names(&["content_filter", "content_policy"]) || says(&["content filtering policy"]) => {
            (ErrorKind::InvalidOutput, false)
        }
        _ if names(&FINAL) => (ErrorKind::Denied, false),
        429 => (ErrorKind::RateLimited, true),
        _ if names(&["rate_limit", "resource_exhausted"]) => (ErrorKind::RateLimited, true),
        408 | 409 | 425 | 500.. => (ErrorKind::Unavailable, true),
        _ => (ErrorKind::Denied, false),
    }
}

/// The words of a provider, or that there are none.
fn words(complaint: &Complaint) -> String {
    if complaint.wording.is_empty() { "it does not say why".to_owned() } else { short(&complaint.wording) }
}

/// The beginning of somebody else's words.
pub(super) fn short(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(MAX_QUOTED_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
