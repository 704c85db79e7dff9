//! Frozen journals: a run that an earlier version kept replays for ever, every event and the state at its end the same.
//!
//! `tests/journal/README.md` says how one is added.

mod freeze;

use std::fs;
use std::path::{Path, PathBuf};

use loopwright::compile::compile_stored;
use loopwright::model::{Files, load};
use loopwright::source::Sources;
use rusqlite::Connection;
use serde_json::Value as Json;

use crate::cli::{Desk, Ran};

/// The versions of the meaning, the first one first.
const VERSIONS: [&str; 3] = ["v1", "v2", NEWEST];

/// The version of new runs.
const NEWEST: &str = "v3";

/// The folder of the frozen journals of a version.
fn folder(version: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/journal").join(version)
}

/// The names of all frozen runs of a version, in order.
fn frozen(version: &str) -> Vec<String> {
    let files = fs::read_dir(folder(version)).expect("the folder is there").flatten();
    let name = |path: PathBuf| {
        let is_store = path.extension().is_some_and(|ending| ending == "db");
        is_store.then(|| path.file_stem().map(|stem| stem.to_string_lossy().into_owned()))?
    };
    let mut names: Vec<String> = files.filter_map(|file| name(file.path())).collect();
    names.sort();
    names
}

/// What `replay` says of a copy of a frozen run. The run's id is the name of the file.
fn replayed(desk: &Desk, file: &Path, name: &str) -> String {
    fs::copy(file, desk.folder.path().join("copy.db")).expect("a file can be copied");
    let ran = desk.run(&format!("replay {name} --db copy.db"));
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    for beside in ["copy.db", "copy.db-wal", "copy.db-shm", "copy.db-head"] {
        let _ = fs::remove_file(desk.folder.path().join(beside));
    }
    ran.stdout
}

/// The hash of a file and its name, as `b3sum` prints them.
fn sum(file: &Path) -> String {
    let bytes = fs::read(file).expect("the file can be read");
    let name = file.file_name().expect("it has a name").to_string_lossy();
    format!("{}  {name}\n", blake3::hash(&bytes))
}

#[test]
fn every_frozen_journal_replays_as_it_was_kept() {
    let desk = Desk::new();
    // Only the journal counts: the graphs may have changed since, or be gone.
    fs::remove_dir_all(desk.folder.path().join("graphs")).expect("the graphs can be removed");
    assert!(frozen(NEWEST).len() >= freeze::RUNS.len());
    for version in VERSIONS {
        for name in frozen(version) {
            let file = folder(version).join(format!("{name}.db"));
            let frozen =
                fs::read_to_string(file.with_extension("txt")).expect("the output of `replay` is next to it");
            // The files are never edited, the words of the command have changed since.
            let frozen = frozen
                .replace("all as they were kept", "all as stored")
                .replace("state behind them", "state after them");
            assert_eq!(replayed(&desk, &file, &name), frozen, "{version}/{name}");
        }
    }
}

#[test]
fn frozen_journals_are_never_edited() {
    for version in VERSIONS {
        let sums: String =
            frozen(version).iter().map(|name| sum(&folder(version).join(format!("{name}.db")))).collect();
        let kept =
            fs::read_to_string(folder(version).join("b3sums")).expect("their hashes stand beside them");
        assert_eq!(sums, kept, "{version}");
    }
}

