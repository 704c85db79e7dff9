//! Language models.

use super::{BoxFuture, View};
use crate::machine::{Call, Outcome};
use crate::value::Str;

/// Whoever answers for the model roles of a graph.
pub trait ModelClient: Send + Sync {
    /// Makes a call whose request is a [`Request::Model`](crate::machine::Request::Model). The answer is the model's
    /// text; the machine parses it against the answer's type.
    fn ask(&self, call: &Call, view: View<'_>) -> BoxFuture<'static, Outcome>;

    /// The name of the model that serves a role, for traces.
    fn model(&self, role: &str) -> Str {
        role.into()
    }
}
