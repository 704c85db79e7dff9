//! Runs that continue where another driver left off: what was acknowledged and not finished is finished, and what nobody knows
//! is not made up. `tests/simulation` found each of these.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use futures::future::ready;
use loopwright::config::RunLimits;
use loopwright::drive::{DriveError, Driver, Finished, UndoState, rebuild};
use loopwright::machine::{Call, CallProgress, Outcome, Question, Start};
use loopwright::port::{
    BoxFuture, Commit, EntryCause, Human, HumanReply, JournalEntry, Lease, ProgramText, RunInfo, RunStatus,
    RunView, Store, StoreError, StoreFuture, StoredRun, ToolHost, ToolInfo,
};
use loopwright::program::Program;
use loopwright::program::graph::Delivery;
use loopwright::store::Memory;
use loopwright::value::{Map, Value};
use tokio::time::{Instant, sleep};

use crate::played::compiled;

/// A store in memory that is slow, loses an answer, or loads snapshots alone.
struct Odd {
    inner: Memory,
    begun: Instant,
    /// What is asked takes so long to be answered.
    slow: Duration,
    /// When leases were asked for.
    asked: Mutex<Vec<Duration>>,
    /// The answer to a commit with such an entry is lost.
    loses: fn(&EntryCause) -> bool,
    /// Loads the state after the last entry, and no entries.
    whole: Option<Arc<Program>>,
    /// Counts the entries that were read besides.
    read: AtomicUsize,
}

impl Odd {
    fn new() -> Self {
        Self {
            inner: Memory::new(),
            begun: Instant::now(),
            slow: Duration::ZERO,
            asked: Mutex::default(),
            loses: |_| false,
            whole: None,
            read: AtomicUsize::new(0),
        }
    }

    fn last_asked(&self) -> Duration {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.last().copied().unwrap_or_default()
    }
}

impl Store for Odd {
    fn create<'a>(&'a self, run: &'a RunInfo) -> StoreFuture<'a, ()> {
        self.inner.create(run)
    }

    fn commit<'a>(&'a self, run: &'a str, commit: Commit<'a>) -> StoreFuture<'a, ()> {
        let lost = commit.entries.iter().any(|entry| (self.loses)(&entry.cause));
        async move {
            self.inner.commit(run, commit).await?;
            sleep(self.slow).await;
            if lost { Err(StoreError::Failed("the answer was lost".to_owned())) } else { Ok(()) }
        }
        .boxed()
    }

    fn load<'a>(&'a self, run: &'a str, at: Option<u64>) -> StoreFuture<'a, StoredRun> {
        async move {
            let stored = self.inner.load(run, at).await?;
            let Some(program) = &self.whole else { return Ok(stored) };
            let snapshot = rebuild(program, &stored).expect("it can be built again");
            let from = stored.from + stored.entries.len() as u64;
            Ok(StoredRun { from, snapshot, entries: Vec::new(), ..stored })
        }
        .boxed()
    }

    fn entries<'a>(&'a self, run: &'a str) -> StoreFuture<'a, Vec<JournalEntry>> {
        self.last_entries(run, u32::MAX)
    }

    fn last_entries<'a>(&'a self, run: &'a str, many: u32) -> StoreFuture<'a, Vec<JournalEntry>> {
        async move {
            let entries = self.inner.last_entries(run, many).await?;
            self.read.fetch_add(entries.len(), Ordering::SeqCst);
            Ok(entries)
        }
        .boxed()
    }

    fn runs(&self) -> StoreFuture<'_, Vec<RunInfo>> {
        self.inner.runs()
    }

    fn acquire<'a>(&'a self, run: &'a str, owner: &'a str, ttl: Duration) -> StoreFuture<'a, Lease> {
        async move {
            self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(self.begun.elapsed());
            let lease = self.inner.acquire(run, owner, ttl).await;
            sleep(self.slow).await;
            lease
        }
        .boxed()
    }

    fn release<'a>(&'a self, run: &'a str, lease: &'a Lease) -> StoreFuture<'a, ()> {
        self.inner.release(run, lease)
    }

    fn driver<'a>(&'a self, run: &'a str) -> StoreFuture<'a, Option<loopwright::value::Str>> {
        self.inner.driver(run)
    }

    fn keep_program<'a>(&'a self, program: &'a ProgramText) -> StoreFuture<'a, ()> {
        self.inner.keep_program(program)
    }

    fn program<'a>(&'a self, digest: &'a str) -> StoreFuture<'a, Option<ProgramText>> {
        self.inner.program(digest)
    }
}

