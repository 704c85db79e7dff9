//! Removing runs, and the space they took.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use loopwright::port::{ProgramText, RunStatus, Store, StoreError};
use loopwright::store::{Purge, Purged, Sqlite, Wanted, purge, survey};
use loopwright::value::Value;
use rusqlite::Connection;

use super::world::{driver, end, folder, long, program, sqlite, wait, waiting};
use crate::cli::Desk;

fn named(runs: &[&str], unfinished: bool) -> Purge {
    let runs = Wanted::Named { runs: runs.iter().map(|run| (*run).into()).collect(), unfinished };
    Purge { runs, answers: None, dry: false }
}

fn ended(before: Option<i64>, keep: usize) -> Purge {
    Purge { runs: Wanted::Ended { before, keep }, answers: None, dry: false }
}

fn removed(purged: &Purged) -> Vec<&str> {
    purged.runs.iter().map(|run| &**run).collect()
}

/// Three runs that have ended and one that waits, with answers of some thousand bytes.
async fn fill(folder: &tempfile::TempDir) -> std::path::PathBuf {
    let store = sqlite(folder);
    let driver = driver(store.clone());
    for name in ["one", "two", "three", "waits"] {
        let mut run = driver.start(long(name, 40)).await.expect("the run begins");
        wait(&mut run).await;
        if name != "waits" {
            end(&mut run).await;
        }
    }
    let digest = program().digest.clone();
    for digest in [digest, "unused".into()] {
        let text = ProgramText { digest, main: "a.yaml".into(), files: Vec::new(), functions: Vec::new() };
        store.keep_program(&text).await.expect("kept");
    }
    store.path().to_owned()
}

async fn left(path: &Path) -> Vec<String> {
    assert!(survey(path).expect("a store").is_whole(), "{:?}", survey(path));
    let store = Sqlite::open(path).expect("it opens");
    let mut left = Vec::new();
    for info in store.runs().await.expect("the runs") {
        store.entries(&info.run).await.expect("its journal is whole");
        left.push(info.run.to_string());
    }
    left
}

fn bytes(path: &Path) -> u64 {
    fs::metadata(path).expect("it is there").len()
}

#[tokio::test]
async fn runs_go_with_all_they_have_and_the_file_shrinks() {
    let folder = folder();
    let path = fill(&folder).await;
    let before = bytes(&path);
    let dry = purge(&path, &Purge { dry: true, ..named(&["one", "three"], false) }).expect("it looks");
    assert_eq!((removed(&dry), dry.programs), (vec!["one", "three"], 1));
    assert_eq!((bytes(&path), left(&path).await.len()), (before, 4));

    let purged = purge(&path, &named(&["three", "one"], false)).expect("they go");
    assert_eq!((removed(&purged), purged.programs, &purged.left), (vec!["one", "three"], 1, &None));
    assert_eq!((purged.before, purged.after), (before, bytes(&path)));
    assert!(purged.after < before * 6 / 10, "{before} bytes before, {} after", purged.after);
    assert_eq!(left(&path).await, ["two", "waits"]);

    let store = sqlite(&folder);
    assert!(store.program("unused").await.expect("read").is_none());
    assert!(store.program(&program().digest).await.expect("read").is_some());
    // A run of the same name is another run; the one that waits goes on.
    waiting(&driver(store.clone()), "one", 2).await;
    let mut run = driver(store.clone()).reopen("waits").await.expect("it goes on");
    wait(&mut run).await;
    end(&mut run).await;
    drop(run);
    drop(store);
    assert_eq!(left(&path).await, ["two", "waits", "one"]);
    let last = purge(&path, &named(&["two", "waits", "one"], true)).expect("they go");
    assert_eq!(last.programs, 1);
    assert!(left(&path).await.is_empty());
    assert!(bytes(&path) < 64 << 10, "an empty store has {} bytes", bytes(&path));
}

#[tokio::test]
async fn the_last_run_that_was_noted_may_go() {
    let folder = folder();
    let path = fill(&folder).await;
    let note = folder.path().join("runs.db-head");
    // The note names the last commit, one of the run `waits`.
    let before = fs::read_to_string(&note).expect("a note");
    purge(&path, &named(&["waits"], true)).expect("it goes");
    let after = fs::read_to_string(&note).expect("a note");
    assert_ne!(before, after);
    assert_eq!(left(&path).await, ["one", "two", "three"]);
    // It still does its work.
    let copy = fs::read(&path).expect("read");
    waiting(&driver(sqlite(&folder)), "more", 2).await;
    fs::write(&path, copy).expect("written");
    assert!(Sqlite::open(&path).expect_err("an old copy").to_string().contains("last commits are missing"));
}

