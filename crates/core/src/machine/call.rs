//! Requests of the machine to the world, and their outcomes.

use serde::{Deserialize, Serialize};

use crate::program::error::ErrorKind;
use crate::program::graph::Delivery;
use crate::value::{List, Map, Str, Value};

/// Id of a call, made of run, frame path, node, visit and attempt: the idempotency key handed to tools.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CallId(pub Str);

/// Id of a question to a person, made like a [`CallId`].
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct QuestionId(pub Str);

/// A request to a model or a tool.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Call {
    /// Its id.
    pub id: CallId,
    /// The node that asks.
    pub node: Str,
    /// The lane and frame path, empty for the root graph.
    #[serde(default, skip_serializing_if = "Str::is_empty")]
    pub lane: Str,
    /// The attempt, from 1.
    pub attempt: u32,
    /// The node's `timeout`, in nanoseconds; every attempt has it anew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<i64>,
    /// The deadline of the wait, in nanoseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<i64>,
    /// The request.
    pub request: Request,
}

impl Call {
    /// Returns true if it may reach its tool at most once.
    #[must_use]
    pub const fn is_once(&self) -> bool {
        matches!(self.request, Request::Tool { delivery: Delivery::AtMostOnce, .. })
    }
}

/// The request of a call.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Request {
    /// One answer of a model.
    Model {
        /// The role; the operator's configuration says which model serves it.
        role: Str,
        /// The rendered system text, if the node has one.
        system: Option<Str>,
        /// The rendered prompt; empty where there are messages.
        prompt: Str,
        /// The messages of a conversation, as `Message` records.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        messages: Option<List>,
        /// The names of the tools that the model may ask to call; none where the answer holds no calls. The run's catalogue
        /// describes them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        offer: Option<List>,
        /// JSON Schema of the answer; null asks for raw text.
        schema: Value,
        /// JSON Schemas by field that the answer has to fit beside its type. They are in the schema as well.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        limits: Option<Map>,
        /// The field whose partial text observers may see.
        stream: Option<Str>,
        /// True if an equal request may be answered from the cache.
        cache: bool,
    },
    /// One call of a tool.
    Tool {
        /// The name of the tool.
        tool: Str,
        /// The arguments by name.
        args: Map,
        /// The number of times the call may reach it.
        delivery: Delivery,
    },
}

impl Request {
    /// The kind of thing that is called, `model` or `tool`, and its name: a role or the name of a tool.
    #[must_use]
    pub const fn called(&self) -> (&'static str, &Str) {
        match self {
            Self::Model { role, .. } => ("model", role),
            Self::Tool { tool, .. } => ("tool", tool),
        }
    }

    /// The field of a model's answer whose text may be shown as it arrives; [`None`] where the answer itself is the text, or where nothing of it may
    /// be shown.
    #[must_use]
    pub fn streamed_field(&self) -> Option<&Str> {
        match self {
            Self::Model { stream: Some(field), schema, offer: None, .. } if !schema.is_null() => Some(field),
            _ => None,
        }
    }

    /// The arguments by name; [`None`] for a model.
    #[must_use]
    pub const fn args(&self) -> Option<&Map> {
        match self {
            Self::Model { .. } => None,
            Self::Tool { args, .. } => Some(args),
        }
    }
}

/// The outcome of a call.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Outcome {
    /// An answer: a model's text (a string, parsed by the machine) or, where tools were offered, a map with `text`,
    /// `tool_calls`, `finish`, `reasoning` and `signed`; a tool's value.
    Answer {
        /// The answer.
        value: Value,
        /// The cost.
        #[serde(default, skip_serializing_if = "Usage::is_free")]
        usage: Usage,
        /// The attempts of models that led to it, in order; empty for a tool, and where nobody says.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        attempts: Vec<ModelAttempt>,
    },
    /// A failure.
    Failed {
        /// The kind of error: `tool_failed`, `unavailable`, `rate_limited`, `context_limit`, `denied`, or one of the
        /// graph's own.
        kind: Str,
        /// The message, for people and for guards.
        message: Str,
        /// Details, as JSON.
        details: Value,
        /// The cost in spite of the failure.
        #[serde(default, skip_serializing_if = "Usage::is_free")]
        usage: Usage,
        /// The provider asks to wait so many nanoseconds before the next attempt.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_after: Option<i64>,
        /// The progress that the call had made.
        #[serde(default, skip_serializing_if = "CallProgress::is_unsaid")]
        progress: CallProgress,
        /// The attempts of models that led to it, in order; empty for a tool, and where nobody says.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        attempts: Vec<ModelAttempt>,
    },
    /// The outcome of the call is unknown (a crash, a lost connection).
    Unknown {
        /// The known facts, as a message.
        message: Str,
    },
}

