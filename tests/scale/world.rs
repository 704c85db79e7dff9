//! Runs to be stored.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use futures::future::ready;
use loopwright::drive::{Driver, Finished, Run};
use loopwright::machine::{Event, Snapshot, Start, Time};
use loopwright::port::{
    BoxFuture, Clock, Commit, EntryCause, JournalEntry, Lease, Observer, RunInfo, RunStatus, RunView, Store,
    StoreError, StoreFuture, StoredRun,
};
use loopwright::program::Program;
use loopwright::tool::Tools;
use loopwright::value::{Map, Value};
use loopwright::{EventKind, Files, Graph, ProgramText};
use tokio::sync::watch;

/// Calls a tool `rounds` times and keeps every answer; then asks a person.
const LOOP: &str = r"
graph: loop
input: {rounds: int, padding: string?}
state:
  seen: list<string> = []
  last: string?
budgets: {calls: 100000}
start: work
nodes:
  work:
    kind: tool
    tool: echo
    args: {text: '''line '' + string(size(seen)) + (padding ?? '''')'}
    into: last
    then: seen += last ?? ''
    do: spend calls
    next:
      - {to: ask, when: size(seen) >= rounds}
      - {to: work}
      - {to: end, on: exhausted(calls)}
  ask: {kind: human, ask: '''Well?''', options: [yes, no], next: [{to: end}]}
  end: {kind: final}
";

pub(crate) fn graph() -> (Arc<Program>, ProgramText) {
    let graph = Graph::load("loop.yaml", &mut Files::new().with("loop.yaml", LOOP)).expect("a graph");
    (graph.program, graph.text)
}

pub(crate) fn driver(store: Arc<dyn Store>) -> Driver {
    let tools = Tools::new().closure("echo", &serde_json::json!({"type": "object"}), |args| {
        ready(Ok(args.get("text").cloned().unwrap_or_default()))
    });
    Driver::new(graph().0).tools(Arc::new(tools)).store(store)
}

pub(crate) fn start(run: &str, rounds: i64, padding: usize) -> Start {
    let mut input: Map = [("rounds", Value::Int(rounds))].into_iter().collect();
    if padding > 0 {
        input.set("padding", Value::from("0123456789abcdef".repeat(padding / 16)));
    }
    Start { run: run.into(), input, ..Start::default() }
}

/// A run of so many effects, waiting for its person. Its program is stored beside it.
pub(crate) async fn waiting(store: &Arc<dyn Store>, run: &str, rounds: i64, padding: usize) -> Run {
    store.keep_program(&graph().1).await.expect("the program is stored");
    let mut run = driver(Arc::clone(store)).start(start(run, rounds, padding)).await.expect("the run begins");
    match run.drive().await.expect("the run goes on") {
        Finished::Waiting { .. } => run,
        other => panic!("the run does not wait: {other:?}"),
    }
}

/// Answers the person's question and drives the run to its end.
pub(crate) async fn end(run: &mut Run) -> Snapshot {
    let ask = run.snapshot().asks().next().expect("a question").id.clone();
    run.handle().answer(ask, Value::from("yes"));
    assert!(matches!(run.drive().await, Ok(Finished::Done(_))));
    run.snapshot().clone()
}

/// A run that begins.
pub(crate) fn info(run: &str) -> RunInfo {
    RunInfo {
        run: run.into(),
        graph: "graph".into(),
        program: "program".into(),
        started: 0,
        status: RunStatus::Running,
    }
}

/// An entry that could follow, with one event.
pub(crate) fn entry(seq: u64, value: &str) -> JournalEntry {
    let at = i64::try_from(seq).expect("a short test");
    let kind = EventKind::Closed { outcome: "end".into(), ok: true, output: Box::new(Value::from(value)) };
    JournalEntry {
        at,
        cause: EntryCause::Resumed,
        step: seq,
        events: vec![Event { seq, at, frame: 0, kind }],
        by: None,
    }
}

/// Commits the entry with that number.
pub(crate) async fn commit(
    store: &dyn Store,
    run: &str,
    seq: u64,
    lease: Option<&Lease>,
) -> Result<(), StoreError> {
    commit_at(store, run, seq, lease, RunStatus::Waiting).await
}

pub(crate) async fn commit_at(
    store: &dyn Store,
    run: &str,
    seq: u64,
    lease: Option<&Lease>,
    status: RunStatus,
) -> Result<(), StoreError> {
    let entries = [entry(seq, &format!("entry {seq} of {run}"))];
    let at = i64::try_from(seq).expect("a short test");
    let snapshot =
        Snapshot { run: run.into(), program: "program".into(), seq: seq + 1, at, ..Snapshot::new() };
    let commit =
        Commit { entries: &entries, status, snapshot: &snapshot, whole: false, lease, messages: &[] };
    store.commit(run, commit).await
}

