//! Clients over HTTP.
//!
//! # Why
//! - Whoever listens on a machine is spoken to by every page that a browser on it shows: a request that names another host than
//!   ours (DNS rebinding), or comes from a page of another origin, is refused before it is read.
//! - A token is asked for wherever the address is reached from other machines; nobody is there to press a button.
//! - Requests, connections, sessions and messages are all bounded: what comes first is served, the rest is told so.

mod guard;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::middleware::from_fn_with_state;
use rmcp::transport::StreamableHttpServerConfig;
use rmcp::transport::streamable_http_server::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use tokio::net::TcpListener;
use tokio::time::timeout;

use self::guard::{Door, pass};
use super::lines::MAX_MESSAGE_BYTES;
use super::offer::ServerOffer;
use super::session::Session;
use crate::serve::listener::BoundedListener;

/// The path at which clients are served.
pub const PATH: &str = "/mcp";

/// The most sessions at once.
pub const MAX_SESSIONS: usize = 256;

/// The most connections at once.
pub const MAX_CONNECTIONS: usize = 256;

/// The time after which a session ends in which nothing happens. A run may wait that long for one answer of a model.
const MAX_SESSION_PAUSE: Duration = Duration::from_hours(1);

/// The time in which open requests may end after the server was asked to stop.
const GRACE: Duration = Duration::from_secs(3);

/// The secret that every request has to bring.
#[derive(Clone)]
pub struct BearerToken(blake3::Hash);

impl BearerToken {
    /// The token with that text.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(blake3::hash(text.as_bytes()))
    }

    /// Compares in a time that tells nothing.
    fn fits(&self, text: &str) -> bool {
        self.0 == blake3::hash(text.as_bytes())
    }
}

impl std::fmt::Debug for BearerToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("BearerToken")
    }
}

/// A server that has its address, and serves nobody yet.
#[derive(Debug)]
pub struct HttpServer {
    listener: TcpListener,
    address: SocketAddr,
    token: Option<BearerToken>,
}

impl HttpServer {
    /// Takes an address.
    ///
    /// # Errors
    /// The address cannot be had, or other machines reach it and there is no token.
    pub async fn bind(address: SocketAddr, token: Option<BearerToken>) -> io::Result<Self> {
        if token.is_none() && !address.ip().is_loopback() {
            let why = format!("{address} is reached from other machines, and no token is asked for");
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
        }
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address, token })
    }

    /// The address, as clients name it.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    /// Serves clients until `stop` ends; then open requests have a moment to end.
    ///
    /// # Errors
    /// The address is lost.
    pub async fn serve(self, offer: Arc<ServerOffer>, stop: impl Future<Output = ()>) -> io::Result<()> {
        let config = self.config();
        let streams = config.cancellation_token.clone();
        let mut sessions = LocalSessionManager::default();
        sessions.session_config.keep_alive = Some(MAX_SESSION_PAUSE);
        let sessions = Arc::new(sessions);
        let door = Arc::new(Door { token: self.token.clone(), sessions: Arc::clone(&sessions) });
        let service =
            StreamableHttpService::new(move || Ok(Session::new(Arc::clone(&offer))), sessions, config);
        let app = Router::new().route_service(PATH, service).layer(from_fn_with_state(door, pass));
        let (end, ended) = tokio::sync::oneshot::channel::<()>();
        let listener = BoundedListener::new(self.listener, MAX_CONNECTIONS);
        let serving = axum::serve(listener, app).with_graceful_shutdown(async move {
            let _ended = ended.await;
        });
        let serving = serving.into_future();
        tokio::pin!(serving);
        tokio::select! {
            over = &mut serving => return over,
            () = stop => {}
        }
        streams.cancel();
        let _over = end.send(());
        // Whoever does not end is cut off with the process.
        timeout(GRACE, serving).await.unwrap_or(Ok(()))
    }

    fn config(&self) -> StreamableHttpServerConfig {
        let config = StreamableHttpServerConfig::default().with_max_request_body_bytes(MAX_MESSAGE_BYTES);
        let config = config.enforce_origin_validation();
        if !self.address.ip().is_loopback() {
            // Its names are not known here. The token keeps others out, and pages of every origin are refused.
            return config.disable_allowed_hosts();
        }
        let port = self.address.port();
        let names = ["localhost", "127.0.0.1", "[::1]"].map(|name| format!("{name}:{port}"));
        let origins: Vec<String> = names.iter().map(|name| format!("http://{name}")).collect();
        config.with_allowed_hosts(names).with_allowed_origins(origins)
    }
}
