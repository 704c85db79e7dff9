//! The file as a whole.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use loopwright::port::{RunStatus, Store, StoreError};
use loopwright::store::{Sqlite, mark, survey};
use rusqlite::Connection;

use super::world::{driver, folder, sqlite, waiting};

fn refused(path: &Path) -> String {
    match Sqlite::open(path).expect_err("it is refused") {
        StoreError::Refused { path: named, why } => {
            assert_eq!(named, path.display().to_string());
            why
        }
        other => panic!("{other}"),
    }
}

fn change(path: &Path, sql: &str) {
    Connection::open(path).expect("SQLite opens it").execute_batch(sql).expect("it is changed");
}

#[tokio::test]
async fn files_are_for_their_owner_alone() {
    let folder = folder();
    let path = folder.path().join("a/b/runs.db");
    let store = std::sync::Arc::new(Sqlite::open(&path).expect("a store"));
    waiting(&driver(store.clone()), "one", 2).await;
    let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!(mode(&folder.path().join("a")), 0o700);
    assert_eq!(mode(&folder.path().join("a/b")), 0o700);
    for end in ["", "-wal", "-shm", "-head"] {
        assert_eq!(mode(Path::new(&format!("{}{end}", path.display()))), 0o600, "{end}");
    }
}

#[test]
fn settings_hold() {
    let folder = folder();
    let path = folder.path().join("runs.db");
    drop(Sqlite::open(&path).expect("a store"));
    let conn = Connection::open(&path).expect("SQLite opens it");
    let ask = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, i64>(0)).expect("an answer");
    assert_eq!(ask("PRAGMA application_id"), 0x4C6F_6F70);
    assert_eq!(ask("PRAGMA user_version") & 0xff, 2);
    let mode: String = conn.query_row("PRAGMA journal_mode", [], |row| row.get(0)).expect("an answer");
    assert_eq!(mode, "wal");
}

#[tokio::test]
async fn a_store_has_a_number_of_its_own_and_keeps_it() {
    let folder = folder();
    let path = folder.path().join("runs.db");
    drop(Sqlite::open(&path).expect("a store"));
    let made = mark(&path).expect("a store");
    assert!(made.number.is_some() && made.made && !made.runs, "{made:?}");
    let other = folder.path().join("other.db");
    drop(Sqlite::open(&other).expect("a store"));
    assert_ne!(mark(&other).expect("a store").number, made.number);
    let store = std::sync::Arc::new(Sqlite::open(&path).expect("a store"));
    waiting(&driver(store.clone()), "one", 2).await;
    let open = mark(&path).expect("a store");
    assert_eq!((open.number, open.runs), (made.number, true), "while it is open");
    drop(store);
    assert_eq!(mark(&path).expect("a store"), open);
    // One of an earlier version has none, and gets none when it is brought up to date.
    let old = folder.path().join("old.db");
    change(&old, include_str!("version-0.sql"));
    let before = mark(&old).expect("a store");
    assert_eq!((before.number, before.runs), (None, true));
    drop(Sqlite::open(&old).expect("a store"));
    assert_eq!(mark(&old).expect("a store"), before);
}

#[test]
fn what_is_no_store_of_ours_is_refused_and_left_alone() {
    let folder = folder();
    let path = folder.path().join("x.db");
    fs::write(
        &path,
        "this is a text and no database, and it is long enough to be looked at as one\n".repeat(9),
    )
    .expect("written");
    let before = fs::read(&path).expect("read");
    assert!(refused(&path).contains("this is not a store"), "{}", refused(&path));
    assert_eq!(fs::read(&path).expect("read"), before);

    let path = folder.path().join("y.db");
    change(&path, "CREATE TABLE notes (text)");
    let before = fs::read(&path).expect("read");
    assert!(refused(&path).contains("a database of another program"), "{}", refused(&path));
    assert_eq!(fs::read(&path).expect("read"), before);
    assert!(survey(&path).is_err());

    let path = folder.path().join("z.db");
    drop(Sqlite::open(&path).expect("a store"));
    change(&path, "PRAGMA user_version = 3");
    assert!(refused(&path).contains("written by a later version"), "{}", refused(&path));
    change(&path, "PRAGMA user_version = 2; CREATE TABLE more (x)");
    assert!(refused(&path).contains("the table `more` is not one"), "{}", refused(&path));
    change(&path, "DROP TABLE more; DROP TABLE leases");
    assert!(refused(&path).contains("the table `leases` is missing"), "{}", refused(&path));
    assert!(Sqlite::open(folder.path()).is_err(), "a folder is no store");
    assert!(survey(&folder.path().join("none.db")).is_err());
}

