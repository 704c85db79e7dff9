//! The graphs of a worker, with the ports of their runs.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::ready;
use loopwright::app::{DriverOfRun, GraphHost, OpenRun};
use loopwright::drive::Driver;
use loopwright::model::Model;
use loopwright::port::{BoxFuture, Mask, ProgramText, Store};
use loopwright::program::Program;
use loopwright::source::Sources;
use loopwright::value::{Map, Str};

use crate::LEASE;
use crate::case::Case;
use crate::client::Client;
use crate::process::{Process, ProcessClock};
use crate::scene::Scene;
use crate::world::{Onlooker, World};

/// A graph whose runs a process drives.
pub(crate) struct Host {
    scene: Arc<Scene>,
    process: Arc<Process>,
    client: Arc<Client>,
    store: Arc<dyn Store>,
    case: Arc<Case>,
    mask: Mask,
    inputs: Map,
}

impl Host {
    pub(crate) fn new(
        scene: &Arc<Scene>,
        process: &Arc<Process>,
        client: &Arc<Client>,
        case: &Arc<Case>,
    ) -> Arc<Self> {
        Arc::new(Self {
            scene: Arc::clone(scene),
            process: Arc::clone(process),
            client: Arc::clone(client),
            store: Arc::clone(client) as _,
            case: Arc::clone(case),
            mask: Mask::default(),
            inputs: Map::new(),
        })
    }

    /// A driver of a run, with the world that the run has.
    pub(crate) fn driver_for(&self, run: &Str) -> Driver {
        let case = Arc::clone(self.scene.case(run).unwrap_or(&self.case));
        *self.scene.ledger.known().drives.entry(run.clone()).or_default() += 1;
        let Scene { sim, server, ledger, .. } = &*self.scene;
        let world = Arc::new(World {
            sim: Arc::clone(sim),
            process: Arc::clone(&self.process),
            server: Arc::clone(server),
            ledger: Arc::clone(ledger),
            case: Arc::clone(&case),
        });
        let onlooker = Onlooker { sim: Arc::clone(sim), server: Arc::clone(server), run: run.clone() };
        Driver::new(Arc::clone(&case.graph.program))
            .store(Arc::clone(&self.client) as _)
            .clock(Arc::new(ProcessClock(Arc::clone(&self.process))))
            .owner(self.process.name().clone(), LEASE)
            .model(Arc::clone(&world) as _)
            .tools(world)
            .observer(Arc::new(onlooker))
    }
}

impl GraphHost for Host {
    fn model(&self) -> &Arc<Model> {
        &self.case.graph.model
    }

    fn sources(&self) -> &Sources {
        &self.case.graph.sources
    }

    fn program(&self) -> &Arc<Program> {
        &self.case.graph.program
    }

    fn text(&self) -> &ProgramText {
        &self.case.graph.text
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
        ready(Err("runs begin elsewhere".to_owned())).boxed()
    }

    fn driver_of<'a>(&'a self, run: &'a OpenRun) -> BoxFuture<'a, Result<DriverOfRun, String>> {
        let driver = self.driver_for(&run.info.run);
        ready(Ok(DriverOfRun { driver, end: ready(()).boxed() })).boxed()
    }

    fn resume(&self, run: &str, _: &[&str]) -> String {
        format!("resume {run}")
    }
}
