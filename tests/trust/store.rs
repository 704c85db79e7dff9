//! A store that somebody else made is read, and gone on with only where the operator says so.

use std::fs;
use std::path::Path;

use super::digest;
use crate::cli::{Desk, copy};

const ASKS: &str = "
graph: asks
state: {word: string?}
start: ask
nodes:
  ask: {kind: human, ask: '''Well?''', into: word, next: [{to: end}]}
  end: {kind: final}
output: {word: word}
";

/// A folder in which somebody else's run waits, as a clone brings it.
fn cloned() -> Desk {
    let (theirs, desk) = (Desk::new(), Desk::new());
    theirs.write("asks.yaml", ASKS);
    let ran = theirs.run("run asks.yaml --run-id one");
    assert_eq!(ran.code, Some(3), "{}", ran.transcript());
    let ran = theirs.run("runs");
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    desk.write("asks.yaml", ASKS);
    copy(&theirs.folder.path().join(".loopwright"), &desk.folder.path().join(".loopwright"));
    desk
}

const WRITES: [&str; 8] = [
    "resume one --answer yes",
    "resume one",
    "rollback one --to 0",
    "fork one --at 0 --run-id two",
    "run asks.yaml --run-id three",
    "purge one --unfinished",
    "purge --older-than 1d12h --keep 2 --answers",
    "purge --keep 0 --dry-run",
];

fn bytes(folder: &Path) -> Vec<u8> {
    fs::read(folder.join(".loopwright/runs.db")).expect("it is there")
}

#[test]
fn a_foreign_store_is_read_and_not_gone_on_with() {
    let desk = cloned();
    let before = bytes(desk.folder.path());
    for words in WRITES {
        let ran = desk.run(words);
        assert_eq!(ran.code, Some(3), "{}", ran.transcript());
        let told = ".loopwright/runs.db is not a store that you created here: its runs may be anybody's\n";
        assert!(ran.stderr.starts_with(told) && ran.stdout.is_empty(), "{}", ran.transcript());
        let about = "\nthe run `one` continues as the graph asks.yaml, with no configuration\n";
        assert_eq!(ran.stderr.contains(about), words.starts_with("resume"), "{}", ran.transcript());
        assert!(ran.stderr.contains(&format!("  loopwright {words} --trust ")), "{}", ran.transcript());
    }
    assert_eq!(bytes(desk.folder.path()), before, "nothing was written");
    for words in ["runs", "show one", "log one", "replay one", "doctor"] {
        let ran = desk.run(words);
        assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    }
}

#[test]
fn the_digest_that_is_told_lets_it_go_on_and_from_then_on_it_is_ones_own() {
    for words in WRITES {
        let desk = cloned();
        let refused = desk.run(words);
        let digest = digest(&refused, " --trust ").to_owned();
        let ran = desk.run(&format!("{words} --trust {}", "0".repeat(64)));
        assert_eq!(ran.code, Some(3), "{}", ran.transcript());
        let ran = desk.run(&format!("{words} --trust {digest}"));
        assert!(!ran.stderr.contains("is not a store that you created here"), "{}", ran.transcript());
        let ran = desk.run("resume one --answer yes");
        assert!(!ran.stderr.contains("is not a store that you created here"), "{}", ran.transcript());
    }
    // The variable that allows for one command does, too.
    let desk = cloned();
    let refused = desk.run("resume one --answer yes");
    let ran =
        desk.run_with("resume one --answer yes", &[("LOOPWRIGHT_TRUST", digest(&refused, " --trust "))]);
    assert_eq!(ran.stdout, "outcome: end\nword: yes\n", "{}", ran.transcript());
}

/// Another file in the place of one's own store is foreign, though it has its name.
#[test]
fn a_store_that_was_put_in_the_place_of_ones_own_is_foreign() {
    let desk = cloned();
    let folder = desk.folder.path().join(".loopwright");
    let theirs = desk.folder.path().join("theirs");
    fs::rename(&folder, &theirs).expect("it can be moved");
    let ran = desk.run("run asks.yaml --run-id one");
    assert_eq!(ran.code, Some(3), "{}", ran.transcript());
    // One's own goes on without a question, of course.
    let ran = desk.run("rollback one --to 0");
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    fs::remove_dir_all(&folder).expect("it is there");
    fs::rename(&theirs, &folder).expect("it can be moved");
    let ran = desk.run("resume one --answer yes");
    assert_eq!(ran.code, Some(3), "{}", ran.transcript());
    assert!(ran.stderr.contains("is not a store that you created here"), "{}", ran.transcript());
}

