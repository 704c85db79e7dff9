//! One call of a tool of a server.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientRequest, ErrorCode, ProgressToken, RequestId, ServerResult,
};
use rmcp::model::{CancelledNotification, CancelledNotificationParam};
use rmcp::service::{Peer, PeerRequestOptions, RequestHandle, RoleClient, ServiceError};
use rmcp::transport::streamable_http_client::StreamableHttpError;
use tokio::time::timeout;

use super::connection::Connection;
use super::handler::HandlerState;
use super::logins::scopes;
use super::pinned::PinnedTool;
use super::result::outcome;
use super::text::{MAX_MESSAGE, cut, with_causes};
use crate::config::McpTransport;
use crate::machine::{CallProgress, Outcome};
use crate::port::Claim;
use crate::program::error::ErrorKind;
use crate::value::{Map, Str, Value};

/// The time that it may take to tell a server that a call was given up.
const NOTICE: Duration = Duration::from_secs(2);

/// A call that was not made yet.
pub(super) struct PreparedCall {
    pub(super) tool: PinnedTool,
    pub(super) args: Map,
    pub(super) claim: Option<Claim>,
}

/// A call in progress. When this is dropped, the server is told that nobody waits for it any more.
struct CallInProgress {
    peer: Peer<RoleClient>,
    state: Arc<HandlerState>,
    id: RequestId,
    token: ProgressToken,
    is_over: bool,
}

impl PreparedCall {
    /// Makes it. What a server surely did not take, since it had forgotten the session, is sent once more.
    pub(super) async fn make(self) -> Outcome {
        match self.attempt().await {
            Attempt::Forgotten => match self.attempt().await {
                Attempt::Over(outcome) => *outcome,
                Attempt::Forgotten => self.never_sent("the server forgets each session at once"),
            },
            Attempt::Over(outcome) => *outcome,
        }
    }

    async fn attempt(&self) -> Attempt {
        // To start a server has a limit of its own.
        let connection = match self.pinned().await {
            Ok(connection) => connection,
            Err(refused) => return Attempt::Over(refused),
        };
        if self.claim.as_ref().is_some_and(Claim::is_over) {
            let why = "the run may be another driver's by now";
            return Attempt::over(Outcome::never_began(ErrorKind::Unavailable, why));
        }
        let mut params = CallToolRequestParams::new(self.tool.facts.name.clone());
        if let serde_json::Value::Object(args) = Value::Map(self.args.clone()).to_json() {
            params = params.with_arguments(args);
        }
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let sent = connection.peer().send_cancellable_request(request, PeerRequestOptions::no_options());
        match sent.await {
            Ok(handle) => self.answered(handle, &connection).await,
            Err(error) => {
                connection.give_up();
                Attempt::over(self.never_sent(&with_causes(&error)))
            }
        }
    }

    /// Waits for the answer.
    async fn answered(&self, mut handle: RequestHandle<RoleClient>, connection: &Connection) -> Attempt {
        let name = &self.tool.name;
        let mut call = CallInProgress {
            peer: connection.peer().clone(),
            state: Arc::clone(connection.state()),
            id: handle.id.clone(),
            token: handle.progress_token.clone(),
            is_over: false,
        };
        call.state.call_begins(&call.token, name.clone());
        let limit = self.tool.settings.time_limit();
        let state = Arc::clone(&call.state);
        let answer = tokio::select! {
            biased;
            answer = &mut handle.rx => answer,
            () = state.person_time().passed(limit) => {
                call.give_up("its time is over").await;
                let why = ecow::eco_format!("`{name}` did not answer within {} s", limit.as_secs_f64());
                let outcome = Outcome::failed(ErrorKind::Timeout, why).with_progress(CallProgress::CutOff);
                return Attempt::over(outcome);
            }
        };
        call.is_over = true;
        match answer.unwrap_or(Err(ServiceError::TransportClosed)) {
            Ok(result) => Attempt::over(self.finished(result).await),
            Err(error) => self.failed(&error, connection),
        }
    }

    /// The connection, where the server says of the tool what it said when the run began.
    async fn pinned(&self) -> Result<Arc<Connection>, Box<Outcome>> {
        let tool = &self.tool;
        let unavailable = |why: String| Box::new(Outcome::never_began(ErrorKind::Unavailable, why));
        let connection = tool.server.connection().await.map_err(unavailable)?;
        let catalogue = connection.catalogue(tool.server.config()).await;
        let catalogue = catalogue.map_err(|fault| unavailable(fault.to_string()))?;
        let denied = |why: Str| Box::new(Outcome::never_began(ErrorKind::Denied, why));
        let name = &tool.name;
        match catalogue.tools.get(&tool.facts.name) {
            Some(now) if *now == *tool.facts => Ok(connection),
            Some(now) if now.digest() == tool.facts.digest() => Ok(connection),
            Some(now) => {
                let lines = now.differences(&tool.facts).join("; ");
                Err(denied(ecow::eco_format!(
                    "`{name}` changed since it was granted: {}",
                    cut(&lines, MAX_MESSAGE)
                )))
            }
            None => Err(denied(ecow::eco_format!("the server has no tool `{name}` any more"))),
        }
    }

