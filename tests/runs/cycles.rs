//! Many pauses, and many who want to go on with one run.

use std::sync::Arc;
use std::time::Duration;

use loopwright::drive::{DriveError, Driver, Finished, Run};
use loopwright::machine::Start;
use loopwright::port::{Store, StoreError};
use loopwright::program::Program;
use loopwright::store::{Sqlite, survey};
use loopwright::value::Value;
use tempfile::TempDir;

use crate::played::compiled;
use crate::rebuilt;

const LEASE: Duration = Duration::from_mins(10);

fn program() -> Arc<Program> {
    compiled(&[("talk.yaml", super::desk::TALK)])
}

/// A driver on a store of its own, as another process has it.
fn driver(program: &Arc<Program>, folder: &TempDir, owner: &str) -> Driver {
    let store = Sqlite::open(folder.path().join("runs.db")).expect("a store");
    rebuilt::driver(program.clone()).store(Arc::new(store)).owner(owner, LEASE)
}

async fn begun(program: &Arc<Program>, folder: &TempDir) {
    let start = Start { run: "one".into(), ..Start::default() };
    let mut run = driver(program, folder, "first").start(start).await.expect("it begins");
    wait(&mut run).await;
}

async fn wait(run: &mut Run) {
    let finished = run.drive().await.expect("it goes on");
    assert!(matches!(finished, Finished::Waiting { .. }), "{finished:?}");
}

fn say(run: &mut Run, word: &str) -> Result<(), String> {
    let ask = run.snapshot().asks().next().expect("a question").id.clone();
    run.answer(&ask, Value::from(word))
}

fn rounds(run: &Run) -> usize {
    let root = run.snapshot().root().expect("the run has begun");
    root.frame.slots[0].as_list().expect("a list").len()
}

#[tokio::test]
async fn a_thousand_pauses() {
    let (program, folder) = (program(), tempfile::tempdir().expect("a folder"));
    begun(&program, &folder).await;
    for round in 1..=1000 {
        // The file is opened anew each time.
        let driver = driver(&program, &folder, &format!("owner {round}"));
        let mut run = driver.reopen("one").await.expect("it is free");
        assert_eq!(rounds(&run), round - 1);
        say(&mut run, "more").expect("it fits");
        wait(&mut run).await;
    }
    let mut run = driver(&program, &folder, "last").reopen("one").await.expect("it is free");
    say(&mut run, "stop").expect("it fits");
    assert!(matches!(run.drive().await, Ok(Finished::Done(_))));
    assert_eq!(rounds(&run), 1001);
    drop(run);
    // However short the turns are, what is built again stays in proportion.
    let store = Sqlite::open(folder.path().join("runs.db")).expect("a store");
    let kept = store.load("one", None).await.expect("it is whole");
    assert!(kept.from > 0 && kept.entries.len() < 1000, "{} entries are built again", kept.entries.len());
    drop(store);
    assert!(survey(&folder.path().join("runs.db")).expect("a store").is_whole());
}

#[tokio::test]
async fn of_two_who_resume_one_has_the_run() {
    let (program, folder) = (program(), tempfile::tempdir().expect("a folder"));
    begun(&program, &folder).await;
    let (left, right) = (driver(&program, &folder, "left"), driver(&program, &folder, "right"));
    for round in 1..=200 {
        let (mine, theirs) = tokio::join!(left.reopen("one"), right.reopen("one"));
        let (mut owner, refused) = match (mine, theirs) {
            (Ok(run), Err(error)) | (Err(error), Ok(run)) => (run, error),
            (Ok(_), Ok(_)) => panic!("both have the run in round {round}"),
            (Err(left), Err(right)) => panic!("nobody has the run in round {round}: {left}; {right}"),
        };
        assert!(matches!(refused, DriveError::Store(StoreError::Held { .. })), "{refused}");
        say(&mut owner, "more").expect("it fits");
        wait(&mut owner).await;
        assert_eq!(rounds(&owner), round);
    }
}

#[tokio::test]
async fn an_answer_that_does_not_fit_changes_nothing() {
    let (program, folder) = (program(), tempfile::tempdir().expect("a folder"));
    begun(&program, &folder).await;
    let first = driver(&program, &folder, "first");
    let mut run = first.reopen("one").await.expect("it is free");
    let before = run.snapshot().clone();
    let why = say(&mut run, "perhaps").expect_err("it does not fit");
    assert!(why.contains("perhaps"), "{why}");
    assert_eq!(run.snapshot(), &before);
    run.leave().await.expect("it is given back");
    let mut run = driver(&program, &folder, "second").reopen("one").await.expect("it is free");
    say(&mut run, "stop").expect("it fits");
    assert!(matches!(run.drive().await, Ok(Finished::Done(_))));
}