/// A tool that may be called at most once, and one that undoes it.
struct Pays {
    takes: Duration,
    calls: AtomicUsize,
    /// What undoing comes to.
    undone: Outcome,
    /// When it was called.
    called: Mutex<Vec<Instant>>,
}

impl Pays {
    fn new() -> Self {
        let undone = Outcome::answer(true);
        Self { takes: Duration::ZERO, calls: AtomicUsize::new(0), undone, called: Mutex::default() }
    }
}

impl ToolHost for Pays {
    fn catalogue(&self) -> Vec<ToolInfo> {
        vec![ToolInfo::new("pay", Value::Null).compensate("refund")]
    }

    fn call(&self, _: &Call, _: RunView<'_>) -> BoxFuture<'static, Outcome> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        self.called.lock().unwrap_or_else(PoisonError::into_inner).push(Instant::now());
        sleep(self.takes).map(|()| Outcome::answer("paid")).boxed()
    }

    fn compensation(&self, _: &str) -> Option<ToolInfo> {
        Some(ToolInfo::new("refund", Value::Null).delivery(Delivery::AtMostOnce))
    }

    fn compensate(&self, _: &Call, _: &Value) -> Option<BoxFuture<'static, Outcome>> {
        Some(ready(self.undone.clone()).boxed())
    }
}

