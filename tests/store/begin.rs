//! Runs that were cut off before anything of them was kept.

use std::sync::Arc;

use loopwright::drive::{DriveError, Finished};
use loopwright::port::{Store, StoreError};
use loopwright::store::Memory;

use super::world::{compiled, driver, end, folder, sqlite, start, wait};

use crate::rebuilt;

const OTHER: &str = "
graph: other
start: end
nodes:
  end: {kind: final}
";

/// The run is noted, and then nothing more happens.
async fn cut_off(store: Arc<dyn Store>) {
    let driver = driver(store.clone());
    drop(driver.start(start("one", 3)).await.expect("it is noted"));
    assert!(store.entries("one").await.expect("its journal").is_empty());

    let owned = driver.clone().owner("somebody", std::time::Duration::from_mins(1));
    let error = owned.reopen("one").await.err().expect("there is nothing to go on with");
    assert!(matches!(error, DriveError::NotBegun(_)), "{error}");
    assert!(error.to_string().contains("start it with `run --run-id one`"), "{error}");

    let other = rebuilt::driver(compiled(OTHER)).store(store.clone()).start(start("one", 0)).await;
    assert!(matches!(other, Err(DriveError::Store(StoreError::Exists(_)))), "another program took the name");

    let mut run = driver.start(start("one", 3)).await.expect("it begins again");
    wait(&mut run).await;
    let again = driver.start(start("one", 3)).await;
    assert!(matches!(again, Err(DriveError::Store(StoreError::Exists(_)))), "it had begun");
    let last = end(&mut run).await;
    let mut run = driver.reopen("one").await.expect("it is there");
    assert_eq!(*run.snapshot(), last);
    assert!(matches!(run.drive().await, Ok(Finished::Done(_))));
}

#[tokio::test]
async fn a_run_that_was_cut_off_before_it_began_begins_again() {
    cut_off(Arc::new(Memory::new())).await;
    let folder = folder();
    cut_off(sqlite(&folder)).await;
}