/// Who looks for a store that is not there has made none.
#[test]
fn a_store_that_comes_later_is_foreign() {
    let desk = cloned();
    let (folder, away) = (desk.folder.path().join(".loopwright"), desk.folder.path().join("away"));
    fs::rename(&folder, &away).expect("it can be moved");
    for words in &WRITES[..4] {
        let ran = desk.run(words);
        assert!(ran.code == Some(2) && ran.stderr.contains("there is no such file"), "{}", ran.transcript());
    }
    // A run that is refused before it is kept has made none, either.
    let ran = desk.run("run graphs/tour/sum.yaml");
    assert_eq!(ran.code, Some(2), "{}", ran.transcript());
    fs::rename(&away, &folder).expect("it can be moved");
    for words in WRITES {
        assert_eq!(desk.run(words).code, Some(3), "{words}");
    }
}

/// Where the making of a store was cut off, it is one's own all the same.
#[test]
fn a_store_without_a_word_in_it_is_nobodys() {
    let desk = Desk::new();
    desk.write("asks.yaml", ASKS);
    fs::create_dir(desk.folder.path().join(".loopwright")).expect("a folder can be made");
    desk.write(".loopwright/runs.db", "");
    let ran = desk.run("run asks.yaml --run-id one");
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(3), ""), "{}", ran.transcript());
    let ran = desk.run("resume one --answer yes");
    assert_eq!(ran.stdout, "outcome: end\nword: yes\n", "{}", ran.transcript());
}

/// One's own store with a run, and another folder with somebody else's.
fn own_and_theirs() -> (Desk, Desk) {
    let (desk, theirs) = (Desk::new(), Desk::new());
    for desk in [&desk, &theirs] {
        desk.write("asks.yaml", ASKS);
        let ran = desk.run("run asks.yaml --run-id one");
        assert_eq!(ran.code, Some(3), "{}", ran.transcript());
    }
    (desk, theirs)
}

fn is_asked_about(desk: &Desk) {
    for words in ["resume one --answer yes", "run asks.yaml --run-id three", "rollback one --to 0"] {
        let ran = desk.run(words);
        let told = "is not a store that you created here";
        assert!(ran.code == Some(3) && ran.stderr.contains(told), "{}", ran.transcript());
    }
}

/// As `cp -r` and some unpackers write: the file stays the one it was.
#[test]
fn a_store_that_was_written_over_ones_own_is_foreign() {
    let (desk, theirs) = own_and_theirs();
    let [own, other] = [&desk, &theirs].map(|desk| desk.folder.path().join(".loopwright"));
    for name in ["runs.db", "runs.db-head"] {
        fs::write(own.join(name), fs::read(other.join(name)).expect("it is there")).expect("it is written");
    }
    is_asked_about(&desk);
}

/// A log that begins with the first page of somebody else's store would make theirs of it.
#[test]
fn a_log_of_somebody_else_beside_ones_own_store_is_foreign() {
    let (desk, theirs) = own_and_theirs();
    let [own, other] = [&desk, &theirs].map(|desk| desk.folder.path().join(".loopwright/runs.db"));
    {
        // All of it is in the log.
        let store = rusqlite::Connection::open(&other).expect("a store");
        store
            .set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
            .expect("it is set");
        let stamp: i64 =
            store.pragma_query_value(None, "user_version", |row| row.get(0)).expect("it has one");
        store.pragma_update(None, "user_version", 0).expect("it is written");
        store.pragma_update(None, "user_version", stamp).expect("it is written");
        store.execute_batch("VACUUM").expect("all pages are written");
    }
    for end in ["-wal", "-head"] {
        let [from, to] = [&other, &own].map(|path| format!("{}{end}", path.display()));
        fs::copy(from, to).expect("it is copied");
    }
    is_asked_about(&desk);
}

