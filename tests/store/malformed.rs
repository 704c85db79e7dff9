//! Files whose parts contradict each other: a run that is there is not begun anew.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use loopwright::port::{RunInfo, RunStatus, Store, StoreError};
use loopwright::store::{Purge, Sqlite, Wanted, purge, survey};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use rusqlite::Connection;

use super::world::{driver, folder, long, wait, waiting};

fn info(run: &str) -> RunInfo {
    RunInfo {
        run: run.into(),
        graph: "g".into(),
        program: "p".into(),
        started: 0,
        status: RunStatus::Running,
    }
}

fn beside(path: &Path, end: &str) -> String {
    format!("{}{end}", path.display())
}

/// The bytes of the index that finds runs by their ids, and where they stand.
fn index(path: &Path) -> (usize, Vec<u8>) {
    let conn = Connection::open(path).expect("SQLite opens it");
    let ask = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, usize>(0)).expect("a number");
    let page = ask("PRAGMA page_size");
    let root = ask("SELECT rootpage FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'runs'");
    let at = (root - 1) * page;
    (at, fs::read(path).expect("read")[at..at + page].to_vec())
}

#[tokio::test]
async fn a_run_that_its_index_does_not_name_is_not_begun_anew() {
    for large in [false, true] {
        let folder = folder();
        let path = folder.path().join("runs.db");
        let store = Arc::new(Sqlite::open(&path).expect("a store"));
        if large {
            let driver = driver(store.clone());
            let mut run = driver.start(long("large", 700)).await.expect("it begins");
            wait(&mut run).await;
        }
        waiting(&driver(store.clone()), "one", 3).await;
        drop(store);
        let (at, before) = index(&path);
        let store = Arc::new(Sqlite::open(&path).expect("a store"));
        waiting(&driver(store.clone()), "three", 3).await;
        drop(store);
        assert_eq!(fs::metadata(&path).expect("it is there").len() > 4 << 20, large);
        // The page of the index as it was before, as an old copy or a write that was lost leaves it.
        let mut bytes = fs::read(&path).expect("read");
        assert_ne!(bytes[at..at + before.len()], before);
        bytes[at..at + before.len()].copy_from_slice(&before);
        fs::write(&path, &bytes).expect("written");
        let error = Sqlite::open(&path).expect_err("it is refused").to_string();
        assert!(error.contains("it is malformed, and nothing is written to it"), "{error}");
        let named = Purge {
            runs: Wanted::Named { runs: vec!["one".into()], unfinished: true },
            answers: None,
            dry: false,
        };
        assert!(purge(&path, &named).is_err_and(|error| error.to_string().contains("it is malformed")));
        assert_eq!(fs::read(&path).expect("read"), bytes, "nothing was written");
        assert!(!survey(&path).expect("a store").is_whole());
        // What is there can be looked at.
        let store = Sqlite::open_to_read(&path).expect("it is read");
        assert!(store.load("three", None).await.is_ok());
    }
}

#[tokio::test]
async fn an_older_copy_with_a_newer_log_is_not_written() {
    let mut malformed = 0;
    for seed in 0..24 {
        let mut dice = SmallRng::seed_from_u64(seed);
        let folder = folder();
        let path = folder.path().join("runs.db");
        let mut names = Vec::new();
        let mut older = Vec::new();
        // Closed three times, so that the log is moved into the file; the copy is of one of the first.
        for part in 0..4 {
            let store = Arc::new(Sqlite::open(&path).expect("a store"));
            for _ in 0..dice.random_range(1..5) {
                let name = format!("run-{}", names.len());
                let rounds = dice.random_range(1..12);
                waiting(&driver(store.clone()), &name, rounds).await;
                names.push(name);
            }
            if part < 3 {
                drop(store);
                if part == 0 || dice.random_bool(0.5) {
                    older = fs::read(&path).expect("read");
                }
                continue;
            }
            let [log, note] = ["-wal", "-head"].map(|end| fs::read(beside(&path, end)).expect("read"));
            drop(store);
            fs::write(&path, &older).expect("written");
            fs::write(beside(&path, "-wal"), log).expect("written");
            fs::write(beside(&path, "-head"), note).expect("written");
            let _ = fs::remove_file(beside(&path, "-shm"));
        }
        let seen = survey(&path);
        match Sqlite::open(&path) {
            Err(StoreError::Refused { .. } | StoreError::Damaged { .. }) => {
                malformed += 1;
                assert!(!seen.is_ok_and(|seen| seen.is_whole()), "seed {seed}: it is refused and whole");
            }
            Err(other) => panic!("seed {seed}: {other}"),
            Ok(store) => {
                for name in &names {
                    let found = store.create(&info(name)).await;
                    assert!(matches!(found, Err(StoreError::Exists(_))), "seed {seed}: {name} begins anew");
                }
            }
        }
    }
    assert!(malformed > 4, "the copies are of one kind: {malformed}");
}
