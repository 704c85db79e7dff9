//! Calls of which nobody knows whether they took place, and whose driver is stopped before it could ask: the journal calls none of
//! them unmade. `tests/simulation` found each of these.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::FutureExt;
use futures::future::{join, pending, ready};
use loopwright::drive::{Driver, Finished, Run};
use loopwright::machine::{Call, EventKind, Outcome, Start};
use loopwright::port::{BoxFuture, EntryCause, ProbeResult, RunView, Store, ToolHost, ToolInfo};
use loopwright::store::Memory;
use loopwright::value::Value;

use crate::played::compiled;

/// A tool that may be called at most once and never answers. Its probe cannot tell.
#[derive(Default)]
struct Pays {
    has_probe: bool,
    calls: Arc<AtomicUsize>,
}

impl ToolHost for Pays {
    fn catalogue(&self) -> Vec<ToolInfo> {
        vec![ToolInfo::new("pay", Value::Null)]
    }

    fn call(&self, _: &Call, _: RunView<'_>) -> BoxFuture<'static, Outcome> {
        let calls = Arc::clone(&self.calls);
        async move {
            calls.fetch_add(1, Ordering::SeqCst);
            pending().await
        }
        .boxed()
    }

    fn probe(&self, _: &Call, _: RunView<'_>) -> Option<BoxFuture<'static, ProbeResult>> {
        self.has_probe.then(|| ready(ProbeResult::Unknown("no answer".into())).boxed())
    }
}

const PAYS: &str = "
graph: pays
start: pay
nodes:
  pay: {kind: tool, tool: pay, next: [{to: end}, {to: end, on: error}]}
  end: {kind: final}
";

/// A driver whose run `r` was cut off in its call.
async fn cut_off(store: &Arc<Memory>, tools: &Arc<Pays>) -> Driver {
    let driver = Driver::new(compiled(&[("pays.yaml", PAYS)]))
        .store(Arc::clone(store) as _)
        .tools(Arc::clone(tools) as _)
        .owner("a", Duration::from_secs(10));
    let mut run = driver.start(Start { run: "r".into(), ..Start::default() }).await.expect("it begins");
    let cut_off = tokio::time::timeout(Duration::from_secs(1), run.drive()).await;
    assert!(cut_off.is_err(), "the call hangs");
    driver
}

/// Drives a run that waits for an answer to the question after its call.
async fn asked(run: &mut Run) {
    let Ok(Finished::Waiting { asks, .. }) = run.drive().await else { panic!("nobody is asked") };
    assert_eq!(asks[0].id.0, "r:pay#1.1.lost");
}

/// The calls that the last entry of the journal says had not begun.
async fn unmade(store: &Memory) -> Vec<String> {
    let entries = store.last_entries("r", 1).await.expect("the journal");
    let EntryCause::Interrupted { unmade, .. } = &entries[0].cause else { panic!("{entries:?}") };
    unmade.iter().map(|call| call.0.to_string()).collect()
}

/// The driver's process stood still until its lease was over, just when it was to ask, and then it was stopped.
#[tokio::test(start_paused = true)]
async fn a_call_whose_probe_was_not_asked_in_time_is_not_made_again() {
    let (store, tools) = (Arc::new(Memory::new()), Arc::new(Pays { has_probe: true, ..Pays::default() }));
    let driver = cut_off(&store, &tools).await;
    let mut run = driver.reopen("r").await.expect("it is taken up");
    let handle = run.handle();
    let stopped = async {
        handle.interrupt("SIGTERM");
        tokio::time::advance(Duration::from_secs(20)).await;
    };
    let (finished, ()) = join(run.drive(), stopped).await;
    assert!(matches!(finished, Ok(Finished::Interrupted { .. })), "{finished:?}");
    assert_eq!(unmade(&store).await, [""; 0]);
    asked(&mut driver.reopen("r").await.expect("it is taken up")).await;
    assert_eq!(tools.calls.load(Ordering::SeqCst), 1);
}

/// A person wanted the call again, and the driver was stopped before it made it.
#[tokio::test(start_paused = true)]
async fn nobody_knows_of_the_first_time_of_a_call_that_was_cancelled_before_its_second() {
    let (store, tools) = (Arc::new(Memory::new()), Arc::new(Pays::default()));
    let driver = cut_off(&store, &tools).await;
    let mut run = driver.reopen("r").await.expect("it is taken up");
    asked(&mut run).await;
    drop(run);
    let mut run = driver.reopen("r").await.expect("it is taken up");
    let ask = run.snapshot().asks().next().expect("the question").id.clone();
    run.answer(&ask, Value::from("retry")).expect("it fits");
    run.handle().interrupt("SIGTERM");
    assert!(matches!(run.drive().await, Ok(Finished::Interrupted { .. })));
    assert_eq!(unmade(&store).await, ["r:pay#1.1"]);
    let mut run = driver.cancel("r", "enough").await.expect("it is taken up");
    assert!(matches!(run.drive().await, Ok(Finished::Done(_))));
    assert_eq!(tools.calls.load(Ordering::SeqCst), 1);
    let late = |kind: EventKind| match kind {
        EventKind::Late { outcome, .. } => Some(*outcome),
        _ => None,
    };
    let events = store.events("r").await.expect("the journal");
    let outcomes: Vec<Outcome> = events.into_iter().filter_map(|event| late(event.kind)).collect();
    let message =
        "nobody knew whether the call took place, and the run was cancelled before it was made again";
    assert_eq!(outcomes, [Outcome::Unknown { message: message.into() }]);
}
