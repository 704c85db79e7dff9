//! The graphs of a worker, with the ports of their runs.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::ready;
use loopwright::app::{DriverOfRun, Graph, GraphHost, HostedGraph, OpenRun};
use loopwright::drive::Driver;
use loopwright::port::{BoxFuture, Mask};
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
    case: Arc<Case>,
    graph: HostedGraph,
}

impl Host {
    pub(crate) fn new(
        scene: &Arc<Scene>,
        process: &Arc<Process>,
        client: &Arc<Client>,
        case: &Arc<Case>,
    ) -> Arc<Self> {
        let Graph { model, program, text, sources, .. } = &*case.graph;
        let graph = HostedGraph {
            model: Arc::clone(model),
            program: Arc::clone(program),
            text: text.clone(),
            sources: sources.clone(),
            store: Arc::clone(client) as _,
            mask: Mask::default(),
            inputs: Map::new(),
        };
        Arc::new(Self {
            scene: Arc::clone(scene),
            process: Arc::clone(process),
            client: Arc::clone(client),
            case: Arc::clone(case),
            graph,
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
    fn graph(&self) -> &HostedGraph {
        &self.graph
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
