//! Graphs whose runs workers of this process drive.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::ready;
use loopwright::app::{DriverOfRun, Graph, GraphHost, OpenRun, Runs};
use loopwright::drive::Driver;
use loopwright::model::Model;
use loopwright::port::{BoxFuture, Mask, ProgramText, Store};
use loopwright::program::Program;
use loopwright::source::Sources;
use loopwright::value::Map;

/// A graph whose drivers get their ports from a function.
pub(crate) struct Host<F> {
    pub(crate) graph: Graph,
    pub(crate) store: Arc<dyn Store>,
    mask: Mask,
    inputs: Map,
    connect: F,
}

impl<F: Fn(Driver) -> Driver + Send + Sync> Host<F> {
    pub(crate) fn new(graph: Graph, store: Arc<dyn Store>, connect: F) -> Self {
        Self { graph, store, mask: Mask::default(), inputs: Map::new(), connect }
    }

    fn connected(&self, driver: Driver) -> BoxFuture<'static, Result<DriverOfRun, String>> {
        ready(Ok(DriverOfRun { driver: (self.connect)(driver), end: ready(()).boxed() })).boxed()
    }
}

impl<F: Fn(Driver) -> Driver + Send + Sync> GraphHost for Host<F> {
    fn model(&self) -> &Arc<Model> {
        &self.graph.model
    }

    fn sources(&self) -> &Sources {
        &self.graph.sources
    }

    fn program(&self) -> &Arc<Program> {
        &self.graph.program
    }

    fn text(&self) -> &ProgramText {
        &self.graph.text
    }

    fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    fn mask(&self) -> &Mask {
        &self.mask
    }

    fn inputs(&self) -> &Map {
        &self.inputs
    }

    fn driver(&self) -> BoxFuture<'_, Result<DriverOfRun, String>> {
        self.connected(Runs::of(Arc::clone(&self.store)).driver(&self.graph.program))
    }

    fn driver_of<'a>(&'a self, run: &'a OpenRun) -> BoxFuture<'a, Result<DriverOfRun, String>> {
        self.connected(run.driver())
    }

    fn resume(&self, run: &str, _: &[&str]) -> String {
        format!("resume {run}")
    }
}
