//! All that handlers share.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;
use serde_json::{Value as Json, json};
use tokio::sync::Semaphore;

use super::connections::{Connections, ServerBounds};
use super::door::Door;
use super::feed::Feeds;
use super::figures::Figures;
use super::graph_files::GraphFiles;
use super::known_costs::KnownCosts;
use super::known_graphs::{KnownGraph, KnownGraphs};
use super::places::{Places, WhenFull};
use super::problem::Problem;
use super::runner::{RunNotes, Runner};
use super::web_graph::WebGraph;
use super::webhook::Webhook;
use crate::app::{OpenQuestion, OpenRun, RunReport, Runs};
use crate::machine::{Call, Snapshot, Time, timestamp};
use crate::port::{ListedRun, Listener, Mask, RunInfo, RunStatus, Store, StoreError};
use crate::program::graph::Charge;
use crate::serve::confined::Confined;
use crate::telemetry::{Figure, HearDuration};
use crate::value::Str;

/// The runs that are written down as scenarios at once.
const RECORDINGS: usize = 2;

/// The rows of the list of runs that are remembered. A row is made anew once its run has gone on.
const MAX_ROWS: usize = 20_000;

/// The parts of a server.
pub struct WebParts {
    /// The graphs, in the order in which they are listed.
    pub graphs: Vec<WebGraph>,
    /// The store of the runs.
    pub store: Arc<dyn Store>,
    /// The number of runs that are driven at once.
    pub at_once: usize,
    /// The door.
    pub door: Door,
    /// The webhooks that begin runs.
    pub webhooks: Vec<Webhook>,
    /// The process that carries out commands over texts.
    pub confined: Confined,
    /// The operator, who hears of runs.
    pub notes: Arc<dyn RunNotes>,
    /// The files of the graphs, if people may save texts of them.
    pub editor: Option<Arc<dyn GraphFiles>>,
    /// The bounds.
    pub bounds: ServerBounds,
}

/// The API of a folder of graphs and a store of runs.
pub struct WebApi {
    pub(super) graphs: KnownGraphs,
    pub(super) door: Door,
    pub(super) webhooks: Vec<Webhook>,
    pub(super) confined: Confined,
    pub(super) runner: Arc<Runner>,
    pub(super) feeds: Arc<Feeds>,
    pub(super) figures: Arc<Figures>,
    /// The replies of commands over the texts of graphs. They go by a hash of the texts.
    pub(super) replies: Mutex<FxHashMap<String, Json>>,
    pub(super) editor: Option<Arc<dyn GraphFiles>>,
    /// One text is saved at a time: what a person saw is compared with what is there.
    pub(super) saving: Arc<tokio::sync::Mutex<()>>,
    /// Runs are written down as scenarios a few at a time: each is played.
    pub(super) recordings: Semaphore,
    pub(super) connections: Arc<Connections>,
    /// The places of streams of events.
    pub(super) streams: Arc<Places>,
    pub(super) bounds: ServerBounds,
    /// The costs of runs.
    pub(super) costs: KnownCosts,
    rows: Mutex<FxHashMap<Str, RunRow>>,
}

/// A row of the list of runs, of the time when the run had so many events.
struct RunRow {
    events: u64,
    /// Another run may have the id of one that was removed.
    started: Time,
    row: Json,
}