#[tokio::test]
async fn what_must_stay_stays() {
    let folder = folder();
    let path = fill(&folder).await;
    let refused = |what: &Purge| purge(&path, what).expect_err("it stays");
    assert!(matches!(refused(&named(&["one", "four"], true)), StoreError::Unknown(run) if run == "four"));
    assert!(
        matches!(refused(&named(&["one", "waits"], false)), StoreError::Unfinished(run) if run == "waits")
    );
    let store = sqlite(&folder);
    for run in ["one", "waits"] {
        store.acquire(run, "somebody", Duration::from_mins(1)).await.expect("it is free");
    }
    for run in ["one", "waits"] {
        let error = refused(&named(&[run, "two"], true));
        assert!(matches!(&error, StoreError::Held { owner, .. } if owner == "somebody"), "{error}");
    }
    // Of those that are not named, what is held is left out.
    assert_eq!(removed(&purge(&path, &ended(None, 0)).expect("they go")), ["two", "three"]);
    assert_eq!(left(&path).await, ["one", "waits"]);
    assert!(purge(&folder.path().join("none.db"), &ended(None, 0)).is_err());
}

#[tokio::test]
async fn old_ones_go_and_the_last_stay() {
    let folder = folder();
    let path = fill(&folder).await;
    let store = sqlite(&folder);
    let last = store.entries("two").await.expect("its journal").last().expect("an entry").at;
    let looked = |what: Purge| {
        let purged = purge(&path, &Purge { dry: true, ..what }).expect("it looks");
        removed(&purged).join(" ")
    };
    assert_eq!(looked(ended(None, 0)), "one two three");
    assert_eq!(looked(ended(None, 1)), "one two");
    assert_eq!(looked(ended(None, 9)), "");
    assert_eq!(looked(ended(Some(last), 0)), "one");
    assert_eq!(looked(ended(Some(last + 1), 0)), "one two");
    assert_eq!(looked(ended(Some(last + 1), 2)), "one");
    for (request, at) in [("a", 1), ("b", 2), ("c", 3)] {
        store.keep_answer(request, &Value::from(request), at).await.expect("kept");
    }
    let answers = Purge { runs: Wanted::Nothing, answers: Some(3), dry: false };
    assert_eq!(purge(&path, &answers).expect("they go").answers, 2);
    assert_eq!(store.answer("b").expect("read"), None);
    assert_eq!(store.answer("c").expect("read"), Some(Value::from("c")));
    assert_eq!(store.runs().await.expect("the runs").len(), 4);
}

#[tokio::test]
async fn a_damaged_run_goes_when_it_is_named() {
    let folder = folder();
    let path = fill(&folder).await;
    let conn = Connection::open(&path).expect("SQLite opens it");
    conn.execute_batch(
        "UPDATE runs SET seq = seq + 1 WHERE id = 'two'; UPDATE journal SET at = 7 WHERE id >> 32 = 3",
    )
    .expect("it is changed");
    drop(conn);
    assert!(!survey(&path).expect("a store").is_whole());
    // Of the damaged run nobody can tell that it has ended; a damaged entry is no reason to keep a run.
    let error = purge(&path, &named(&["two"], false)).expect_err("it stays").to_string();
    assert!(error.contains("the run `two` is damaged"), "{error}");
    assert_eq!(removed(&purge(&path, &ended(None, 1)).expect("it goes")), ["one"]);
    assert_eq!(removed(&purge(&path, &named(&["two", "three"], true)).expect("they go")), ["two", "three"]);
    assert_eq!(left(&path).await, ["waits"]);
}

#[tokio::test]
async fn others_may_read_and_write_meanwhile() {
    let folder = folder();
    let path = fill(&folder).await;
    let store = sqlite(&folder);
    let writes = {
        let driver = driver(store.clone());
        tokio::spawn(async move { waiting(&driver, "meanwhile", 60).await.snapshot().clone() })
    };
    let cut = path.clone();
    let purged = tokio::task::spawn_blocking(move || purge(&cut, &ended(None, 0)));
    assert_eq!(removed(&purged.await.expect("it ends").expect("they go")), ["one", "two", "three"]);
    writes.await.expect("the run waits");
    let status = |name: &str, all: &[loopwright::port::RunInfo]| {
        all.iter().find(|info| info.run == name).expect("it is there").status.clone()
    };
    assert_eq!(status("meanwhile", &store.runs().await.expect("the runs")), RunStatus::Waiting);
    drop(store);
    assert_eq!(left(&path).await, ["waits", "meanwhile"]);
}

