//! Workers whose queue fails, and runs that cannot be driven or are to end.

use std::future::pending;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use futures::future::{join, ready};
use loopwright::app::{DriverOfRun, Graph, GraphHost, HostedGraph, OpenRun};
use loopwright::drive::{Driver, Finished, SystemClock};
use loopwright::machine::{Call, Outcome, Start, Time};
use loopwright::model::Files;
use loopwright::port::{
    BoxFuture, Clock, Leftovers, Message, Queue, RunInfo, RunStatus, RunView, Store, StoreError, ToolHost,
    ToolInfo,
};
use loopwright::program::graph::Delivery;
use loopwright::store::Memory;
use loopwright::value::{Str, Value};
use loopwright::worker::queue::{QueueWorker, WorkListener, WorkNote};

use crate::host::Host;
use crate::queue::{all, answer, graph, leave, status};
use crate::troubled::Troubled;

/// What a worker told, and how often its queue failed.
#[derive(Default)]
struct Heard(Mutex<(Vec<(Str, WorkNote)>, usize)>);

impl WorkListener for Heard {
    fn noted(&self, run: &Str, note: &WorkNote) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).0.push((run.clone(), note.clone()));
    }

    fn failed(&self, _: &StoreError) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).1 += 1;
    }
}

impl Heard {
    /// Why a run could not be driven, each time.
    fn failures(&self, of: &str) -> Vec<String> {
        let heard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let why = |(run, note): &(Str, WorkNote)| match note {
            WorkNote::Failed(why) if run == of => Some(why.clone()),
            _ => None,
        };
        heard.0.iter().filter_map(why).collect()
    }
}

fn worker(queue: &Arc<Troubled>, graph: Graph, heard: &Arc<Heard>) -> QueueWorker {
    let host = Host::new(graph, Arc::clone(queue) as Arc<dyn Store>, |driver| driver);
    with_host(Arc::clone(queue) as _, Arc::new(host), heard)
}

fn with_host(queue: Arc<dyn Queue>, host: Arc<dyn GraphHost>, heard: &Arc<Heard>) -> QueueWorker {
    // No test waits for a lease to run out.
    let owner = ("a".into(), Duration::from_mins(10));
    QueueWorker::new(queue, owner, Arc::new(SystemClock::new()), Arc::clone(heard) as _).host(host)
}

/// Lets a worker work for so many milliseconds.
async fn work_for(worker: &QueueWorker, millis: u64) {
    worker.work(tokio::time::sleep(Duration::from_millis(millis))).await.expect("the queue is there");
}

/// A run that is only a name.
async fn create(store: &Memory, run: &str, graph: &Graph) {
    store.keep_program(&graph.text).await.expect("it is kept");
    let info = RunInfo {
        run: run.into(),
        graph: graph.program.graphs[0].id.clone(),
        program: graph.program.digest.clone(),
        started: 0,
        status: RunStatus::Ready,
    };
    store.create(&info).await.expect("it is created");
}

#[tokio::test]
async fn what_was_taken_is_driven_though_its_messages_were_not_read_at_once() {
    let queue = Arc::new(Troubled::default());
    queue.unread.store(1, Ordering::Relaxed);
    let heard = Arc::new(Heard::default());
    leave(&queue.store, "one", Duration::ZERO, None).await;
    let worker = worker(&queue, graph(), &heard).until_idle();
    worker.work(pending()).await.expect("the queue is there");
    assert_eq!(status(&queue.store, "one").await, "waiting");
    assert_eq!(heard.0.lock().expect("nobody panicked").1, 1, "the queue failed once");
}

#[tokio::test]
async fn a_message_that_cannot_be_read_is_the_fault_of_its_run_alone() {
    let queue = Arc::new(Troubled { unreadable: Some("bad".into()), ..Troubled::default() });
    let heard = Arc::new(Heard::default());
    leave(&queue.store, "bad", Duration::ZERO, None).await;
    leave(&queue.store, "good", Duration::ZERO, None).await;
    worker(&queue, graph(), &heard).until_idle().work(pending()).await.expect("the queue is there");
    assert_eq!(status(&queue.store, "good").await, "waiting");
    assert_eq!(heard.failures("bad"), ["it is damaged"]);
}

#[tokio::test]
async fn a_run_that_has_not_begun_is_not_taken_again_at_once() {
    let queue = Arc::new(Troubled::default());
    let heard = Arc::new(Heard::default());
    create(&queue.store, "named", &graph()).await;
    queue.store.post("named", &Message::RESUME).await.expect("it is posted");
    work_for(&worker(&queue, graph(), &heard), 500).await;
    let failures = heard.failures("named");
    assert_eq!(failures.len(), 1, "{failures:?}");
}

