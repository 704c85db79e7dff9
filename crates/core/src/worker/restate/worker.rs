//! The worker.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;

use restate_sdk::endpoint::Endpoint;
use restate_sdk::prelude::HttpServer;
use rustc_hash::FxHashSet;
use tokio::net::{TcpListener, TcpSocket};

use super::faults::Faults;
use super::service::segments_name;
use super::wakes::Wakes;
use super::{list, object, segment};
use crate::app::GraphHost;
use crate::port::Clock;

/// The number of steps of its journal after which a segment ends, unless said.
pub const DEFAULT_EFFECTS: u32 = 500;

/// The most connections that wait to be taken.
const BACKLOG: u32 = 1024;

/// The fault of a worker that cannot serve.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkerError {
    /// The address cannot be listened on.
    #[error("{0}: {1}")]
    Listen(SocketAddr, std::io::Error),
    /// The key is not one by which Restate signs its requests.
    #[error("`{0}` is no key of Restate: one begins with `publickeyv1_`")]
    Identity(String),
    /// The graph cannot be a service.
    #[error("the graph `{0}` cannot be served under its name")]
    Name(String),
    /// Two graphs are the same.
    #[error("the graph `{0}` is there twice, with the same meaning")]
    Twice(String),
}

/// Serves graphs to a Restate server: drives their runs when it is called to.
pub struct RestateWorker {
    hosts: Vec<Arc<dyn GraphHost>>,
    clock: Arc<dyn Clock>,
    effects: u32,
    identity: Option<String>,
    report: Arc<dyn Fn(&str) + Send + Sync>,
}

impl RestateWorker {
    /// A worker without graphs.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { hosts: Vec::new(), clock, effects: DEFAULT_EFFECTS, identity: None, report: Arc::new(|_| {}) }
    }

    /// Adds a graph whose runs it drives.
    #[must_use]
    pub fn host(mut self, host: Arc<dyn GraphHost>) -> Self {
        self.hosts.push(host);
        self
    }

    /// Sets the number of steps of its journal after which a segment ends.
    #[must_use]
    pub const fn effects(mut self, effects: u32) -> Self {
        self.effects = if effects == 0 { 1 } else { effects };
        self
    }

    /// Takes only requests that are signed with this key of a Restate server.
    #[must_use]
    pub fn identity(mut self, key: impl Into<String>) -> Self {
        self.identity = Some(key.into());
        self
    }

    /// Sets who hears of faults for which runs are not driven, in a line each; by default nobody does.
    #[must_use]
    pub fn on_fault(mut self, report: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.report = Arc::new(report);
        self
    }

    /// Takes an address to listen on.
    ///
    /// # Errors
    /// [`WorkerError`].
    pub fn listen(self, address: SocketAddr) -> Result<ListeningWorker, WorkerError> {
        let mut endpoint = Endpoint::builder();
        let faults = Faults::new(Arc::clone(&self.clock), self.report);
        let objects =
            [object::service(Arc::clone(&self.clock), faults.clone()), list::service(faults.clone())];
        for service in objects.into_iter().flatten() {
            endpoint = endpoint.bind(service);
        }
        let wakes = Wakes::default();
        let mut served = FxHashSet::default();
        for host in &self.hosts {
            let program = &host.graph().program;
            let name = program.graphs[0].id.to_string();
            if !served.insert(segments_name(&name, &program.digest)) {
                return Err(WorkerError::Twice(name));
            }
            let service = segment::service(Arc::clone(host), wakes.clone(), faults.clone(), self.effects);
            endpoint = endpoint.bind(service.ok_or(WorkerError::Name(name))?);
        }
        if let Some(key) = self.identity {
            endpoint = endpoint.identity_key(&key).map_err(|_| WorkerError::Identity(key.clone()))?;
        }
        let refused = |error| WorkerError::Listen(address, error);
        let listener = listen(address).map_err(refused)?;
        let address = listener.local_addr().map_err(refused)?;
        Ok(ListeningWorker { endpoint: endpoint.build(), listener, address, wakes })
    }
}

/// Listens. A step of a journal goes over the wire in two small pieces: what comes in sends the second without waiting until the first
/// is acknowledged, which takes 40 ms. Connections have that from the socket that listens.
fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    socket.set_nodelay(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// A worker that listens and does not serve yet.
pub struct ListeningWorker {
    endpoint: Endpoint,
    listener: TcpListener,
    address: SocketAddr,
    wakes: Wakes,
}

impl ListeningWorker {
    /// The address that it listens on.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `stop` ends. What it drives then has ten seconds to come to the end of a step; another worker continues it.
    pub async fn serve(self, stop: impl Future<Output = ()>) {
        let wakes = self.wakes;
        let stopping = async move {
            stop.await;
            wakes.stop();
        };
        HttpServer::new(self.endpoint).serve_with_cancel(self.listener, stopping).await;
    }
}