    async fn finished(&self, result: ServerResult) -> Outcome {
        let result = match result {
            ServerResult::CallToolResult(result) => result,
            // A result without contents.
            ServerResult::EmptyResult(_) => rmcp::model::CallToolResult::default(),
            _ => {
                let why = ecow::eco_format!("what `{}` answered is no result of a tool", &self.tool.name);
                return Outcome::failed(ErrorKind::ToolFailed, why);
            }
        };
        let tool = self.tool.clone();
        // Contents are decoded and written.
        let work = tokio::task::spawn_blocking(move || outcome(&tool, result)).await;
        work.unwrap_or_else(|_| Outcome::failed(ErrorKind::Internal, "the result was given up"))
    }

    /// The outcome of a call for which the login does not suffice.
    fn not_allowed(&self, challenge: &str) -> Outcome {
        let (name, config) = (&self.tool.name, self.tool.server.config());
        let scopes = match &config.transport {
            McpTransport::Http(target) => scopes(challenge, &target.url),
            McpTransport::Stdio(_) => None,
        };
        let more = scopes.map(|scopes| format!(" --scope '{scopes}'")).unwrap_or_default();
        let why = ecow::eco_format!(
            "the server wants another login for `{name}`: loopwright mcp login {}{more}",
            config.name
        );
        Outcome::never_began(ErrorKind::Denied, why)
    }

    fn never_sent(&self, why: &str) -> Outcome {
        let why = ecow::eco_format!("`{}` was not called: {}", &self.tool.name, cut(why, MAX_MESSAGE));
        Outcome::never_began(ErrorKind::Unavailable, why)
    }

    /// The outcome of a call that was sent and has no result.
    fn failed(&self, error: &ServiceError, connection: &Connection) -> Attempt {
        let name = &self.tool.name;
        if let ServiceError::McpError(error) = error {
            let kind = match error.code {
                ErrorCode::INVALID_PARAMS => ErrorKind::InvalidArgs,
                _ => ErrorKind::ToolFailed,
            };
            let message = cut(&error.message, MAX_MESSAGE);
            let why = ecow::eco_format!("`{name}` failed ({}): {message}", error.code.0);
            return Attempt::over(Outcome::failed(kind, why));
        }
        if let Some(challenge) = error.auth_challenge() {
            return Attempt::over(self.not_allowed(challenge));
        }
        // The next call has a new connection, even if something is left of this one.
        connection.give_up();
        let why = cut(&with_causes(error), MAX_MESSAGE);
        match Refused::of(error) {
            Some(Refused::Forgotten) => Attempt::Forgotten,
            Some(Refused::Unconnected) => Attempt::over(self.never_sent(&why)),
            Some(Refused::By(kind)) => {
                let why = ecow::eco_format!("the server did not take the call of `{name}`: {why}");
                Attempt::over(Outcome::never_began(kind, why))
            }
            None => {
                let last = connection.last_words();
                let why = ecow::eco_format!("the server was lost while `{name}` was called: {why}{last}");
                Attempt::over(
                    Outcome::failed(ErrorKind::Unavailable, why).with_progress(CallProgress::CutOff),
                )
            }
        }
    }
}

/// The result of sending a call.
enum Attempt {
    /// Its outcome.
    Over(Box<Outcome>),
    /// The server had forgotten the session, and took nothing.
    Forgotten,
}

impl Attempt {
    fn over(outcome: Outcome) -> Self {
        Self::Over(Box::new(outcome))
    }
}

/// The way in which a request surely did not reach a tool.
enum Refused {
    /// No connection was there.
    Unconnected,
    /// The server had forgotten the session.
    Forgotten,
    /// The server refused it.
    By(ErrorKind),
}

impl Refused {
    fn of(error: &ServiceError) -> Option<Self> {
        let ServiceError::TransportSend(sent) = error else { return None };
        let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(&*sent.error);
        while let Some(error) = cause {
            if error.downcast_ref::<reqwest::Error>().is_some_and(reqwest::Error::is_connect) {
                return Some(Self::Unconnected);
            }
            match error.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
                Some(StreamableHttpError::SessionExpired) => return Some(Self::Forgotten),
                Some(StreamableHttpError::AuthRequired(_) | StreamableHttpError::InsufficientScope(_)) => {
                    return Some(Self::By(ErrorKind::Denied));
                }
                Some(StreamableHttpError::HttpStatus(status)) if status.status == 429 => {
                    return Some(Self::By(ErrorKind::RateLimited));
                }
                _ => {}
            }
            cause = error.source();
        }
        None
    }
}

impl CallInProgress {
    /// Tells the server that nobody waits any more, as far as it listens.
    async fn give_up(&mut self, why: &str) {
        self.is_over = true;
        // A server that does not take it is as lost as one that does not answer.
        let _notified = timeout(NOTICE, notify(self.peer.clone(), self.id.clone(), why.to_owned())).await;
    }
}

impl Drop for CallInProgress {
    fn drop(&mut self) {
        self.state.call_ends(&self.token);
        if !self.is_over
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let notice = notify(self.peer.clone(), self.id.clone(), "it was given up".to_owned());
            runtime.spawn(timeout(NOTICE, notice));
        }
    }
}

async fn notify(peer: Peer<RoleClient>, id: RequestId, why: String) {
    let params = CancelledNotificationParam::new(Some(id), Some(why));
    // It is gone, which is what it would be told.
    let _gone = peer.send_notification(CancelledNotification::new(params).into()).await;
}