#[tokio::test]
async fn a_run_that_has_not_begun_ends_by_a_message() {
    let queue = Arc::new(Troubled::default());
    let heard = Arc::new(Heard::default());
    create(&queue.store, "named", &graph()).await;
    queue
        .store
        .post("named", &Message::Cancel { reason: "enough".into(), by: None })
        .await
        .expect("it is posted");
    worker(&queue, graph(), &heard).until_idle().work(pending()).await.expect("the queue is there");
    assert_eq!(status(&queue.store, "named").await, "cancelled");
}

const TIDY: &str = "\
graph: tidy
start: work
nodes:
  work:
    kind: human
    ask: \"'Go on?'\"
    options: [go]
    next: [{to: end}, {to: rest, on: error(cancelled)}]
  rest: {kind: wait, delay: 1200ms, next: tidied}
  tidied: {kind: final}
  end: {kind: final}
";

fn loaded(text: impl Into<String>) -> Graph {
    Graph::load("graph.yaml", &mut Files::new().with("graph.yaml", text)).expect("it is sound")
}

#[tokio::test]
async fn a_cancelled_run_waits_for_the_timers_of_its_answer() {
    let queue = Arc::new(Troubled::default());
    let heard = Arc::new(Heard::default());
    create(&queue.store, "tidy", &loaded(TIDY)).await;
    let start = Start { run: "tidy".into(), ..Start::default() };
    queue.store.post("tidy", &Message::Start(Box::new(start))).await.expect("it is posted");
    let worker = worker(&queue, loaded(TIDY), &heard).until_idle();
    worker.work(pending()).await.expect("the queue is there");
    assert_eq!(status(&queue.store, "tidy").await, "waiting");
    queue
        .store
        .post("tidy", &Message::Cancel { reason: "enough".into(), by: None })
        .await
        .expect("it is posted");
    worker.work(pending()).await.expect("the queue is there");
    assert_eq!(status(&queue.store, "tidy").await, "tidied");
}

#[tokio::test]
async fn the_lease_of_a_cancelled_run_stays_until_it_has_ended() {
    let store = Arc::new(Memory::new());
    let asks = "{kind: human, ask: \"'Why?'\", next: tidied}";
    let graph = loaded(TIDY.replace("{kind: wait, delay: 1200ms, next: tidied}", asks));
    let driver = Driver::new(Arc::clone(&graph.program)).store(Arc::clone(&store) as _);
    let driver = driver.owner("a", Duration::from_secs(10));
    let mut run = driver.start(Start { run: "one".into(), ..Start::default() }).await.expect("it begins");
    run.drive().await.expect("it waits");
    assert_eq!(store.driver("one").await.expect("it is there"), None);
    let mut run = driver.cancel("one", "enough").await.expect("it is taken up");
    assert!(matches!(run.drive().await, Ok(Finished::Waiting { .. })));
    assert!(store.driver("one").await.expect("it is there").is_some(), "somebody could come in between");
    run.end("enough");
    assert!(matches!(run.drive().await, Ok(Finished::Done(_))));
    assert_eq!(store.driver("one").await.expect("it is there"), None);
}

/// A host whose runs take a while to end after they were driven, as where servers are closed.
struct Slow(Host<fn(Driver) -> Driver>);

impl GraphHost for Slow {
    fn graph(&self) -> &HostedGraph {
        self.0.graph()
    }

    fn driver(&self) -> BoxFuture<'_, Result<DriverOfRun, String>> {
        self.0.driver()
    }

    fn driver_of<'a>(&'a self, run: &'a OpenRun) -> BoxFuture<'a, Result<DriverOfRun, String>> {
        async move {
            let DriverOfRun { driver, .. } = self.0.driver_of(run).await?;
            Ok(DriverOfRun { driver, end: tokio::time::sleep(Duration::from_secs(1)).boxed() })
        }
        .boxed()
    }

    fn resume(&self, run: &str, more: &[&str]) -> String {
        self.0.resume(run, more)
    }
}

#[tokio::test]
async fn a_run_is_driven_on_once_the_task_that_had_it_has_ended() {
    let (store, heard) = (Arc::new(Memory::new()), Arc::new(Heard::default()));
    let host = Slow(Host::new(graph(), Arc::clone(&store) as _, |driver| driver));
    let worker = with_host(Arc::clone(&store) as _, Arc::new(host), &heard);
    leave(&store, "one", Duration::ZERO, None).await;
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let scene = async {
        all(&store, "waiting").await;
        // Its task is still there for a second.
        answer(&store, "one", "publish").await;
        all(&store, "published").await;
        stop.send(()).expect("it works");
    };
    join(worker.work(stopped.map(drop)), scene).await.0.expect("the queue is there");
}

