//! The guard of the door: token, host and origin of a request, and the number of sessions.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;

use super::{BearerToken, MAX_SESSIONS};

/// The header by which a request belongs to a session.
const SESSION: &str = "mcp-session-id";

/// The checks of a request before it is read.
pub(super) struct Door {
    pub(super) token: Option<BearerToken>,
    pub(super) sessions: Arc<LocalSessionManager>,
}

/// Lets a request in, or says why not.
pub(super) async fn pass(State(door): State<Arc<Door>>, request: Request, next: Next) -> Response {
    if let Some(token) = &door.token
        && !brings(&request, token)
    {
        let why = "a token is asked for: Authorization: Bearer TOKEN\n";
        return (StatusCode::UNAUTHORIZED, [(WWW_AUTHENTICATE, "Bearer")], why).into_response();
    }
    let begins = request.method() == Method::POST && !request.headers().contains_key(SESSION);
    if begins && door.sessions.sessions.read().await.len() >= MAX_SESSIONS {
        let why = "there are as many sessions as are served at once; end one, or try later\n";
        return (StatusCode::SERVICE_UNAVAILABLE, why).into_response();
    }
    next.run(request).await
}

fn brings(request: &Request, token: &BearerToken) -> bool {
    let given = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let given = given.and_then(|value| value.split_once(' '));
    given.is_some_and(|(scheme, text)| scheme.eq_ignore_ascii_case("bearer") && token.fits(text.trim()))
}
