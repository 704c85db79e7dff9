use super::Sqlite;
use super::job::Job;
use super::open::check_version;
use crate::port::{RunInfo, Status, Store};
use std::path::Path;

fn info(run: &str) -> RunInfo {
    RunInfo { run: run.into(), graph: "g".into(), program: "p".into(), started: 1, status: Status::Running }
}

#[tokio::test]
async fn a_writer_that_is_gone_is_said_to_everybody() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Sqlite::open(folder.path().join("runs.db")).expect("a new store");
    store.create(&info("a")).await.expect("it is there");
    let waits = store.writer.order(Job::Panic);
    let error = waits.await.expect_err("the thread is gone").to_string();
    assert!(error.contains("the thread that writes the store has ended"), "{error}");
    let error = store.create(&info("b")).await.expect_err("nobody writes").to_string();
    assert!(error.contains("Open the store again"), "{error}");
    assert_eq!(store.runs().await.expect("reading goes on").len(), 1);
}

#[test]
fn versions_that_damage_files_are_refused() {
    let refused = |version| check_version(Path::new("runs.db"), version, "3.x").is_err();
    assert!(refused(3_007_000) && refused(3_045_001) && refused(3_051_002));
    assert!(!refused(3_051_003) && !refused(3_054_001));
}