const PAYS: &str = "
graph: pays
state: {said: string?}
start: pay
nodes:
  pay: {kind: tool, tool: pay, next: [{to: ask}, {to: ask, on: [error, unknown]}]}
  ask: {kind: human, ask: \"'Well?'\", into: said, next: [{to: end}]}
  end: {kind: final}
";

fn start(run: &str) -> Start {
    Start { run: run.into(), ..Start::default() }
}

async fn begun(driver: &Driver) -> Finished {
    driver.start(start("r")).await.expect("the run begins").drive().await.expect("the run goes on")
}

/// What a store answers may be long on its way: the lease lasts from when it was asked for, not from when it came.
#[tokio::test(start_paused = true)]
async fn no_call_begins_after_a_lease_that_was_long_on_its_way() {
    const LEASE: Duration = Duration::from_secs(10);
    let store = Arc::new(Odd { slow: Duration::from_secs(6), ..Odd::new() });
    let tools = Arc::new(Pays::new());
    let driver = Driver::new(compiled(&[("pays.yaml", PAYS)]))
        .store(Arc::clone(&store) as _)
        .tools(Arc::clone(&tools) as _)
        .owner("a", LEASE);
    let mut run = driver.start(start("r")).await.expect("the run begins");
    let called = async {
        while tools.calls.load(Ordering::SeqCst) == 0 {
            sleep(Duration::from_millis(100)).await;
        }
        store.begun.elapsed().saturating_sub(store.last_asked())
    };
    tokio::select! {
        biased;
        finished = run.drive() => panic!("it ended before: {finished:?}"),
        held = called => assert!(held < LEASE, "called {held:?} after the lease was asked for"),
    }
}

/// Goes back once, then is gone.
struct GoesBack(AtomicUsize);

impl Human for GoesBack {
    fn ask(&self, _: &Question, _: RunView<'_>) -> BoxFuture<'static, HumanReply> {
        let first = self.0.fetch_add(1, Ordering::SeqCst) == 0;
        let back = Value::Map(Map::from_iter([("rollback", Value::Int(0))]));
        ready(if first { HumanReply::Answer(back) } else { HumanReply::Unattended }).boxed()
    }
}

const PAUSES: &str = "
graph: pauses
state: {n: int = 0}
pause: {when: in_state(count) && rolled_back() == null, ask: \"'Go on?'\"}
start: count
nodes:
  count: {do: n += 1, next: [{to: ask}, {to: ask, on: error}]}
  ask: {kind: human, ask: \"'Well?'\", next: [{to: end}]}
  end: {kind: final}
";

fn is_answer(cause: &EntryCause) -> bool {
    matches!(cause, EntryCause::Input(loopwright::machine::InputKind::Answered { .. }))
}

/// The answer is stored, and then the driver is gone: whoever comes next does what the person wanted.
#[tokio::test]
async fn a_run_goes_back_though_its_driver_crashed_on_the_way() {
    let program = compiled(&[("pauses.yaml", PAUSES)]);
    for whole in [None, Some(Arc::clone(&program))] {
        let store = Arc::new(Odd { loses: is_answer, whole, ..Odd::new() });
        let driver = Driver::new(Arc::clone(&program)).store(Arc::clone(&store) as _);
        let person = driver.clone().human(Arc::new(GoesBack(AtomicUsize::new(0))));
        let mut run = person.start(start("r")).await.expect("the run begins");
        let error = run.drive().await.expect_err("the answer of the store is lost");
        assert!(matches!(error, DriveError::Store(StoreError::Failed(_))), "{error}");
        // It does not wait for a person: somebody is to continue it.
        assert_eq!(store.runs().await.expect("the runs")[0].status, RunStatus::Running);
        let mut run = driver.reopen("r").await.expect("the run is there");
        let Ok(Finished::Waiting { asks, .. }) = run.drive().await else { panic!("it does not wait") };
        assert_eq!(asks[0].node, "ask", "it went back, and came again to the next question");
        let back = |entry: &JournalEntry| matches!(entry.cause, EntryCause::Back { .. });
        assert_eq!(
            store.entries("r").await.expect("the journal").iter().filter(|entry| back(entry)).count(),
            1
        );
    }
}

const LONG: &str = "
graph: long
state: {n: int = 0}
budgets: {rounds: 200}
pause: {when: n == 100, ask: \"'Go on?'\"}
start: pay
nodes:
  pay: {kind: tool, tool: pay, do: spend rounds, next: [{to: count}, {to: end, on: error}, {to: end, on: unknown}, {to: end, on: exhausted(rounds)}]}
  count: {do: n += 1, next: [{to: end, when: n == 120}, {to: pay}, {to: end, on: error}]}
  end: {kind: final}
";

/// What it costs to continue a run does not grow with its journal where a snapshot was stored last.
#[tokio::test]
async fn the_end_of_a_journal_is_read_and_no_more() {
    let program = compiled(&[("long.yaml", LONG)]);
    let store = Arc::new(Odd { whole: Some(Arc::clone(&program)), ..Odd::new() });
    let driver =
        Driver::new(program).store(Arc::clone(&store) as _).tools(Arc::new(Pays::new()) as Arc<dyn ToolHost>);
    let mut run = driver.start(start("r")).await.expect("the run begins");
    assert!(matches!(run.drive().await, Ok(Finished::Waiting { .. })));
    drop(run);
    store.read.store(0, Ordering::SeqCst);
    let mut run = driver.reopen("r").await.expect("the run is there");
    assert!(matches!(run.drive().await, Ok(Finished::Waiting { .. })));
    let read = store.read.load(Ordering::SeqCst);
    assert!((1..=8).contains(&read), "{read} entries were read");
    assert!(store.entries("r").await.expect("the journal").len() > 100);
}

/// A worker that was stopped for a while knows the run as it was when it took it.
#[tokio::test]
async fn a_run_that_somebody_else_had_since_it_was_taken_is_not_driven() {
    let store = Arc::new(Odd::new());
    let driver = Driver::new(compiled(&[("pays.yaml", PAYS)]))
        .store(Arc::clone(&store) as _)
        .tools(Arc::new(Pays::new()))
        .owner("a", Duration::from_secs(10));
    begun(&driver).await;
    let taken = store.acquire("r", "a", Duration::ZERO).await.expect("it is free");
    let other = store.acquire("r", "b", Duration::from_secs(10)).await.expect("it ran out");
    store.release("r", &other).await.expect("it is given back");
    let error = driver.clone().fenced(taken.fence).reopen("r").await.map(|run| run.id().clone());
    assert!(matches!(error, Err(DriveError::Taken(_))), "{error:?}");
    assert_eq!(store.driver("r").await.expect("it is there"), None, "nobody has it");
    let again = store.acquire("r", "a", Duration::from_secs(10)).await.expect("it is free");
    driver.fenced(again.fence).reopen("r").await.expect("it is the one that was taken");
}

/// Undoing that was cut off is not tried again where it may be done at most once: a person must say.
#[tokio::test]
async fn nobody_knows_what_undoing_did_that_was_cut_off() {
    let cut_off = Outcome::failed("tool_failed", "gone").with_progress(CallProgress::CutOff);
    for (undone, state) in
        [(cut_off, UndoState::Begun), (Outcome::failed("tool_failed", "no"), UndoState::No)]
    {
        let driver = Driver::new(compiled(&[("pays.yaml", PAYS)]))
            .store(Arc::new(Memory::new()))
            .tools(Arc::new(Pays { undone, ..Pays::new() }));
        begun(&driver).await;
        let plan =
            async || driver.rollback_plan("r", 0).await.expect("the run is there").expect("the step is");
        let error = driver.go_back("r", plan().await, true).await.expect_err("it is not undone");
        assert!(matches!(error, DriveError::Undo { .. }), "{error}");
        assert_eq!(plan().await.left[0].undo_state, state);
    }
}

const TWO: &str = "
graph: two
state: {both: any}
start: both
nodes:
  both:
    kind: parallel
    branches: {a: {graph: one.yaml}, b: {graph: one.yaml}}
    next: [{to: end, do: both = result}, {to: end, on: error}]
  end: {kind: final}
output: {both: both}
";

const ONE: &str = "
graph: one
start: pay
nodes:
  pay: {kind: tool, tool: pay, next: [{to: paid}, {to: unknown, on: unknown}, {to: failed, on: error}]}
  paid: {kind: final}
  unknown: {kind: final, ok: 'false'}
  failed: {kind: final, ok: 'false'}
";

/// The journal says which calls had not begun, also where a snapshot was stored after its last entry.
#[tokio::test(start_paused = true)]
async fn a_call_that_had_not_begun_is_made_wherever_the_last_snapshot_is() {
    let program = compiled(&[("two.yaml", TWO), ("one.yaml", ONE)]);
    for whole in [None, Some(Arc::clone(&program))] {
        let store = Arc::new(Odd { whole, ..Odd::new() });
        let tools = Arc::new(Pays { takes: Duration::from_mins(1), ..Pays::new() });
        let driver = Driver::new(Arc::clone(&program))
            .store(Arc::clone(&store) as _)
            .tools(Arc::clone(&tools) as _)
            .limits(RunLimits { at_once: 1, ..RunLimits::default() });
        let mut run = driver.start(start("r")).await.expect("the run begins");
        let handle = run.handle();
        tokio::spawn(async move {
            sleep(Duration::from_secs(10)).await;
            handle.interrupt("SIGTERM");
        });
        assert!(matches!(run.drive().await, Ok(Finished::Interrupted { .. })));
        let mut run = driver.reopen("r").await.expect("the run is there");
        let Ok(Finished::Done(done)) = run.drive().await else { panic!("it does not end") };
        let said = done.output.to_json().to_string();
        assert_eq!((said.matches("unknown").count(), said.matches("paid").count()), (1, 1), "{said}");
    }
}
