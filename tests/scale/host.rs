//! Graphs whose runs workers of this process drive.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::ready;
use loopwright::app::{DriverOfRun, Graph, GraphHost, HostedGraph, OpenRun, Runs};
use loopwright::drive::Driver;
use loopwright::port::{BoxFuture, Store};

/// A graph whose drivers get their ports from a function.
pub(crate) struct Host<F> {
    graph: HostedGraph,
    connect: F,
}

impl<F: Fn(Driver) -> Driver + Send + Sync> Host<F> {
    pub(crate) fn new(graph: Graph, store: Arc<dyn Store>, connect: F) -> Self {
        Self { graph: HostedGraph::new(graph, store), connect }
    }

    fn connected(&self, driver: Driver) -> BoxFuture<'static, Result<DriverOfRun, String>> {
        ready(Ok(DriverOfRun { driver: (self.connect)(driver), end: ready(()).boxed() })).boxed()
    }
}

impl<F: Fn(Driver) -> Driver + Send + Sync> GraphHost for Host<F> {
    fn graph(&self) -> &HostedGraph {
        &self.graph
    }

    fn driver(&self) -> BoxFuture<'_, Result<DriverOfRun, String>> {
        self.connected(Runs::of(Arc::clone(&self.graph.store)).driver(&self.graph.program))
    }

    fn driver_of<'a>(&'a self, run: &'a OpenRun) -> BoxFuture<'a, Result<DriverOfRun, String>> {
        self.connected(run.driver())
    }

    fn resume(&self, run: &str, _: &[&str]) -> String {
        format!("resume {run}")
    }
}