impl WebApi {
    /// The API. What listens to models is to be handed to the hosts of the graphs before: see [`WebListener`].
    #[must_use]
    pub fn new(parts: WebParts, listener: &WebListener) -> Arc<Self> {
        let WebParts { graphs, store, at_once, door, webhooks, confined, notes, editor, bounds } = parts;
        let figures = Arc::<Figures>::default();
        let mut runner = Runner::new(Runs::of(store), at_once, notes);
        for graph in &graphs {
            if let Some(host) = &graph.host {
                runner.host(host);
            }
        }
        let feeds = Feeds::new(runner.runs().clone());
        runner.observe(Arc::clone(&feeds) as _);
        runner.observe(Arc::clone(&figures) as _);
        *listener.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&feeds));
        let (graphs, runner) = (KnownGraphs::new(graphs), Arc::new(runner));
        let (connections, streams) =
            (Connections::new(&bounds), Places::new(bounds.streams, WhenFull::Refuse));
        let (replies, costs, rows) = (Mutex::default(), KnownCosts::default(), Mutex::default());
        let (saving, recordings) = (Arc::default(), Semaphore::new(RECORDINGS));
        Arc::new(Self {
            graphs,
            door,
            webhooks,
            confined,
            runner,
            feeds,
            figures,
            replies,
            editor,
            saving,
            recordings,
            connections,
            streams,
            bounds,
            costs,
            rows,
        })
    }

    /// Lets every run go on that was left in the middle and whose graph is here. Gives how many these are.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn resume_all(&self) -> Result<usize, StoreError> {
        self.runner.resume_all().await
    }

    /// The figures of the server, for who watches over it.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn figures(&self) -> Result<Vec<Figure>, StoreError> {
        let runs = self.runner.runs().store().counts().await?;
        let open = [&self.streams, &self.connections.strangers, &self.connections.people]
            .map(|places| places.count());
        Ok(self.figures.all(&runs, self.runner.counts(), open))
    }

    /// Tells somebody of the duration of each call as it comes back. One hears of it, the first who asks.
    pub fn tell_durations(&self, hear: HearDuration) {
        self.figures.tell(hear);
    }

    /// The graph of that name.
    pub(super) fn graph(&self, name: &str) -> Result<Arc<KnownGraph>, Problem> {
        self.graphs.named(name).ok_or_else(|| {
            Problem::not_found(format!("there is no graph `{}`", crate::source::display::line(name)))
        })
    }

    /// The name under which the graph of a program is served, if it is.
    pub(super) fn served_as(&self, digest: &str) -> Option<String> {
        let graphs = self.graphs.list();
        let served = graphs.iter().find(|graph| graph.digest.as_deref() == Some(digest));
        served.map(|graph| graph.name.clone())
    }

    /// A run of a page as the list shows it.
    pub(super) async fn row(&self, listed: &ListedRun) -> Json {
        let ListedRun { info, steps, driver, events, .. } = listed;
        let mut row = if let Some(row) = self.known_row(info, *events) {
            row
        } else {
            let row = self.made_row(&info.run).await;
            if let Some(events) = *events {
                let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
                if rows.len() >= MAX_ROWS {
                    rows.clear();
                }
                rows.insert(info.run.clone(), RunRow { events, started: info.started, row: row.clone() });
            }
            row
        };
        row["run"] = info.run.as_str().into();
        row["graph"] = info.graph.as_str().into();
        row["started"] = timestamp(info.started).into();
        row["steps"] = (*steps).into();
        row["events"] = (*events).into();
        row["status"] = self.status(&info.run, &info.status, driver.is_some()).into();
        if let RunStatus::Done { outcome, ok } = &info.status {
            row["outcome"] = outcome.as_str().into();
            row["ok"] = (*ok).into();
        }
        row
    }

    /// The status of a run in a word.
    pub(super) fn status(&self, run: &str, status: &RunStatus, is_driven: bool) -> &'static str {
        match status {
            RunStatus::Running | RunStatus::Ready if self.runner.is_queued(run) => "queued",
            status => status.word(is_driven),
        }
    }

    fn known_row(&self, info: &RunInfo, events: Option<u64>) -> Option<Json> {
        let rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        let known = rows.get(&info.run)?;
        if Some(known.events) != events || known.started != info.started {
            return None;
        }
        Some(known.row.clone())
    }

    /// The part of a row that only the state tells: where the run is, its budgets, how many questions are open.
    async fn made_row(&self, run: &str) -> Json {
        let (found, state) = match self.state(run).await {
            Ok(found) => found,
            Err(problem) => return json!({"unreadable": problem.detail()}),
        };
        let program = found.by(&state.program).unwrap_or(&found.program);
        let report = RunReport { info: &found.info, driver: None, program, snapshot: &state, at: None };
        let root = report.lanes().next();
        let spent = root.and_then(|root| {
            let costs =
                root.budgets().into_iter().find(|budget| budget.code.charge == Some(Charge::ModelCost));
            costs.map(|budget| budget.amount(budget.counters.used))
        });
        json!({
            "node": root.map(|root| root.node_name().as_str()),
            "at": timestamp(state.at),
            "budgets": root.map(|root| root.budgets_json()),
            "usd": spent,
            "questions": OpenQuestion::of(&state).count(),
        })
    }

    /// A run and where it is.
    pub(super) async fn state(&self, run: &str) -> Result<(OpenRun, Snapshot), Problem> {
        let found = self.runner.runs().find(run).await?;
        let state = found.state(None).await?;
        Ok((found, state))
    }
}

impl fmt::Debug for WebApi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebApi").field("graphs", &self.graphs).finish_non_exhaustive()
    }
}

/// The ear for streamed texts of models. It is there before the API, which is made of the hosts.
#[derive(Clone, Default)]
pub struct WebListener(Arc<Mutex<Option<Arc<Feeds>>>>);

impl WebListener {
    /// That for the models of a graph. The mask hides the keys that they use.
    #[must_use]
    pub fn of_graph(&self, mask: Mask) -> Arc<dyn Listener> {
        Arc::new(GraphListener { listener: self.clone(), mask })
    }

    fn feeds(&self) -> Option<Arc<Feeds>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The ear for streamed texts of the models of one graph.
struct GraphListener {
    listener: WebListener,
    mask: Mask,
}

impl Listener for GraphListener {
    fn heard(&self, call: &Call, piece: &str) {
        if let Some(feeds) = self.listener.feeds() {
            feeds.heard(call, piece, &self.mask);
        }
    }

    fn dropped(&self, call: &Call) {
        if let Some(feeds) = self.listener.feeds() {
            feeds.dropped(call);
        }
    }
}

impl fmt::Debug for WebListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebListener")
    }
}
