//! Waits and retries on the system's own clock. (On a simulated one they are held in `drive` and in scenarios.)

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures::future::ready;
use loopwright::drive::{Finished, SystemClock};
use loopwright::machine::{EventKind, Start};
use loopwright::port::{Clock, Store, ToolInfo};
use loopwright::program::graph::Delivery;
use loopwright::store::Memory;
use loopwright::tool::Tools;
use loopwright::value::{Map, Value};

use crate::played::compiled;
use crate::rebuilt;

const WAITS: &str = "
graph: waits
state: {before: duration = 0s, after: duration = 0s}
start: sleep
nodes:
  sleep: {kind: wait, delay: 60ms, do: before = now(), then: after = now(), next: [{to: work}]}
  work:
    kind: tool
    tool: moody
    retry: {attempts: 3, on: [tool_failed], first: 40ms}
    next: [{to: end}]
  end: {kind: final}
output: {slept: after - before}
";

#[tokio::test]
async fn waits_and_retries_take_their_time() {
    let program = compiled(&[("waits.yaml", WAITS)]);
    let tries = Arc::new(AtomicUsize::new(0));
    let counter = tries.clone();
    // What may be called only once is not called again.
    let moody = ToolInfo::new("moody", Value::Map(Map::new())).delivery(Delivery::Idempotent);
    let tools = Tools::new().closure_with(moody, move |_| {
        let n = counter.fetch_add(1, Ordering::SeqCst);
        ready(if n < 2 { Err("not yet".to_owned()) } else { Ok(Value::Null) })
    });
    let store = Arc::new(Memory::new());
    let driver = rebuilt::driver(program)
        .clock(Arc::new(SystemClock::new()))
        .tools(Arc::new(tools))
        .store(store.clone());
    let before = Instant::now();
    let mut run = driver.start(Start { run: "waits".into(), ..Start::default() }).await.expect("it begins");
    let Ok(Finished::Done(done)) = run.drive().await else { panic!("the run did not end") };
    let passed = before.elapsed();
    assert!(done.ok, "{done:?}");
    let slept = done.output.as_map().and_then(|output| output.get("slept")).cloned();
    assert!(matches!(slept, Some(Value::Duration(slept)) if slept >= 60_000_000), "{slept:?}");
    // A wait, and two waits between three tries.
    assert!(passed >= Duration::from_millis(60 + 40 + 80), "{passed:?}");
    assert_eq!(tries.load(Ordering::SeqCst), 3);
    let events = store.events("waits").await.expect("the events");
    let waits: Vec<i64> = events
        .iter()
        .filter_map(|event| match event.kind {
            EventKind::Retrying { until, .. } => Some((until - event.at) / 1_000_000),
            _ => None,
        })
        .collect();
    assert_eq!(waits, [40, 80]);
}

#[tokio::test]
async fn a_sleep_ends_when_the_clock_says_so() {
    let clock = SystemClock::new();
    let until = clock.now() + 30_000_000;
    clock.sleep_until(until).await;
    assert!(clock.now() >= until);
    clock.sleep_until(until - 1_000_000_000).await;
}
