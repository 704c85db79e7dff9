//! A graph that is served: prepared once, driven for each call of a client.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures::FutureExt;
use tokio::time::sleep;

use super::graph;
use super::keys;
use super::models;
use super::setup::{Compiled, Setup, configured, connect, is_answered, replayed, replays_tools};
use crate::cli::args::Ports;
use crate::cli::files::Disk;
use crate::cli::trust::{self, missing_grants, store_to_write};
use crate::cli::{Exit, screen};
use loopwright_core::app::mcp::McpMode;
use loopwright_core::app::trust::{Configuration, Wants};
use loopwright_core::app::{
    DriverOfRun, Graph, GraphHost, HostedGraph, Judged, OpenRun, Runs, asks_models, call_ledger,
    gather_inputs,
};
use loopwright_core::config::WebhookConfig;
use loopwright_core::drive::{Driver, LimitLedger, SystemClock, named_tools};
use loopwright_core::port::{BoxFuture, Listener, Store};
use loopwright_core::source::Sources;
use loopwright_core::store::Memory;
use loopwright_core::tool::HOOK_GRACE;

/// The message for a client where the ports of a run cannot be put together.
const NOT_DRIVEN: &str =
    "the run cannot be driven on this machine; the server has said why on its standard error";

/// The place in which the runs of a graph are stored, with the answers that models gave before.
#[derive(Clone)]
pub(in crate::cli) enum RunStorage {
    /// The store that the ports name.
    Stored,
    /// That store, which was opened for another graph.
    Shared(Arc<dyn Store>),
    /// None that outlives the process: an engine keeps the runs.
    #[cfg_attr(not(feature = "restate"), expect(dead_code, reason = "no engine is built in"))]
    Memory,
}

impl RunStorage {
    /// The store of the first graph for the others, too: one process needs it once.
    pub(in crate::cli) fn beside(graphs: &[ServedGraph]) -> Self {
        graphs.first().map_or(Self::Stored, |first| Self::Shared(Arc::clone(&first.graph.store)))
    }
}

/// A graph that is served.
pub(in crate::cli) struct ServedGraph {
    ports: Ports,
    file: String,
    graph: HostedGraph,
    configuration: Configuration,
    /// The clock of all its runs.
    clock: Arc<SystemClock>,
    /// The ledger of all its runs, if it has limits.
    ledger: Option<Arc<LimitLedger>>,
    /// Hears texts of models as they arrive.
    listener: Option<Arc<dyn Listener>>,
}

impl ServedGraph {
    /// Reads everything, says everything that is wrong, and asks for all consent that a run needs: later nobody is there.
    /// `command` is the one that serves.
    pub(in crate::cli) async fn prepare(
        ports: Ports,
        file: &str,
        command: &str,
        storage: RunStorage,
    ) -> Result<Self, Exit> {
        let mut disk = Disk::new(&ports.reach)?;
        let mut judged = Judged::load(file, Sources::new(), &mut disk);
        let (configuration, mask) = configured(&ports, file, &mut judged.sources)?;
        graph::judge_flows(&mut judged, &ports, file, &configuration)?;
        let Graph { model, program, text, sources, .. } = graph::settle(judged, file, &configuration)?;
        keys::without_keys(&text, &mask)?;
        let unserved = models::unserved_role(&ports, &program, &configuration.config);
        let replays = replays_tools(&ports, &configuration);
        let wants = Wants {
            models: unserved.is_none() && !is_answered(&ports, &configuration) && asks_models(&program),
            inputs: Some(Vec::new()),
            tools: if replays { BTreeSet::new() } else { named_tools(&program) },
            hooks: true,
        };
        let configuration = trust::admit(configuration, &wants)?;
        let gathered = gather_inputs(&program, &configuration);
        let inputs = gathered.map_err(|findings| graph::say(&findings, &sources))?.input;
        if let Some((why, help)) = unserved {
            return Err(screen::refuse_with(&why, &help));
        }
        let store = match storage {
            RunStorage::Memory => Arc::new(Memory::new()) as Arc<dyn Store>,
            RunStorage::Shared(store) => store,
            RunStorage::Stored => {
                let place = store_to_write(&ports.db, &ports.trust, command)?;
                let store = ports.db.open();
                place.tried();
                store.map_err(|error| screen::refuse(&error.to_string()))?
            }
        };
        let file = file.to_owned();
        let graph = HostedGraph { model, program, text, sources, store, mask, inputs };
        let ledger = call_ledger(&configuration.config.limits);
        let served =
            Self { ports, file, graph, configuration, clock: Arc::default(), ledger, listener: None };
        let setup = served.setup(served.first_driver(), McpMode::Begin).await?;
        setup.servers.close().await;
        let missing = setup.driver.missing_grants();
        if !missing.is_empty() {
            return Err(missing_grants(&setup.grants, command, &missing));
        }
        Ok(served)
    }

