use super::Sqlite;
use super::job::{Job, NewEntries};
use super::lease_clock::LeaseClock;
use super::open::{self, check_version};
use super::site::Site;
use super::store_file::StoreFile;
use super::writer::WriteQueue;
use crate::machine::JOURNAL_VERSION;
use crate::port::{ProgramText, RunInfo, RunStatus, Store, StoreError};
use crate::store::row::EntryRow;
use std::path::Path;
use std::sync::Arc;

fn info(run: &str) -> RunInfo {
    RunInfo {
        run: run.into(),
        graph: "g".into(),
        program: "p".into(),
        started: 1,
        status: RunStatus::Running,
    }
}

#[tokio::test]
async fn a_writer_that_is_gone_is_said_to_everybody() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Sqlite::open(folder.path().join("runs.db")).expect("a new store");
    store.create(&info("a")).await.expect("it is there");
    let waits = store.writer().expect("it is open to be written").order(Job::Panic);
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

/// A store, made if it is not there, open to be written.
fn made(path: &Path) -> (Arc<Site>, rusqlite::Connection) {
    let site = Arc::new(Site::to_write(path).expect("a place"));
    let conn = open::writer(&site).expect("it is whole");
    (site, conn)
}

fn program(digest: &str, bytes: usize) -> Job {
    let text = "x".repeat(bytes).as_str().into();
    Job::Program(ProgramText {
        digest: digest.into(),
        main: "a".into(),
        files: vec![("a".into(), text)],
        functions: Vec::new(),
    })
}

#[tokio::test]
async fn a_full_disk_is_named_and_takes_nobody_with_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("runs.db");
    let (site, conn) = made(&path);
    let pages: i64 = conn.query_row("PRAGMA page_count", [], |row| row.get(0)).expect("a number");
    conn.query_row(&format!("PRAGMA max_page_count = {}", pages + 4), [], |_| Ok(())).expect("it is set");
    let writer = WriteQueue::start(site, conn, LeaseClock::of_system()).expect("a thread");
    // They wait together, so they share a transaction as far as they can.
    let (large, small) = (writer.order(program("large", 100_000)), writer.order(Job::Create(info("a"))));
    let error = large.await.expect_err("there is no room");
    assert!(matches!(&error, StoreError::Full(_)), "{error}");
    assert_eq!(
        error.to_string(),
        "the disk is full: nothing of the last step was stored; make room and continue"
    );
    small.await.expect("there is room for that");
    writer.order(program("small", 10)).await.expect("and for that");
    drop(writer);
    let store = Sqlite::open(&path).expect("it is whole");
    assert_eq!(store.runs().await.expect("the runs"), [info("a")]);
    assert_eq!(store.program("large").await.expect("read"), None);
}

#[tokio::test]
async fn jobs_that_may_not_be_done_do_not_stop_the_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("runs.db");
    let (site, conn) = made(&path);
    let writer = WriteQueue::start(site, conn, LeaseClock::of_system()).expect("a thread");
    let create = |(run, program): (&str, &str)| Job::Create(RunInfo { program: program.into(), ..info(run) });
    let orders: Vec<_> =
        [("a", "p"), ("b", "p"), ("a", "q"), ("c", "p")].map(|run| writer.order(create(run))).into();
    let mut done = Vec::new();
    for order in orders {
        done.push(order.await.is_ok());
    }
    assert_eq!(done, [true, true, false, true]);
}

#[tokio::test]
async fn what_was_left_in_the_log_is_in_the_file_before_anything_is_added() {
    let folder = tempfile::tempdir().expect("a folder");
    let [open, left, alone] = ["open.db", "left.db", "alone.db"].map(|name| folder.path().join(name));
    let store = Sqlite::open(&open).expect("a new store");
    store.create(&info("a")).await.expect("it is there");
    // As a process that was killed leaves it.
    for end in ["", "-wal"] {
        std::fs::copy(format!("{}{end}", open.display()), format!("{}{end}", left.display()))
            .expect("a copy");
    }
    let _opened = Sqlite::open(&left).expect("it is whole");
    std::fs::copy(&left, &alone).expect("a copy without the log");
    let alone = Sqlite::open(&alone).expect("it is whole");
    assert_eq!(alone.runs().await.expect("the runs"), [info("a")]);
}

