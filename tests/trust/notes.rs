//! The user's own folder: nobody else writes there, and no link leads out of it.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use crate::cli::Desk;

const ENV: (&str, &str) = ("A_WORD", "of-the-variable");

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write(
        "says.yaml",
        "graph: says\ninput: {word: string = 'nothing'}\nstart: end\nnodes: {end: {kind: final}}\noutput: {word: word}\n",
    );
    desk.write("loopwright.toml", "[inputs]\nword = {env = \"A_WORD\"}\n");
    desk
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = vec![folder.to_owned()];
    for entry in fs::read_dir(folder).expect("it can be listed").flatten() {
        if entry.path().is_dir() { all.extend(files(&entry.path())) } else { all.push(entry.path()) }
    }
    all
}

#[test]
fn it_is_for_its_user_alone() {
    let desk = desk();
    desk.trust(".");
    let ran = desk.run_with("run says.yaml", &[ENV]);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("outcome: end\nword: of-the-variable\n", ""));
    let all = files(&desk.state().join("loopwright"));
    assert!(all.len() >= 4, "{all:?}");
    for path in all {
        let meta = fs::symlink_metadata(&path).expect("it is there");
        let wanted = if meta.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(meta.mode() & 0o777, wanted, "{}", path.display());
        assert!(!path.to_string_lossy().ends_with(".part"), "{}", path.display());
    }
}

#[test]
fn what_others_can_write_does_not_count() {
    let desk = desk();
    desk.trust(".");
    let state = desk.state().join("loopwright");
    // Each in a store of its own: whose that is, is another question.
    let word = |store: &str| desk.run_with(&format!("run says.yaml --db {store}.db"), &[ENV]);
    let note = files(&state.join("configurations")).pop().expect("it was noted");
    for (store, path) in
        ["a", "b", "c"].into_iter().zip([state.clone(), state.join("configurations"), note.clone()])
    {
        let own = fs::metadata(&path).expect("it is there").permissions();
        fs::set_permissions(&path, Permissions::from_mode(own.mode() | 0o020)).expect("it can be changed");
        let ran = word(store);
        assert!(ran.stdout.contains("word: nothing"), "{}", ran.transcript());
        if path != note {
            let why = format!("others can write there; run: chmod go-w {}", path.display());
            assert!(ran.stderr.contains(&why), "{}", ran.transcript());
        }
        fs::set_permissions(&path, own).expect("it can be changed");
    }
    // A link, wherever it leads, is nobody's note.
    let copy = desk.folder.path().join("copy.json");
    fs::rename(&note, &copy).expect("it can be moved");
    symlink(&copy, &note).expect("a link can be made");
    assert!(word("d").stdout.contains("word: nothing"));
    fs::remove_file(&note).expect("it is there");
    fs::rename(&copy, &note).expect("it can be moved");
    let moved = desk.folder.path().join("moved");
    fs::rename(&state, &moved).expect("it can be moved");
    symlink(&moved, &state).expect("a link can be made");
    let ran = word("e");
    assert!(ran.stdout.contains("word: nothing"), "{}", ran.transcript());
    assert!(ran.stderr.contains("it is a link"), "{}", ran.transcript());
}

/// A note that was damaged is none.
#[test]
fn a_damaged_note_allows_nothing() {
    let desk = desk();
    desk.trust(".");
    let note = files(&desk.state().join("loopwright/configurations")).pop().expect("it was noted");
    let text = fs::read_to_string(&note).expect("it can be read");
    for (broken, word) in
        [(&text[..text.len() / 2], "nothing"), ("", "nothing"), (text.as_str(), "of-the-variable")]
    {
        fs::write(&note, broken).expect("it can be written");
        let ran = desk.run_with("run says.yaml", &[ENV]);
        assert!(ran.stdout.contains(&format!("word: {word}\n")), "{}", ran.transcript());
    }
}