impl Outcome {
    /// An answer without cost.
    #[must_use]
    pub fn answer(value: impl Into<Value>) -> Self {
        Self::Answer { value: value.into(), usage: Usage::default(), attempts: Vec::new() }
    }

    /// A failure without cost or details.
    #[must_use]
    pub fn failed(kind: impl Into<Str>, message: impl Into<Str>) -> Self {
        Self::Failed {
            kind: kind.into(),
            message: message.into(),
            details: Value::Null,
            usage: Usage::default(),
            retry_after: None,
            progress: CallProgress::Unsaid,
            attempts: Vec::new(),
        }
    }

    /// A failure of a call that surely never began: it may be made again, however often it may reach its tool.
    #[must_use]
    pub fn never_began(kind: impl Into<Str>, message: impl Into<Str>) -> Self {
        Self::failed(kind, message).with_progress(CallProgress::NeverBegan)
    }

    /// The same outcome with what it cost.
    #[must_use]
    pub fn with_usage(mut self, cost: Usage) -> Self {
        if let Self::Answer { usage, .. } | Self::Failed { usage, .. } = &mut self {
            *usage = cost;
        }
        self
    }

    /// The same outcome with the attempts of models that led to it.
    #[must_use]
    pub fn with_attempts(mut self, made: Vec<ModelAttempt>) -> Self {
        if let Self::Answer { attempts, .. } | Self::Failed { attempts, .. } = &mut self {
            *attempts = made;
        }
        self
    }

    /// The same outcome; of a failure it says how far the call came.
    #[must_use]
    pub fn with_progress(mut self, reached: CallProgress) -> Self {
        if let Self::Failed { progress, .. } = &mut self {
            *progress = reached;
        }
        self
    }

    /// Returns the outcome for a call that may reach its tool at most once: where it was ended in the middle, or its time
    /// was over, nobody knows what it did.
    #[must_use]
    pub fn of_once(self) -> Self {
        match self {
            Self::Failed { message, progress: CallProgress::CutOff, .. } => Self::Unknown { message },
            Self::Failed { kind, message, progress: CallProgress::Unsaid, .. }
                if ErrorKind::Timeout.is(&kind) =>
            {
                Self::Unknown { message }
            }
            other => other,
        }
    }
}

/// The progress of a call that failed, as far as its host knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Default)]
#[non_exhaustive]
pub enum CallProgress {
    /// Its host says nothing of it.
    #[default]
    Unsaid,
    /// It never began: nothing of it reached the tool.
    NeverBegan,
    /// It was ended in the middle of its work, of which nobody knows how much was done.
    CutOff,
}

impl CallProgress {
    /// Returns true if there is nothing to report.
    #[must_use]
    pub const fn is_unsaid(&self) -> bool {
        matches!(self, Self::Unsaid)
    }
}

/// The cost of a call. Tokens of a kind of their own are part of those read or written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Default)]
pub struct Usage {
    /// Tokens read, all kinds together.
    pub input_tokens: u64,
    /// Tokens read that came out of the provider's cache.
    #[serde(default, skip_serializing_if = "is_none")]
    pub cached_tokens: u64,
    /// Tokens read that the provider put into its cache.
    #[serde(default, skip_serializing_if = "is_none")]
    pub cache_write_tokens: u64,
    /// Tokens written, all kinds together.
    pub output_tokens: u64,
    /// Tokens written that are reasoning.
    #[serde(default, skip_serializing_if = "is_none")]
    pub reasoning_tokens: u64,
    /// Money, in billionths of a dollar.
    pub cost: u64,
}

impl Usage {
    /// Returns true if it cost nothing that is counted.
    #[must_use]
    pub const fn is_free(&self) -> bool {
        self.input_tokens == 0 && self.output_tokens == 0 && self.cost == 0
    }

