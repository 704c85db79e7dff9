//! `replay`.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use loopwright::drive::{ReplayError, open, replay};
use loopwright::machine::{EventKind, InputKind, Outcome};
use loopwright::model::Files;
use loopwright::port::{Commit, EntryCause, JournalEntry, RunStatus, Store, StoredRun};
use loopwright::program::Program;
use loopwright::source::Sources;
use loopwright::store::Sqlite;
use loopwright::value::Value;

use super::desk::talk;
use crate::cli::Desk;

pub(super) const SUM: &str = "run graphs/tour/sum.yaml --script graphs/tour/sum.script.yaml --run-id plums";

/// A desk with one run.
pub(super) fn plums() -> Desk {
    let desk = Desk::new();
    let ran = desk.run(SUM);
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    desk
}

fn now<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().expect("a runtime").block_on(work)
}

fn store(desk: &Desk) -> Sqlite {
    Sqlite::open(desk.folder.path().join(".loopwright/runs.db")).expect("the store opens")
}

/// Keeps a run once more in `other.db`, with another journal.
pub(super) fn keep_changed(desk: &Desk, run: &str, change: impl FnOnce(&mut Vec<JournalEntry>)) {
    now(async {
        let from = store(desk);
        let kept = from.load(run, None).await.expect("the run is kept");
        let mut entries = from.entries(run).await.expect("the journal is whole");
        change(&mut entries);
        let text = from.program(&kept.info.program).await.expect("the store answers").expect("a program");
        let to = Sqlite::open(desk.folder.path().join("other.db")).expect("a store");
        to.keep_program(&text).await.expect("it is kept");
        to.create(&kept.info).await.expect("it is new");
        let status = RunStatus::Running;
        let commit = Commit {
            entries: &entries,
            status,
            snapshot: &kept.snapshot,
            whole: false,
            lease: None,
            messages: &[],
        };
        to.commit(run, commit).await.expect("it is kept");
    });
}

/// What is kept of a run, from its first entry on, and its program.
fn kept(desk: &Desk, run: &str) -> (Arc<Program>, StoredRun) {
    now(async {
        let store = store(desk);
        let first = store.load(run, Some(0)).await.expect("the run is kept");
        let entries = store.entries(run).await.expect("the journal is whole");
        let text = store.program(&first.info.program).await.expect("the store answers").expect("a program");
        let mut files = text
            .files
            .iter()
            .fold(Files::new(), |files, (name, text)| files.with(name.as_str(), text.as_str()));
        let program = open(&mut Sources::new(), &mut files, &text.main).expect("it compiles");
        (program, StoredRun { entries, ..first })
    })
}

fn digest(text: &str) -> &str {
    text.lines().find_map(|line| line.strip_prefix("digest: ")).expect("a digest")
}

#[test]
fn a_run_has_one_digest_wherever_and_however_often_it_is_replayed() {
    let desk = plums();
    let first = desk.run("replay plums");
    assert_eq!(first.code, Some(0), "{}", first.transcript());
    let wanted = digest(&first.stdout).to_owned();
    assert_eq!(wanted.len(), 64);
    let (program, kept) = kept(&desk, "plums");
    for _ in 0..100 {
        assert_eq!(replay(&program, &kept, None).expect("it goes as it was kept").digest, wanted);
    }
    // Another folder, without the graph.
    let other = Desk::new();
    fs::remove_dir_all(other.folder.path().join("graphs")).expect("they are removed");
    fs::create_dir(other.folder.path().join("copy")).expect("a folder");
    for file in fs::read_dir(desk.folder.path().join(".loopwright")).expect("a folder").flatten() {
        fs::copy(file.path(), other.folder.path().join("copy").join(file.file_name())).expect("it is copied");
    }
    let second = other.run("replay plums --db copy/runs.db");
    assert_eq!(second.code, Some(0), "{}", second.transcript());
    assert_eq!(second.stdout, first.stdout);
    assert!(!Path::new(&other.folder.path().join("graphs")).exists());
}

#[test]
fn it_goes_as_far_as_a_step() {
    let desk = plums();
    let mut all = String::new();
    for words in [
        "replay plums",
        "replay plums --to 0",
        "replay plums --to 3",
        "replay plums --to 11",
        "replay plums --to 12",
        "replay nobody",
    ] {
        all += &desk.run(words).transcript();
        all.push('\n');
    }
    let undigested =
        |line: &str| if line.starts_with("digest: ") { "digest: …".to_owned() } else { line.to_owned() };
    insta::assert_snapshot!(all.lines().map(undigested).collect::<Vec<_>>().join("\n"));
    let (program, kept) = kept(&desk, "plums");
    let digests: std::collections::BTreeSet<_> = (0..=11)
        .map(|step| {
            let replayed = replay(&program, &kept, Some(step)).expect("the run came there");
            assert_eq!(replayed.snapshot.step(), step);
            replayed.digest
        })
        .collect();
    assert_eq!(digests.len(), 12);
    assert!(matches!(replay(&program, &kept, Some(12)), Err(ReplayError::Step(12))));
    // As far as the last step goes farther than the whole: the end is not reached.
    let whole = replay(&program, &kept, None).expect("it goes as it was kept");
    assert!(!digests.contains(&whole.digest));
}

