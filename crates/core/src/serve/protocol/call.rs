//! A call, as a tool sees the client that makes it.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::ProgressNotificationParam;
#[expect(deprecated, reason = "every released version of the protocol but the last has logging")]
use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam};
use rmcp::service::{Peer, RequestContext};
use serde_json::Value as Json;
use tokio::time::timeout;

/// The longest that a client may take to read how far the work is.
const MAX_TELLING: Duration = Duration::from_secs(1);

/// The level of a session below which nothing is logged to the client.
#[expect(deprecated, reason = "every released version of the protocol but the last has logging")]
#[derive(Debug, Clone)]
pub struct CallLog(Arc<Mutex<LoggingLevel>>);

#[expect(deprecated, reason = "every released version of the protocol but the last has logging")]
impl Default for CallLog {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(LoggingLevel::Info)))
    }
}

#[expect(deprecated, reason = "every released version of the protocol but the last has logging")]
impl CallLog {
    pub(super) fn set(&self, level: LoggingLevel) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = level;
    }

    fn takes(&self, level: LoggingLevel) -> bool {
        level as u8 >= *self.0.lock().unwrap_or_else(PoisonError::into_inner) as u8
    }
}

/// A call, as a tool sees the client that makes it.
pub struct ClientCall {
    context: RequestContext<RoleServer>,
    log: CallLog,
    /// True once the client could not be told of progress.
    is_deaf: AtomicBool,
}

impl ClientCall {
    pub(super) fn new(context: RequestContext<RoleServer>, log: CallLog) -> Self {
        Self { context, log, is_deaf: AtomicBool::new(false) }
    }

    /// The client, for questions that go beyond what is here.
    #[must_use]
    pub fn peer(&self) -> &Peer<RoleServer> {
        &self.context.peer
    }

    /// Tells the client how far the work is, if it asked for that. `done` only grows.
    pub async fn progress(&self, done: f64, total: Option<f64>, message: &str) {
        let Some(token) = self.context.meta.get_progress_token() else { return };
        if self.is_deaf.load(Ordering::Relaxed) {
            return;
        }
        let mut progress = ProgressNotificationParam::new(token, done).with_message(message);
        progress.total = total;
        // A client that does not read is told nothing more: the work does not wait for it.
        let sent = timeout(MAX_TELLING, self.context.peer.notify_progress(progress)).await;
        if !matches!(sent, Ok(Ok(()))) {
            self.is_deaf.store(true, Ordering::Relaxed);
        }
    }

    /// Logs to the client, if it wants to hear of that level.
    #[expect(deprecated, reason = "every released version of the protocol but the last has logging")]
    pub async fn log(&self, level: LoggingLevel, logger: &str, data: Json) {
        if self.log.takes(level) {
            let message = LoggingMessageNotificationParam::new(level, data).with_logger(logger);
            // A client that is gone hears nothing.
            let _gone = self.context.peer.notify_logging_message(message).await;
        }
    }

    /// True if the client puts forms to its user.
    #[must_use]
    pub fn can_ask(&self) -> bool {
        let capabilities = self.context.client_capabilities();
        // Clients of versions before there were kinds of questions declare an empty object, and mean forms.
        capabilities
            .and_then(|all| all.elicitation)
            .is_some_and(|kinds| kinds.form.is_some() || kinds.url.is_none())
    }

    /// Ends when the client has given the call up, or is gone.
    pub async fn cancelled(&self) {
        self.context.ct.cancelled().await;
    }

    /// True once [`Self::cancelled`] has ended.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.context.ct.is_cancelled()
    }
}

impl std::fmt::Debug for ClientCall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClientCall").field("id", &self.context.id).finish_non_exhaustive()
    }
}
