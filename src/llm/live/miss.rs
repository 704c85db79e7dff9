//! Replies that are no answer, by kinds of error.

use super::reply::Reply;
use super::transport::HttpReply;
use super::wire;
use crate::machine::{Outcome, Usage};
use crate::value::{Map, Value};

/// The most of a provider's own words that is passed on, in characters.
const WORDS: usize = 500;

/// A try that gave no answer.
#[derive(Debug)]
pub(super) struct Miss {
    /// The kind of error.
    pub(super) kind: &'static str,
    pub(super) message: String,
    /// Whether another try may be made here: nothing of a reply was seen.
    pub(super) again: bool,
    /// How long the provider asks to wait, in nanoseconds.
    pub(super) retry_after: Option<i64>,
    /// What has come of the reply.
    pub(super) reply: Option<Box<Reply>>,
}

impl Miss {
    /// A miss that another try here does not mend.
    pub(super) fn new(kind: &'static str, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), again: false, retry_after: None, reply: None }
    }

    /// The provider could not be reached, or said nothing.
    pub(super) fn unavailable(message: impl Into<String>) -> Self {
        Self { again: true, ..Self::new("unavailable", message) }
    }

    /// Says what had come of the reply. Then there is no second try: it would be another answer to the same call.
    pub(super) fn after(self, reply: Reply) -> Self {
        let seen = !reply.text.is_empty();
        Self { again: self.again && !seen, reply: Some(Box::new(reply)), ..self }
    }

    /// What a status other than success means.
    pub(super) fn refused(head: &HttpReply, body: &str, retry_after: Option<i64>) -> Self {
        let (word, said) = wire::complaint(body);
        let status = head.status;
        let said = if said.is_empty() { "it does not say why".to_owned() } else { short(&said) };
        if (300..400).contains(&status) {
            let to = head.header("location").map(short).unwrap_or_default();
            return Self::new(
                "denied",
                format!("the provider sends on to `{to}`; redirects are not followed"),
            );
        }
        let (kind, again) = kind_of(status, &word, &said);
        let message = format!("the provider answered {status}: {said}");
        Self { again, retry_after, ..Self::new(kind, message) }
    }

    /// What the provider says in the middle of a reply.
    pub(super) fn failed(word: &str, said: &str) -> Self {
        let (kind, again) = kind_of(500, word, said);
        Self { again, ..Self::new(kind, format!("the provider failed in its reply: {}", short(said))) }
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
        }
    }
}

/// The kind of error behind a status and the provider's words, and whether another try may help.
fn kind_of(status: u16, word: &str, said: &str) -> (&'static str, bool) {
    let says = |words: &[&str]| words.iter().any(|one| word.contains(one));
    let too_long =
        ["context length", "context window", "context size", "prompt is too long", "maximum context"];
    let long = says(&["context_length", "context_window", "exceed_context"])
        || too_long.iter().any(|words| said.to_lowercase().contains(words));
    match status {
        _ if long => ("context_limit", false),
        413 => ("context_limit", false),
        _ if says(&["insufficient_quota", "billing", "authentication", "permission", "invalid_request"]) => {
            ("denied", false)
        }
        429 => ("rate_limited", true),
        _ if says(&["rate_limit", "RESOURCE_EXHAUSTED"]) => ("rate_limited", true),
        408 | 409 | 425 | 500.. => ("unavailable", true),
        _ => ("denied", false),
    }
}

/// The beginning of somebody else's words.
pub(super) fn short(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(WORDS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