#[test]
fn runs_that_wait_and_runs_that_were_sent_back_are_replayed() {
    let desk = talk();
    assert_eq!(desk.run("run talk.yaml --run-id one").code, Some(3));
    let ran = desk.run("replay one");
    assert!(ran.stdout.contains("step 0, waits for a person at ask"), "{}", ran.transcript());
    desk.write(
        "back.yaml",
        "human: [change, {find: O, put: o}, change, {find: M, put: m}, {rollback: 1}, {find: Mon, put: Sun}, publish]\n",
    );
    let ran = desk.run("run graphs/tour/04-people.yaml --script back.yaml --input text=Open_on_Mondays --input cooling=0s --run-id back");
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    let ran = desk.run("replay back");
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    assert!(ran.stdout.contains("ended: published"), "{}", ran.transcript());
    let ran = desk.run("replay back --against graphs/tour/04-people.yaml");
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
}

/// A run that a command sent back, and one that began where it stood.
#[test]
fn runs_that_were_sent_back_by_a_command_and_forks_are_replayed() {
    let desk = talk();
    let run = |words: &str, code: i32| {
        let ran = desk.run(words);
        assert_eq!(ran.code, Some(code), "{}", ran.transcript());
        ran.stdout + &ran.stderr
    };
    run("run talk.yaml --run-id one", 3);
    run("resume one --answer more", 3);
    run("resume one --answer more", 3);
    run("rollback one --to 1", 0);
    assert!(run("replay one", 0).contains("step 1, about to enter ask"));
    run("resume one", 3);
    assert!(run("replay one", 0).contains("step 1, waits for a person at ask"));
    assert!(run("replay one --against talk.yaml", 0).contains("waits for a person at ask, as stored"));
    let told = run("resume one --answer stop --record one.scenarios.yaml", 0);
    assert!(told.contains("\n- it was sent back to step 1 by a command\n"), "{told}");
    run("test one.scenarios.yaml", 0);
    run("replay one", 0);
    run("replay one --to 1", 0);

    run("fork one --at 1 --run-id other", 0);
    assert!(run("replay other", 0).starts_with("run other of graph talk: 0 entries with 0 events"));
    run("resume other", 3);
    assert!(run("replay other", 0).contains("step 1, waits for a person at ask"));
    assert!(run("replay other --against talk.yaml", 2).contains("did not begin at the start of its graph"));
    let told = run("resume other --answer stop --record other.scenarios.yaml", 0);
    assert!(told.contains("\n- it did not begin at the start of its graph\n"), "{told}");
    let script = fs::read_to_string(desk.folder.path().join("other.script.yaml")).expect("it is written");
    assert!(script.contains("ok: stop"), "{script}");
    assert!(run("replay other", 0).contains("ended: end"));
}

fn change_event(entries: &mut [JournalEntry], change: impl Fn(&mut EventKind) -> bool) {
    let mut events = entries.iter_mut().flat_map(|entry| &mut entry.events);
    assert!(events.any(|event| change(&mut event.kind)), "nothing was changed");
}

/// The first difference is told field by field.
#[test]
fn a_journal_that_does_not_go_as_it_was_kept_is_told_field_by_field() {
    let mut all = String::new();
    let mut tell = |change: &dyn Fn(&mut Vec<JournalEntry>)| {
        let desk = plums();
        keep_changed(&desk, "plums", change);
        let ran = desk.run("replay plums --db other.db");
        assert_eq!(ran.code, Some(1), "{}", ran.transcript());
        all += &ran.transcript();
        all.push('\n');
    };
    // An event tells of another argument.
    tell(&|entries| {
        change_event(entries, |kind| match kind {
            EventKind::Called(call) if call.node == "act" && call.id.0.ends_with("#2.1") => {
                let loopwright::machine::Request::Tool { args, .. } = &mut call.request else { return false };
                args.set("paths", Value::from("none"));
                true
            }
            _ => false,
        });
    });
    // The answer was another than the events tell.
    tell(&|entries| {
        let cause = &mut entries[2].cause;
        let EntryCause::Input(InputKind::Resolved { outcome, .. }) = cause else {
            panic!("an outcome: {cause:?}")
        };
        *outcome = Outcome::failed("tool_failed", "no such folder");
    });
    // The last event is missing.
    tell(&|entries| {
        entries.last_mut().expect("entries").events.pop().expect("events");
    });
    // The end was told as another one.
    tell(&|entries| {
        change_event(entries, |kind| match kind {
            EventKind::Done(done) => {
                done.outcome = "out of rounds".into();
                true
            }
            _ => false,
        });
    });
    insta::assert_snapshot!(super::desk::timeless(&all));
}

#[test]
fn programs_read_the_same() {
    let desk = plums();
    let ran = desk.run("replay plums --format json");
    let document: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(document["same"], true);
    assert_eq!(document["events"], 46);
    keep_changed(&desk, "plums", |entries| {
        entries.last_mut().expect("entries").events.pop().expect("events");
    });
    let ran = desk.run("replay plums --db other.db --format json");
    assert_eq!(ran.code, Some(1));
    let document: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(document["same"], false);
    assert_eq!(document["difference"]["event"], 45);
    assert_eq!(document["difference"]["kept"], serde_json::Value::Null);
}

#[test]
fn a_damaged_run_is_not_replayed() {
    let desk = talk();
    desk.run("run talk.yaml --run-id first");
    let path = desk.folder.path().join(".loopwright/runs.db");
    let conn = rusqlite::Connection::open(path).expect("SQLite opens it");
    conn.execute_batch("UPDATE journal SET at = at + 1").expect("it is changed");
    drop(conn);
    let ran = desk.run("replay first");
    assert_eq!(ran.code, Some(2), "{}", ran.transcript());
    assert!(ran.stderr.contains("damaged"), "{}", ran.transcript());
}
