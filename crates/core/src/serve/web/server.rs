//! The server: connections, their bounds, and its end.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::serve::Listener as _;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::api::WebApi;
use super::connections::ConnectionPlace;
use super::page;
use super::routes::app;
use crate::serve::listener::BoundedListener;

/// The time in which the headers of a request must come, and in which a TLS connection must be made.
const HEADER_TIME: Duration = Duration::from_secs(10);

/// The most headers of a request.
const MAX_HEADERS: usize = 64;

/// The most bytes of the headers of a request.
const MAX_HEADER_BYTES: usize = 64 << 10;

/// The time in which open requests may end when the server stops.
const GRACE: Duration = Duration::from_secs(3);

/// The certificate of a server and its key.
#[derive(Clone)]
pub struct TlsIdentity(Arc<ServerConfig>);

impl TlsIdentity {
    /// That of two texts in the PEM form: the certificate with those that lead from it to a known one, and its key.
    ///
    /// # Errors
    /// One of them is none, or they do not belong together.
    pub fn read(certificates: &[u8], key: &[u8]) -> Result<Self, String> {
        let chain = CertificateDer::pem_slice_iter(certificates).collect::<Result<Vec<_>, _>>();
        let chain = chain.map_err(|error| format!("the certificate cannot be read: {error}"))?;
        if chain.is_empty() {
            return Err("there is no certificate in the file".to_owned());
        }
        let key =
            PrivateKeyDer::from_pem_slice(key).map_err(|error| format!("the key cannot be read: {error}"))?;
        let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .map_err(|error| format!("the certificate and the key do not fit: {error}"))?;
        Ok(Self(Arc::new(config)))
    }
}

impl std::fmt::Debug for TlsIdentity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TlsIdentity")
    }
}

/// A server that has its address, and serves nobody yet.
#[derive(Debug)]
pub struct WebServer {
    listener: TcpListener,
    address: SocketAddr,
    tls: Option<TlsIdentity>,
}

impl WebServer {
    /// Takes an address.
    ///
    /// # Errors
    /// It cannot be had.
    pub async fn bind(address: SocketAddr, tls: Option<TlsIdentity>) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address, tls })
    }

    /// The address.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `stop` ends. Then runs are interrupted and stored, streams end with a word when to come again, and open requests have a
    /// moment to end.
    pub async fn serve(self, api: Arc<WebApi>, stop: impl Future<Output = ()>) {
        let service = TowerToHyperService::new(app(&api, page::routes()));
        let (closing, closed) = watch::channel(false);
        let (open, mut all) = watch::channel(());
        let most = api.connections.most();
        let mut listener = BoundedListener::new(self.listener, most).closing_after(api.bounds.pause);
        tokio::pin!(stop);
        loop {
            let (connection, _) = tokio::select! {
                biased;
                () = &mut stop => break,
                accepted = listener.accept() => accepted,
            };
            let (service, closed, open) = (service.clone(), closed.clone(), open.clone());
            let place = api.connections.enter();
            let acceptor = self.tls.as_ref().map(|TlsIdentity(config)| TlsAcceptor::from(Arc::clone(config)));
            tokio::spawn(async move {
                let carried = async {
                    match acceptor {
                        None => carry(connection, service, &place, closed).await,
                        Some(acceptor) => {
                            // Whoever does not speak TLS is not answered.
                            if let Ok(Ok(stream)) = timeout(HEADER_TIME, acceptor.accept(connection)).await {
                                carry(stream, service, &place, closed).await;
                            }
                        }
                    }
                };
                tokio::select! {
                    biased;
                    () = place.lost() => {}
                    () = carried => {}
                }
                drop(open);
            });
        }
        drop(listener);
        api.runner.stop().await;
        closing.send_replace(true);
        drop(open);
        // Whoever does not end is cut off with the process.
        let _late = timeout(GRACE, async { while all.changed().await.is_ok() {} }).await;
    }
}

/// Serves one connection.
async fn carry(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    service: TowerToHyperService<Router>,
    place: &ConnectionPlace,
    mut closed: watch::Receiver<bool>,
) {
    let with_place = service_fn(|mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(place.clone());
        service.call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIME)
        .max_headers(MAX_HEADERS)
        .max_buf_size(MAX_HEADER_BYTES)
        .serve_connection(TokioIo::new(stream), with_place);
    tokio::pin!(connection);
    // What is wrong with a connection is the client's affair.
    tokio::select! {
        biased;
        _over = connection.as_mut() => return,
        _closing = closed.wait_for(|closes| *closes) => connection.as_mut().graceful_shutdown(),
    }
    let _over = connection.await;
}
