//! The way to a provider.

use std::fmt;

use crate::port::BoxFuture;
use crate::wire::Secret;

/// Carries requests to providers. Redirects are not followed: a key goes where the operator sent it, and nowhere else.
pub trait Transport: Send + Sync {
    /// Sends a request and gives the head of the reply; its body comes piece by piece. Dropping the future, or the body,
    /// gives the request up.
    fn post(&self, request: HttpRequest) -> BoxFuture<'static, Result<HttpReply, ConnectionError>>;
}

/// A request: always a `POST` of JSON.
#[derive(Debug, Clone)]
pub struct HttpRequest {
    /// The address of the request.
    pub url: String,
    /// Headers beside `content-type`, names in lower case.
    pub headers: Vec<(&'static str, Secret)>,
    /// The request as JSON.
    pub body: Vec<u8>,
}

/// The head of a reply, and its body.
pub struct HttpReply {
    /// The status code.
    pub status: u16,
    /// The headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Box<dyn ReplyBody>,
}

impl HttpReply {
    /// The value of a header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }
}

impl fmt::Debug for HttpReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpReply").field("status", &self.status).finish_non_exhaustive()
    }
}

/// The body of a reply.
pub trait ReplyBody: Send {
    /// The next piece; none at the end. A body that stops before it is whole is broken, not at its end.
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Vec<u8>>, ConnectionError>>;
}

/// A connection that failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ConnectionError(pub String);
