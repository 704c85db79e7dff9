//! Language models.

use super::{BoxFuture, RunView};
use crate::machine::{Call, Outcome};
use crate::value::Str;

/// Whoever answers for the model roles of a graph.
pub trait ModelClient: Send + Sync {
    /// Makes a call whose request is a [`Request::Model`](crate::machine::Request::Model). The answer is the model's
    /// text; the machine parses it against the answer's type.
    fn ask(&self, call: &Call, view: RunView<'_>) -> BoxFuture<'static, Outcome>;

    /// The name of the model that serves a role, for traces.
    fn model(&self, role: &str) -> Str {
        role.into()
    }

    /// The provider of the model that serves a role, for traces, as OpenTelemetry names it.
    fn provider(&self, _role: &str) -> Option<Str> {
        None
    }
}

/// Sees answers as they arrive, of the nodes that have `stream`. What arrives is not stored: the answer may still turn out to
/// be none.
pub trait Listener: Send + Sync {
    /// The next piece of an answer's text.
    fn heard(&self, call: &Call, piece: &str);

    /// Discards the pieces of a call's answer that were heard so far. Another try may follow.
    fn dropped(&self, call: &Call);
}