    /// Sets the clock of its runs. It is that of whoever takes runs because they are due: by two, one that is set back would
    /// make a run due that has nothing to do yet.
    pub(in crate::cli) fn clock(mut self, clock: Arc<SystemClock>) -> Self {
        self.clock = clock;
        self
    }

    /// Sets who hears texts of models as they arrive.
    pub(in crate::cli) fn listener(mut self, listener: Arc<dyn Listener>) -> Self {
        self.listener = Some(listener);
        self
    }

    /// Counts calls on where a version of the graph before it is, as long as the limits are the same.
    pub(in crate::cli) fn counting_on(mut self, earlier: &Self) -> Self {
        if self.configuration.config.limits == earlier.configuration.config.limits {
            self.ledger.clone_from(&earlier.ledger);
        }
        self
    }

    /// The webhooks of its configuration, which the command line must have named: one that was only found beside a graph begins no runs.
    pub(in crate::cli) fn webhooks(&self) -> &[WebhookConfig] {
        if self.ports.config.is_some() { &self.configuration.config.webhooks } else { &[] }
    }

    /// The driver of a run that begins, without ports.
    fn first_driver(&self) -> Driver {
        Runs::of(Arc::clone(&self.graph.store)).driver(&self.graph.program)
    }

    /// The ports of one run that is driven by `driver`.
    async fn setup(&self, driver: Driver, mode: McpMode) -> Result<Setup, Exit> {
        let answers = replayed(&self.ports, &self.configuration, &self.graph.store).await?;
        let disk = Disk::new(&self.ports.reach)?;
        let graph = Compiled {
            model: Arc::clone(&self.graph.model),
            driver,
            store: Arc::clone(&self.graph.store),
            sources: self.graph.sources.clone(),
            recorder: None,
            clock: Arc::clone(&self.clock),
            ledger: self.ledger.clone(),
            listener: self.listener.clone(),
        };
        let place = (self.file.as_str(), mode);
        connect(&self.ports, place, graph, disk, (&self.configuration, self.graph.mask.clone()), answers)
            .await
    }
}

impl GraphHost for ServedGraph {
    fn graph(&self) -> &HostedGraph {
        &self.graph
    }

    fn driver(&self) -> BoxFuture<'_, Result<DriverOfRun, String>> {
        async move {
            let setup = self.setup(self.first_driver(), McpMode::Begin).await;
            Ok(of_setup(setup.map_err(|_| NOT_DRIVEN.to_owned())?))
        }
        .boxed()
    }

    fn driver_of<'a>(&'a self, run: &'a OpenRun) -> BoxFuture<'a, Result<DriverOfRun, String>> {
        async move {
            let setup = self.setup(run.driver(), McpMode::Resume).await.map_err(|_| NOT_DRIVEN.to_owned())?;
            if let Some(script) = &setup.script {
                let entries = run.entries().await.map_err(|error| error.to_string())?;
                entries.iter().flat_map(|entry| &entry.events).for_each(|event| script.catch_up(event));
            }
            Ok(of_setup(setup))
        }
        .boxed()
    }

    fn resume(&self, run: &str, more: &[&str]) -> String {
        self.ports.resume(run, more)
    }
}

/// The driver of a run, with the end of all that was started for it.
fn of_setup(setup: Setup) -> DriverOfRun {
    let (servers, hooks) = (setup.servers, setup.hooks);
    let end = async move {
        servers.close().await;
        if let Some(hooks) = hooks {
            hooks.end(sleep(HOOK_GRACE)).await;
        }
    };
    DriverOfRun { driver: setup.driver, end: end.boxed() }
}