#[tokio::test]
async fn a_worker_hears_that_it_is_to_stop_while_its_queue_says_nothing() {
    let queue = Arc::new(Troubled::default());
    queue.hangs.store(true, Ordering::Relaxed);
    let worker = worker(&queue, graph(), &Arc::new(Heard::default()));
    let stopped = tokio::time::timeout(Duration::from_secs(5), work_for(&worker, 50)).await;
    assert!(stopped.is_ok(), "it did not stop");
}

#[tokio::test]
async fn a_worker_that_ends_when_idle_ends_when_its_queue_is_gone_for_good() {
    let queue = Arc::new(Troubled::default());
    queue.fails.store(true, Ordering::Relaxed);
    let worker = worker(&queue, graph(), &Arc::new(Heard::default())).until_idle();
    let ended = tokio::time::timeout(Duration::from_secs(10), worker.work(pending())).await;
    let error = ended.expect("it ends").expect_err("it failed");
    assert_eq!(error.to_string(), "the store is away");
}

/// A tool of which an earlier call is at work and cannot be ended.
struct Stuck;

impl ToolHost for Stuck {
    fn catalogue(&self) -> Vec<ToolInfo> {
        vec![ToolInfo::new("pay", Value::Null).delivery(Delivery::Pure)]
    }

    fn call(&self, _: &Call, _: RunView<'_>) -> BoxFuture<'static, Outcome> {
        pending().boxed()
    }

    fn remains(&self, _: &Call) -> Option<BoxFuture<'static, Leftovers>> {
        Some(ready(Leftovers::AtWork("nobody can end it".into())).boxed())
    }
}

const PAYS: &str = "\
graph: pays
start: pay
nodes:
  pay: {kind: tool, tool: pay, next: [{to: end}, {to: end, on: error}]}
  end: {kind: final}
";

/// The next look would find the same: until the lease runs out, nobody looks.
#[tokio::test]
async fn the_lease_of_a_run_that_cannot_go_on_stays() {
    let queue = Arc::new(Troubled::default());
    let heard = Arc::new(Heard::default());
    create(&queue.store, "stuck", &loaded(PAYS)).await;
    let start = Start { run: "stuck".into(), ..Start::default() };
    queue.store.post("stuck", &Message::Start(Box::new(start))).await.expect("it is posted");
    let host = Host::new(loaded(PAYS), Arc::clone(&queue) as _, |driver| driver.tools(Arc::new(Stuck)));
    let worker = with_host(Arc::clone(&queue) as _, Arc::new(host), &heard);
    // Its call is cut off.
    let working = worker.work(pending());
    assert!(tokio::time::timeout(Duration::from_millis(300), working).await.is_err(), "its call hangs");
    let lease = queue.store.acquire("stuck", "a", Duration::from_mins(1)).await.expect("it is its own");
    queue.store.release("stuck", &lease).await.expect("it is given back");
    queue.store.post("stuck", &Message::RESUME).await.expect("it is posted");
    work_for(&worker, 500).await;
    let failures = heard.failures("stuck");
    assert_eq!(failures.len(), 1, "{failures:?}");
    assert!(failures[0].contains("nobody can end it"), "{failures:?}");
    assert_eq!(queue.store.driver("stuck").await.expect("it is there").as_deref(), Some("a"));
}

/// A clock that goes on by a second whenever it is read.
struct Hasty(AtomicI64);

impl Clock for Hasty {
    fn now(&self) -> Time {
        self.0.fetch_add(1_000_000_000, Ordering::Relaxed)
    }

    fn sleep_until(&self, _: Time) -> BoxFuture<'static, ()> {
        ready(()).boxed()
    }
}

#[tokio::test]
async fn a_question_whose_time_is_over_is_not_waited_for() {
    let text = TIDY
        .replace("options: [go]", "options: [go]\n    timeout: 1s")
        .replace("{to: end}", "{to: end}, {to: tidied, on: timeout}");
    let graph = loaded(text);
    let driver = Driver::new(graph.program).clock(Arc::new(Hasty(AtomicI64::new(0))));
    let mut run = driver.start(Start { run: "one".into(), ..Start::default() }).await.expect("it begins");
    let finished = run.drive().await.expect("it goes on");
    assert!(matches!(&finished, Finished::Done(done) if done.outcome == "tidied"), "{finished:?}");
}