/// `purge` in a process of its own, by a user with these notes who allows the store of this digest.
fn removing(path: &Path, state: &Path, digest: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_loopwright"));
    command.args(["purge", "one", "two", "three", "--db"]).arg(path).stdin(Stdio::null());
    command.env("XDG_STATE_HOME", state).env("LOOPWRIGHT_TRUST", digest);
    command
}

/// The digest of a store that the user did not make.
fn digest(path: &Path, state: &Path) -> String {
    let refused = removing(path, state, "").output().expect("the program starts");
    let said = String::from_utf8_lossy(&refused.stderr);
    let digest = said.split(" --trust ").nth(1).unwrap_or_else(|| panic!("it asks for none: {said}"));
    digest.trim().to_owned()
}

/// Removes runs in a process that is killed after some time, or waited for.
fn killed(path: &Path, (state, digest): (&Path, &str), after: Option<Duration>) {
    let mut child = removing(path, state, digest).stdout(Stdio::null()).spawn().expect("the program starts");
    if let Some(after) = after {
        std::thread::sleep(after);
        let _ = child.kill();
    }
    child.wait().expect("it ends");
}

#[tokio::test]
async fn killed_in_the_middle_all_are_there_or_none() {
    let folder = folder();
    let path = fill(&folder).await;
    let files: Vec<_> = ["runs.db", "runs.db-head"]
        .map(|name| (name, fs::read(folder.path().join(name)).expect("it is there")))
        .into();
    let copy = |to: &Path| {
        for (name, bytes) in &files {
            fs::write(to.join(name), bytes).expect("written");
        }
        to.join("runs.db")
    };
    let whole = super::world::folder();
    let path_of_whole = copy(whole.path());
    let state = super::world::folder();
    let digest = digest(&path_of_whole, state.path());
    let user = (state.path(), digest.as_str());
    let begin = Instant::now();
    killed(&path_of_whole, user, None);
    let took = begin.elapsed();
    assert_eq!(left(&path_of_whole).await, ["waits"]);
    for n in 0..24 {
        let own = super::world::folder();
        let own_path = copy(own.path());
        killed(&own_path, user, Some(took * n / 20));
        let left = left(&own_path).await;
        assert!(left == ["waits"] || left == ["one", "two", "three", "waits"], "{left:?}");
        // What is left to do is done by the next.
        if left.len() == 4 {
            killed(&own_path, user, None);
        }
        let again = purge(&own_path, &ended(None, 0)).expect("it opens");
        assert!(again.after < bytes(&path) / 2, "{again:?}");
    }
}

#[test]
fn the_command_says_what_it_does() {
    let desk = Desk::new();
    let run = "run graphs/tour/sum.yaml --script graphs/tour/sum.script.yaml";
    for id in ["a", "b", "c"] {
        let ran = desk.run(&format!("{run} --run-id {id}"));
        assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    }
    let first = |words: &str| {
        let ran = desk.run(words);
        let said = ran.stdout.lines().next().or(ran.stderr.lines().next()).unwrap_or_default().to_owned();
        (ran.code, said)
    };
    let ok = |text: &str| (Some(0), text.to_owned());
    let no = |text: &str| (Some(2), text.to_owned());
    assert_eq!(
        first("purge"),
        no(
            "error: name what to remove: runs by their ids, `--older-than TIME`, `--keep N`, or `--answers`; `--dry-run` \
            shows it first"
        )
    );
    assert_eq!(first("purge x"), no("error: there is no run `x`; `loopwright runs` lists those that are"));
    assert_eq!(first("purge a --keep 2").0, Some(2));
    assert_eq!(
        first("purge --older-than 3"),
        no(
            "error: invalid value '3' for '--older-than <TIME>': write a number and a unit, such as `30d`, `12h`, `1h30m`"
        )
    );
    assert_eq!(first("purge --older-than 1h"), ok("nothing to remove"));
    assert_eq!(first("purge --keep 1 --dry-run"), ok("would remove 2 runs: a, b"));
    assert_eq!(first("purge --keep 2"), ok("removed 1 run: a"));
    let ran = desk.run("purge --older-than 0s --answers --format json");
    let told: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(told["runs"], serde_json::json!(["b", "c"]), "{}", ran.transcript());
    assert_eq!(told["programs"], 1);
    assert!(told["bytes_before"].as_u64() > told["bytes_after"].as_u64(), "{}", ran.transcript());
    assert_eq!(first("runs"), ok("no run is stored here"));
    assert_eq!(desk.run("doctor").code, Some(0));
}
