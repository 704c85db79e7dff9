//! One small request to an entry, to learn whether it answers.

use std::time::Duration;

use futures::FutureExt;

use super::attempt_error::AttemptError;
use super::{Live, ModelEntry};
use crate::machine::{AttemptFault, Call, CallId, Request};
use crate::port::BoxFuture;
use crate::value::{List, Value};

/// The longest wait for a byte of the reply.
const MAX_SILENCE: Duration = Duration::from_mins(1);

/// The tokens that the answer may have: it is thrown away.
const MAX_TOKENS: u32 = 1;

impl Live {
    /// Asks an entry for one token, once and without a fallback, and gives the error if it does not answer; none if there
    /// is no such entry. An answer that is cut off after its token is an answer.
    #[must_use]
    pub fn test(&self, entry: &str) -> Option<BoxFuture<'static, Result<(), AttemptFault>>> {
        let ModelEntry { config, key, pace } = &**self.entries.get(entry)?;
        let mut config = config.clone();
        config.target.max_tokens = Some(MAX_TOKENS);
        // There is no room for it.
        config.target.reasoning = None;
        config.silence = config.silence.min(MAX_SILENCE);
        let entry = ModelEntry { config, key: key.clone(), pace: pace.clone() };
        let asked = self.call(&call(), (&"".into(), &List::new()), &entry.into())?;
        let ended = |error: AttemptError| match &error.reply {
            Some(reply) if reply.is_whole() && reply.refusal.is_none() => Ok(()),
            _ => Err(error.fault()),
        };
        Some(async move { asked.once().await.map_or_else(ended, |_| Ok(())) }.boxed())
    }
}

/// The call of a test request, which no run makes.
fn call() -> Call {
    let request = Request::Model {
        role: "test".into(),
        system: None,
        prompt: "Say yes.".into(),
        messages: None,
        offer: None,
        limits: None,
        schema: Value::Null,
        stream: None,
        cache: false,
    };
    Call {
        id: CallId("test".into()),
        node: "test".into(),
        lane: "".into(),
        attempt: 1,
        timeout: None,
        deadline: None,
        request,
    }
}
