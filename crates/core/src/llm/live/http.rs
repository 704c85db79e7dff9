//! The real way to a provider.

use std::sync::Once;

use futures::FutureExt;
use reqwest::redirect::Policy;
use reqwest::{Client, Response};

use super::transport::{ConnectionError, HttpReply, HttpRequest, ReplyBody, Transport};
use crate::port::BoxFuture;

/// HTTP over TLS, with the certificates of the system. Proxies are taken from the usual variables of the environment.
#[derive(Debug, Clone)]
pub struct Http(Client);

impl Http {
    /// A client. Connections are kept and used again.
    ///
    /// # Errors
    /// Where TLS cannot be set up, such as on a system without certificates.
    pub fn new() -> Result<Self, ConnectionError> {
        static RING: Once = Once::new();
        // Another part of the program may have chosen already, which is as good.
        RING.call_once(|| drop(rustls::crypto::ring::default_provider().install_default()));
        let agent = concat!("loopwright/", env!("CARGO_PKG_VERSION"));
        let client = Client::builder().redirect(Policy::none()).user_agent(agent).build();
        client.map(Self).map_err(|error| broken(&error))
    }
}

impl Transport for Http {
    fn post(&self, request: HttpRequest) -> BoxFuture<'static, Result<HttpReply, ConnectionError>> {
        let mut post = self.0.post(request.url).header("content-type", "application/json").body(request.body);
        for (name, value) in &request.headers {
            post = post.header(*name, value.reveal());
        }
        async move {
            let reply = post.send().await.map_err(|error| broken(&error))?;
            let headers = reply.headers().iter();
            let headers = headers
                .filter_map(|(name, value)| Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned())))
                .collect();
            Ok(HttpReply { status: reply.status().as_u16(), headers, body: Box::new(HttpBody(reply)) })
        }
        .boxed()
    }
}

struct HttpBody(Response);

impl ReplyBody for HttpBody {
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Vec<u8>>, ConnectionError>> {
        async move {
            let piece = self.0.chunk().await.map_err(|error| broken(&error))?;
            Ok(piece.map(|bytes| bytes.to_vec()))
        }
        .boxed()
    }
}

/// Finds the innermost error: it says what happened; the outer ones only where.
fn broken(error: &reqwest::Error) -> ConnectionError {
    let mut cause: &dyn std::error::Error = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    let host =
        error.url().and_then(|url| Some(format!("{}:{}", url.host_str()?, url.port_or_known_default()?)));
    ConnectionError(match host {
        Some(host) if error.is_connect() => format!("no connection to {host}: {cause}"),
        Some(host) => format!("{cause} ({host})"),
        None => cause.to_string(),
    })
}
