//! Frozen journals: a run that an earlier version kept replays for ever, every event and the state at its end the same.
//!
//! `tests/journal/README.md` says how one is added.

mod freeze;

use std::fs;
use std::path::{Path, PathBuf};

use crate::cli::Desk;

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
    let names = frozen("v1");
    assert!(names.len() >= freeze::RUNS.len(), "{names:?}");
    for name in names {
        let file = folder("v1").join(format!("{name}.db"));
        let told = fs::read_to_string(file.with_extension("txt")).expect("what replay said stands beside it");
        assert_eq!(replayed(&desk, &file, &name), told, "{name}");
    }
}

#[test]
fn frozen_journals_are_never_edited() {
    let sums: String =
        frozen("v1").iter().map(|name| sum(&folder("v1").join(format!("{name}.db")))).collect();
    let kept = fs::read_to_string(folder("v1").join("b3sums")).expect("their hashes stand beside them");
    assert_eq!(sums, kept);
}