/// A run goes on with the meaning it began with, and replays by it then.
#[test]
fn a_run_of_the_first_version_goes_on_by_it() {
    let desk = Desk::new();
    fs::copy(folder("v1").join("waiting.db"), desk.folder.path().join("runs.db"))
        .expect("a file can be copied");
    let replayed = |run: &str| {
        let replayed = desk.run(&format!("replay {run} --db runs.db --format json"));
        assert_eq!(replayed.code, Some(0), "{}", replayed.transcript());
        let json: Json = serde_json::from_str(&replayed.stdout).expect("JSON");
        (json["program"].clone(), json["entries"].as_u64().expect("a number"))
    };
    let (before, entries) = replayed("waiting");
    // The question was to be answered within a day, which has passed: the run reminds, and asks again.
    trusting(&desk, "resume waiting --db runs.db");
    let ran = desk.run("resume waiting --db runs.db --answer reject");
    assert_ne!(ran.code, Some(2), "{}", ran.transcript());
    let (after, more) = replayed("waiting");
    assert_eq!(after, before);
    assert!(more > entries);
    // A new run of the same texts has the newest meaning, and so another program.
    let (_, files) = texts(&desk.folder.path().join("runs.db")).remove(0);
    for (name, text) in files {
        fs::create_dir_all(desk.folder.path().join(&name).parent().expect("a folder")).expect("it is made");
        desk.write(&name, &text);
    }
    let words =
        "graphs/tour/04-people.yaml --run-id new --db runs.db --input text=Mondays --input cooling=0s";
    let ran = desk.run(&format!("run {words}"));
    assert_eq!(ran.code, Some(3), "{}", ran.transcript());
    assert_ne!(replayed("new").0, before);
    // With a graph that is named it goes over to the newest meaning, and says so.
    let ran = desk.run("resume new --with graphs/tour/04-people.yaml --db runs.db");
    assert!(!ran.stderr.contains("semantics"), "{}", ran.transcript());
    fs::copy(folder("v1").join("waiting.db"), desk.folder.path().join("old.db")).expect("it is copied");
    let ran = desk.run("replay waiting --against graphs/tour/04-people.yaml --db old.db");
    let said = "the run waiting uses version 1 of the semantics; graphs/tour/04-people.yaml is run like a new run, with version 3";
    assert!(ran.stdout.starts_with(said), "{}", ran.transcript());
    let ran = trusting(&desk, "resume waiting --with graphs/tour/04-people.yaml --db old.db");
    assert!(
        ran.stderr.contains("from here on it uses version 3 of the semantics, before version 1"),
        "{}",
        ran.transcript()
    );
}

/// Runs a command on a store that somebody else wrote, and allows it as the command says.
fn trusting(desk: &Desk, words: &str) -> Ran {
    let asked = desk.run(words).stderr;
    let digest = asked.split("--trust ").nth(1).and_then(|rest| rest.split_whitespace().next());
    desk.run(&format!("{words} --trust {}", digest.expect("the command says how it is allowed")))
}

/// Every journal is of the meaning that its folder names.
#[test]
fn every_folder_is_of_one_meaning() {
    for (version, semantics) in VERSIONS.into_iter().zip(1..) {
        for name in frozen(version) {
            for (digest, files) in texts(&folder(version).join(format!("{name}.db"))) {
                let mut loader = files.iter().fold(Files::new(), |all, (name, text)| all.with(name, text));
                let main = &files.first().expect("there is a file").0;
                let model = load(&mut Sources::new(), &mut loader, main).model.expect("the graph is sound");
                let program =
                    compile_stored(&model, &digest).expect("it compiles").expect("it is the program");
                assert_eq!(program.semantics.number(), semantics, "{version}/{name}");
            }
        }
    }
}

/// The programs in a store: digest, and texts by name with the graph's own first.
fn texts(store: &Path) -> Vec<(String, Vec<(String, String)>)> {
    let desk = tempfile::tempdir().expect("a folder can be made");
    let copy = desk.path().join("copy.db");
    fs::copy(store, &copy).expect("a file can be copied");
    let store = Connection::open(copy).expect("SQLite opens it");
    let mut ask = store.prepare("SELECT digest, main, files FROM programs").expect("the table is there");
    let rows =
        ask.query_map([], |row| Ok((row.get(0)?, row.get::<_, String>(1)?, row.get::<_, Vec<u8>>(2)?)));
    let rows = rows.expect("it is read").map(|row| {
        let (digest, main, files) = row.expect("it is read");
        let mut files: Vec<(String, String)> = serde_json::from_slice(&files).expect("JSON");
        files.sort_by_key(|(name, _)| *name != main);
        (digest, files)
    });
    rows.collect()
}