/// Killed before there is a store: whatever is put there later is foreign, but for one in which nothing was kept.
#[test]
fn a_store_that_was_being_made_holds_no_runs() {
    let (desk, theirs) = own_and_theirs();
    let folder = desk.folder.path().join(".loopwright");
    let notes: Vec<_> =
        fs::read_dir(desk.state().join("loopwright/stores")).expect("there are notes").flatten().collect();
    assert_eq!(notes.len(), 1, "{notes:?}");
    let text = fs::read_to_string(notes[0].path()).expect("a note");
    let mut begun: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    begun["file"] = serde_json::Value::Null;
    let again = || {
        fs::write(notes[0].path(), begun.to_string()).expect("it is written");
        fs::remove_dir_all(&folder).expect("it is there");
    };
    again();
    copy(&theirs.folder.path().join(".loopwright"), &folder);
    is_asked_about(&desk);
    // One's own, in which nothing was kept yet: an empty file, and one with its tables.
    for tables in [false, true] {
        again();
        fs::create_dir(&folder).expect("a folder can be made");
        fs::set_permissions(&folder, std::os::unix::fs::PermissionsExt::from_mode(0o700))
            .expect("a mode can be set");
        if tables {
            drop(loopwright::store::Sqlite::open(folder.join("runs.db")).expect("a store"));
        }
        let ran = desk.run("run asks.yaml --run-id one");
        assert!(ran.code == Some(3) && !ran.stderr.contains("is not known"), "{}", ran.transcript());
        let ran = desk.run("resume one --answer yes");
        assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    }
}

const READS: &str = "
graph: reads
state: {ok: string?, text: any?}
start: ask
nodes:
  ask: {kind: human, ask: '''Well?''', into: ok, next: [{to: read}]}
  read: {kind: tool, tool: read_file, args: {path: '''id'''}, into: text, next: [{to: end}, {to: end, on: error}]}
  end: {kind: final}
output: {text: text}
";

/// The path of a run's graph stands in the store, and beside that path may lie what was allowed for other work.
#[test]
fn a_foreign_store_does_not_lead_to_a_configuration_elsewhere() {
    let (desk, theirs) = (Desk::new(), Desk::new());
    let other = Desk::new();
    other.write("agent.yaml", READS);
    let graph = other.folder.path().join("agent.yaml");
    let graph = graph.to_str().expect("a name");
    theirs.write("loopwright.toml", "[builtin]\nread_file = {root = \".\"}\n");
    let ran = theirs.run(&format!("run {graph} --run-id one --grant read_file"));
    assert_eq!(ran.code, Some(3), "{}", ran.transcript());
    fs::rename(theirs.folder.path().join(".loopwright"), desk.folder.path().join(".loopwright"))
        .expect("it can be moved");
    // The user's own work lies there.
    other.write("agent.yaml", ASKS);
    other.write("id", "zq-canary-7731");
    other.write("loopwright.toml", "[builtin]\nread_file = {root = \".\"}\n");
    let refused = desk.run("resume one --answer yes");
    let about = format!(
        "continues as the graph {graph}, with the configuration {}",
        graph.replace("agent.yaml", "loopwright.toml")
    );
    assert!(refused.code == Some(3) && refused.stderr.contains(&about), "{}", refused.transcript());
    for words in [
        &format!("resume one --answer yes --trust {}", digest(&refused, " --trust ")),
        "resume one --answer yes",
        "rollback one --to 0",
        "cancel one",
    ] {
        let ran = desk.run(words);
        assert_eq!(ran.code, Some(2), "{}", ran.transcript());
        assert!(ran.stderr.contains("name a configuration with `--config`"), "{}", ran.transcript());
        assert!(!ran.transcript().contains("zq-canary"), "{}", ran.transcript());
    }
    let config = graph.replace("agent.yaml", "loopwright.toml");
    let ran = desk.run(&format!("resume one --answer yes --config {config} --grant read_file"));
    assert!(ran.code == Some(0) && ran.stdout.contains("zq-canary"), "{}", ran.transcript());
}