    /// Both together.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            cached_tokens: self.cached_tokens.saturating_add(other.cached_tokens),
            cache_write_tokens: self.cache_write_tokens.saturating_add(other.cache_write_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            reasoning_tokens: self.reasoning_tokens.saturating_add(other.reasoning_tokens),
            cost: self.cost.saturating_add(other.cost),
        }
    }

    /// The kinds of tokens, with their names in a report; of the kinds that only some replies have, those that occurred.
    pub fn kinds(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let own = |name, count: u64| (count > 0).then_some((name, count));
        [
            Some(("input_tokens", self.input_tokens)),
            own("cached_tokens", self.cached_tokens),
            own("cache_write_tokens", self.cache_write_tokens),
            Some(("output_tokens", self.output_tokens)),
            own("reasoning_tokens", self.reasoning_tokens),
        ]
        .into_iter()
        .flatten()
    }
}

/// One attempt of a model to answer a call: the request was sent once, or was refused before it was sent.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ModelAttempt {
    /// The entry of the configuration that was asked.
    pub entry: Str,
    /// The provider's name of the model.
    pub model: Str,
    /// The time at which the request was sent, in nanoseconds since 1970.
    pub at: i64,
    /// The wait for its turn before that, in nanoseconds: see `requests_per_minute`, `tokens_per_minute` and `at_once`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub waited: i64,
    /// The kind of error and its message; none where it answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<AttemptFault>,
    /// The cost of this attempt.
    #[serde(default, skip_serializing_if = "Usage::is_free")]
    pub usage: Usage,
    /// The files that it sent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<SentFile>,
}

/// A file that was sent to a model. Its content is not stored.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SentFile {
    /// The path, as the message has it.
    pub path: Str,
    /// The BLAKE3 digest of its content, in hexadecimal.
    pub digest: Str,
    /// Its size, in bytes.
    pub bytes: u64,
}

impl SentFile {
    /// The record of a file with this content.
    #[must_use]
    pub fn new(path: &str, content: &[u8]) -> Self {
        let digest = blake3::hash(content).to_hex();
        Self { path: path.into(), digest: digest.as_str().into(), bytes: content.len() as u64 }
    }
}

/// The error of an attempt.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AttemptFault {
    /// The kind of error.
    pub kind: Str,
    /// The message.
    pub message: Str,
    /// True if a limit of the run refused the attempt: nothing was sent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub refused: bool,
}

impl ModelAttempt {
    /// Returns true if the provider was asked.
    #[must_use]
    pub fn was_sent(&self) -> bool {
        self.error.as_ref().is_none_or(|fault| !fault.refused)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
const fn is_none(tokens: &u64) -> bool {
    *tokens == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
const fn is_zero(nanos: &i64) -> bool {
    *nanos == 0
}

/// A question to a person.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Question {
    /// Its id.
    pub id: QuestionId,
    /// The node the run is at.
    pub node: Str,
    /// The lane and frame path, empty for the root graph.
    #[serde(default, skip_serializing_if = "Str::is_empty")]
    pub lane: Str,
    /// The reason for the question.
    pub reason: QuestionReason,
    /// The text of the question.
    pub text: Str,
    /// JSON Schema of the answer.
    pub schema: Value,
    /// The fault of the previous answer; empty if there was none. It is shown to the person once and never
    /// stored.
    #[serde(default, skip_serializing_if = "Str::is_empty")]
    pub misfit: Str,
    /// The deadline of the wait, in nanoseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<i64>,
}

/// The reason for asking a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum QuestionReason {
    /// A `human` node.
    Node,
    /// A `pause`: the answer is `resume`, `abort` or `{rollback: n}`.
    Pause,
    /// A call whose outcome is not known: the answer is `retry`, `fail` or `{result: …}`.
    Unknown,
    /// A call that wants an approval: the answer is `{approve: HASH}`, with the hash of the tool and its arguments, or
    /// `deny`.
    Approval,
}

impl QuestionReason {
    /// The reason in one word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Node => "node",
            Self::Pause => "pause",
            Self::Unknown => "unknown",
            Self::Approval => "approval",
        }
    }
}