#[tokio::test]
async fn a_file_of_version_0_is_brought_up_to_date() {
    let folder = folder();
    let path = folder.path().join("runs.db");
    change(&path, include_str!("version-0.sql"));
    assert!(survey(&path).expect_err("it is old").to_string().contains("store version 0"));
    let store = Sqlite::open(&path).expect("it is brought up to date");
    let runs = store.runs().await.expect("the runs");
    assert_eq!(runs.iter().map(|run| run.run.as_str()).collect::<Vec<_>>(), ["early", "other"]);
    assert_eq!(runs[0].status, RunStatus::Waiting);
    let events = store.events("early").await.expect("its events");
    assert!((0..).zip(&events).all(|(seq, event)| event.seq == seq) && events.len() > 10);
    store.acquire("early", "me", std::time::Duration::from_secs(9)).await.expect("there are leases now");
    drop(store);
    assert!(survey(&path).expect("a store").is_whole());
    drop(Sqlite::open(&path).expect("it opens again"));
}

#[tokio::test]
async fn a_file_of_version_1_is_brought_up_to_date() {
    let folder = folder();
    let store = sqlite(&folder);
    let driver = driver(store.clone());
    let mut wanted = Vec::new();
    for name in ["one", "two"] {
        waiting(&driver, name, 5).await;
        wanted.push(store.entries(name).await.expect("its journal"));
    }
    let path = store.path().to_owned();
    drop(driver);
    drop(store);
    // What was another then: the rows of the journal stood by their ids.
    change(
        &path,
        "ALTER TABLE journal RENAME TO new_journal; \
         CREATE TABLE journal (id INTEGER PRIMARY KEY, version INTEGER NOT NULL, cause TEXT NOT NULL, \
         at INTEGER NOT NULL, step INTEGER NOT NULL, seq INTEGER NOT NULL, events INTEGER NOT NULL, \
         sum INTEGER NOT NULL, chain BLOB NOT NULL, body BLOB NOT NULL) STRICT; \
         INSERT INTO journal SELECT * FROM new_journal; DROP TABLE new_journal; PRAGMA user_version = 1",
    );
    assert!(survey(&path).expect_err("it is old").to_string().contains("store version 1"));
    let store = sqlite(&folder);
    for (name, wanted) in ["one", "two"].into_iter().zip(wanted) {
        assert_eq!(store.entries(name).await.expect("its journal"), wanted);
    }
    assert!(survey(&path).expect("a store").is_whole());
    waiting(&super::world::driver(store.clone()), "three", 5).await;
    assert!(survey(&path).expect("a store").is_whole());
}

#[tokio::test]
async fn a_run_that_is_damaged_does_not_take_others_with_it() {
    let folder = folder();
    let store = sqlite(&folder);
    for name in ["one", "two", "three"] {
        waiting(&driver(store.clone()), name, 5).await;
    }
    let path = store.path().to_owned();
    drop(store);
    change(&path, "UPDATE journal SET step = step + 1 WHERE id = (2 << 32) + 3");
    let store = sqlite(&folder);
    let error = store.load("two", None).await.expect_err("it is damaged").to_string();
    assert_eq!(
        error,
        "the run `two` is damaged: entry 3 is not what was written; the 3 entries before it are whole; \
         `loopwright doctor` says what can still be read"
    );
    assert!(store.load("one", None).await.is_ok() && store.load("three", None).await.is_ok());
    let survey = survey(&path).expect("a store");
    let told: Vec<_> = survey.runs.iter().map(|run| (run.run.as_str(), run.whole, run.wrong.len())).collect();
    assert_eq!(told, [("one", 6, 0), ("two", 3, 1), ("three", 6, 0)]);
}
