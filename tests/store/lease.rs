//! One driver for each run.

use std::sync::Arc;
use std::time::Duration;

use loopwright::drive::DriveError;
use loopwright::port::{ProcessSignature, Store, StoreError};
use loopwright::store::{Memory, Sqlite, this_process};
use loopwright::value::Value;

use super::world::{driver, end, folder, sqlite, start, wait, waiting};

const LONG: Duration = Duration::from_mins(1);

/// Two drivers of one run: the first is asleep while its lease runs out.
async fn one_goes_on(store: Arc<dyn Store>) {
    let owner = |name: &str, ttl| driver(store.clone()).owner(name, ttl);
    let mut first = owner("first", LONG).start(start("one", 3)).await.expect("it begins");
    wait(&mut first).await;
    let mut slow =
        owner("slow", Duration::from_millis(1)).reopen("one").await.expect("the first gave it back");
    tokio::time::sleep(Duration::from_millis(20)).await;
    let mut second = owner("second", LONG).reopen("one").await.expect("the lease has run out");
    let third = owner("third", LONG).reopen("one").await;
    let refused = third.err().expect("the second holds it");
    assert!(matches!(refused, DriveError::Store(StoreError::Held { .. })), "{refused}");

    let ask = slow.snapshot().asks().next().expect("a question").id.clone();
    slow.handle().answer(ask, Value::from("no"));
    let error = slow.drive().await.expect_err("it was taken over");
    let named = matches!(&error, DriveError::Store(StoreError::Lost { .. } | StoreError::Held { .. }));
    assert!(named && error.to_string().contains("second"), "{error}");
    let last = end(&mut second).await;
    let kept = store.load("one", None).await.expect("whole");
    assert_eq!(loopwright::drive::rebuild(&super::world::program(), &kept).expect("the same way"), last);
}

#[tokio::test]
async fn who_lost_the_lease_keeps_nothing_more() {
    one_goes_on(Arc::new(Memory::new())).await;
    let folder = folder();
    one_goes_on(sqlite(&folder)).await;
}

#[tokio::test]
async fn without_a_lease_a_held_run_is_not_written() {
    let folder = folder();
    let store = sqlite(&folder);
    let mut run = driver(store.clone()).start(start("one", 3)).await.expect("it begins");
    store.acquire("one", "somebody", LONG).await.expect("it is free");
    let error = run.drive().await.expect_err("somebody else has it");
    assert!(error.to_string().contains("the run `one` was taken over by somebody"), "{error}");
    assert!(store.entries("one").await.expect("its journal").is_empty());
}

/// What one store knows of a run is no longer true once another has written.
#[tokio::test]
async fn what_another_process_wrote_is_seen() {
    let folder = folder();
    let (own, other) = (sqlite(&folder), sqlite(&folder));
    let mut run = driver(own.clone()).start(start("one", 3)).await.expect("it begins");
    wait(&mut run).await;
    let lease = other.acquire("one", "somebody", LONG).await.expect("it is free");
    let ask = run.snapshot().asks().next().expect("a question").id.clone();
    run.handle().answer(ask.clone(), Value::from("no"));
    let error = run.drive().await.expect_err("somebody else has it").to_string();
    assert!(error.contains("the run `one` was taken over by somebody"), "{error}");
    other.release("one", &lease).await.expect("given back");

    let mut late = driver(own.clone()).reopen("one").await.expect("nobody has it");
    wait(&mut late).await;
    let mut run = driver(other.clone()).reopen("one").await.expect("nobody has it");
    wait(&mut run).await;
    let last = end(&mut run).await;
    late.handle().answer(ask, Value::from("no"));
    let error = late.drive().await.expect_err("the journal has gone on");
    assert!(matches!(error, DriveError::Store(StoreError::Gap { .. })), "{error}");
    let kept = own.load("one", None).await.expect("whole");
    assert_eq!(loopwright::drive::rebuild(&super::world::program(), &kept).expect("the same way"), last);
}

/// A store whose clock shows so many seconds since 1970.
fn at(folder: &tempfile::TempDir, seconds: i64) -> Sqlite {
    let now = move || seconds * 1_000_000_000;
    Sqlite::open_with_clock(folder.path().join("runs.db"), now).expect("a store")
}

#[tokio::test]
async fn a_clock_that_was_set_back_locks_nobody_out() {
    const NOW: i64 = 1_800_000_000;
    let folder = folder();
    let store = at(&folder, NOW);
    waiting(&driver(Arc::new(store)), "one", 2).await;
    at(&folder, NOW).acquire("one", "a", Duration::from_secs(10)).await.expect("it is free");
    for (back, held) in [(0, true), (60, true), (3_600, false), (86_400, false), (31_536_000, false)] {
        let found = at(&folder, NOW - back).acquire("one", "b", Duration::from_secs(10)).await;
        assert_eq!(found.is_err(), held, "set back by {back} s: {found:?}");
        if let Ok(lease) = &found {
            let store = at(&folder, NOW);
            store.release("one", lease).await.expect("given back");
            store.acquire("one", "a", Duration::from_secs(10)).await.expect("it is free");
        }
    }
    // No lease is longer, whatever was asked for.
    let store = at(&folder, NOW + 11);
    store.acquire("one", "long", Duration::from_hours(24)).await.expect("the last has run out");
    let error = store.acquire("one", "b", LONG).await.expect_err("it is held").to_string();
    assert!(error.ends_with("or for 601 s"), "{error}");
}

#[tokio::test]
async fn a_lease_says_who_has_it_in_plain_words() {
    let Some(own) = this_process() else { return };
    let folder = folder();
    let store = sqlite(&folder);
    waiting(&driver(store.clone()), "one", 2).await;
    store.acquire("one", &own.to_string(), LONG).await.expect("it is free");
    let error = store.acquire("one", "b", LONG).await.expect_err("this process lives").to_string();
    assert!(error.starts_with(&format!("the run `one` is driven by process {}; wait", own.pid)), "{error}");
    store.acquire("one", &own.to_string(), LONG).await.expect("it is renewed");
    // The same number, given to a later process: whoever had it before is gone.
    let before = ProcessSignature { start: own.start - 1, ..own.clone() };
    waiting(&driver(store.clone()), "two", 2).await;
    store.acquire("two", &before.to_string(), LONG).await.expect("it is free");
    store.acquire("two", "b", LONG).await.expect("that process has ended");
}