fn commit(run: &str, seq: u64) -> Job {
    let row = EntryRow {
        version: JOURNAL_VERSION,
        cause: "time".into(),
        at: 1,
        step: 0,
        seq,
        events: 0,
        body: br#"{"events":[]}"#.into(),
    };
    let (status, rows) = (RunStatus::Running, vec![row]);
    Job::Commit(Box::new(NewEntries { run: run.into(), rows, status, seq, snapshot: None, lease: None }))
}

#[test]
fn who_writes_alone_and_quickly_does_not_wait_for_the_thread() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("runs.db");
    let (site, conn) = made(&path);
    let mut work = StoreFile::new(site, conn, LeaseClock::of_system());
    let jobs = [Job::Create(info("a")), Job::Create(info("b"))];
    assert!(work.serve(&jobs.each_ref()).iter().all(Result::is_ok));
    let [a, b] = ["a", "b"].map(|run| commit(run, 0));
    assert!(!work.suits(&a), "nobody has written");
    // However slow the disk is: one of many commits is quick.
    let quick = (0..10_000).any(|_| work.serve(&[&a]).iter().all(Result::is_ok) && work.suits(&a));
    assert!(quick && !work.suits(&b), "only the run that wrote last");
    assert!(!work.suits(&Job::Create(info("c"))), "only commits are small");
    assert!(work.serve(&[&a, &b]).iter().all(Result::is_ok));
    assert!(!work.suits(&a) && !work.suits(&b), "two runs wrote together");
}

#[test]
fn who_writes_without_the_thread_does_not_wait_for_another_process() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("runs.db");
    let (site, conn) = made(&path);
    let mut work = StoreFile::new(site, conn, LeaseClock::of_system());
    assert!(work.serve(&[&Job::Create(info("a"))]).iter().all(Result::is_ok));
    let (_, other) = made(&path);
    other.execute_batch("BEGIN IMMEDIATE").expect("it begins");
    assert!(!work.begin_now(), "another process writes");
    other.execute_batch("ROLLBACK").expect("it ends");
    assert!(work.begin_now(), "nobody else writes");
    assert!(work.serve(&[&commit("a", 0)]).iter().all(Result::is_ok));
    // That one was ended: the next begins anew.
    assert!(work.serve(&[&commit("a", 0)]).iter().all(Result::is_ok));
}

#[test]
fn the_log_has_room_for_what_comes_next() {
    let folder = tempfile::tempdir().expect("a folder");
    let [path, left] = ["runs.db", "left.db"].map(|name| folder.path().join(name));
    let file = |path: &Path, end: &str| format!("{}{end}", path.display());
    let (site, conn) = made(&path);
    let mut work = StoreFile::new(site, conn, LeaseClock::of_system());
    assert!(work.serve(&[&Job::Create(info("a"))]).iter().all(Result::is_ok));
    let (mut lengths, mut grown) = (Vec::new(), 0);
    for _ in 0..300 {
        assert!(work.serve(&[&commit("a", 0)]).iter().all(Result::is_ok));
        work.tidy();
        lengths.push(Path::new(&file(&path, "-wal")).metadata().expect("a log").len());
    }
    for pair in lengths.windows(2) {
        grown += i32::from(pair[0] < pair[1]);
    }
    assert!(grown < 75, "the log grew with {grown} of 300 commits: {lengths:?}");
    // As a process that was killed leaves it: what makes room is nobody's.
    for end in ["", "-wal", "-head"] {
        std::fs::copy(file(&path, end), file(&left, end)).expect("a copy");
    }
    drop(work);
    for path in [path, left] {
        let (_, conn) = made(&path);
        let count = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, i64>(0)).expect("a number");
        let entries = count("SELECT count(*) FROM journal");
        assert_eq!((entries, count("SELECT count(*) FROM snapshots")), (300, 0), "{}", path.display());
    }
}