/// Time that goes on only when nothing has happened for a moment: then it jumps to whatever comes next. Stores work on threads of
/// their own, so that the paused time of tokio would run away from them.
pub(crate) struct Jumping {
    now: watch::Sender<Time>,
    /// The times until which somebody sleeps, each with the number of the sleeper.
    sleepers: Arc<Mutex<BTreeSet<(Time, u64)>>>,
    /// Counts whatever happens.
    happened: AtomicU64,
    /// The pieces of work that stores do at the moment: time stands still meanwhile.
    works: AtomicU64,
}

/// The moment in which nothing may happen before time goes on.
const MOMENT: Duration = Duration::from_millis(10);

impl Jumping {
    pub(crate) fn new() -> Arc<Self> {
        let now = watch::Sender::new(0);
        Arc::new(Self {
            now,
            sleepers: Arc::default(),
            happened: AtomicU64::new(0),
            works: AtomicU64::new(0),
        })
    }

    fn sleepers(&self) -> MutexGuard<'_, BTreeSet<(Time, u64)>> {
        self.sleepers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets time go on; beside what is timed.
    pub(crate) async fn jump(&self) {
        loop {
            let before = self.happened.load(Ordering::Relaxed);
            tokio::time::sleep(MOMENT).await;
            let next = self.sleepers().first().map(|(until, _)| *until);
            if let Some(next) = next
                && before == self.happened.load(Ordering::Relaxed)
                && self.works.load(Ordering::Relaxed) == 0
            {
                self.now.send_modify(|now| *now = (*now).max(next));
            }
        }
    }
}

impl Clock for Jumping {
    fn now(&self) -> Time {
        self.happened.fetch_add(1, Ordering::Relaxed);
        *self.now.borrow()
    }

    fn sleep_until(&self, until: Time) -> BoxFuture<'static, ()> {
        let number = self.happened.fetch_add(1, Ordering::Relaxed);
        let sleeper = Sleeper { sleepers: Arc::clone(&self.sleepers), own: (until, number) };
        self.sleepers().insert(sleeper.own);
        let mut now = self.now.subscribe();
        async move {
            let sleeper = sleeper;
            // The clock outlives who looks at it.
            let _ = now.wait_for(|now| *now >= sleeper.own.0).await;
        }
        .boxed()
    }
}

/// Somebody who sleeps, until this is dropped.
struct Sleeper {
    sleepers: Arc<Mutex<BTreeSet<(Time, u64)>>>,
    own: (Time, u64),
}

impl Drop for Sleeper {
    fn drop(&mut self) {
        self.sleepers.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.own);
    }
}

/// A store at whose work time stands still.
pub(crate) struct Watched {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<Jumping>,
}

/// A piece of work of a store, until this is dropped.
struct Working<'a>(&'a Jumping);

impl Drop for Working<'_> {
    fn drop(&mut self) {
        self.0.happened.fetch_add(1, Ordering::Relaxed);
        self.0.works.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Watched {
    fn works<'a, T: Send + 'a>(&'a self, work: StoreFuture<'a, T>) -> StoreFuture<'a, T> {
        self.clock.works.fetch_add(1, Ordering::Relaxed);
        let working = Working(&self.clock);
        async move {
            let _working = working;
            work.await
        }
        .boxed()
    }
}

impl Store for Watched {
    fn create<'a>(&'a self, run: &'a RunInfo) -> StoreFuture<'a, ()> {
        self.works(self.store.create(run))
    }

    fn commit<'a>(&'a self, run: &'a str, commit: Commit<'a>) -> StoreFuture<'a, ()> {
        self.works(self.store.commit(run, commit))
    }

    fn load<'a>(&'a self, run: &'a str, at: Option<u64>) -> StoreFuture<'a, StoredRun> {
        self.works(self.store.load(run, at))
    }

    fn entries<'a>(&'a self, run: &'a str) -> StoreFuture<'a, Vec<JournalEntry>> {
        self.works(self.store.entries(run))
    }

    fn runs(&self) -> StoreFuture<'_, Vec<RunInfo>> {
        self.works(self.store.runs())
    }

    fn acquire<'a>(&'a self, run: &'a str, owner: &'a str, ttl: Duration) -> StoreFuture<'a, Lease> {
        self.works(self.store.acquire(run, owner, ttl))
    }

    fn release<'a>(&'a self, run: &'a str, lease: &'a Lease) -> StoreFuture<'a, ()> {
        self.works(self.store.release(run, lease))
    }

    fn keep_program<'a>(&'a self, program: &'a ProgramText) -> StoreFuture<'a, ()> {
        self.works(self.store.keep_program(program))
    }

    fn program<'a>(&'a self, digest: &'a str) -> StoreFuture<'a, Option<ProgramText>> {
        self.works(self.store.program(digest))
    }
}

/// Keeps every event.
#[derive(Default)]
pub(crate) struct Events(Mutex<Vec<Event>>);

impl Events {
    pub(crate) fn all(&self) -> Vec<Event> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Observer for Events {
    fn recorded(&self, event: &Event, _: u32, _: RunView<'_>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(event.clone());
    }
}
