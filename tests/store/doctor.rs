//! `doctor` reads what `resume` reads, and says the same of it.

use std::fs;
use std::path::{Path, PathBuf};

use loopwright::port::Store;
use loopwright::store::{Sqlite, survey};

use crate::cli::{Desk, Ran};

const GRAPH: &str = "graph: g
start: a
nodes: {a: {kind: human, ask: \"'Well?'\", options: [y], next: [{to: e}]}, e: {kind: final}}
";

/// A kept run that waits for a person.
fn desk() -> (Desk, PathBuf) {
    let desk = Desk::new();
    desk.write("g.yaml", GRAPH);
    let ran = desk.run("run g.yaml --run-id one");
    assert_eq!(ran.code, Some(3), "{}", ran.transcript());
    let path = desk.folder.path().join(".loopwright/runs.db");
    (desk, path)
}

fn change(path: &Path, sql: &str) {
    rusqlite::Connection::open(path).expect("SQLite opens it").execute_batch(sql).expect("it is changed");
}

/// Both say that the run goes on, or both that it does not.
fn agree(desk: &Desk, what: &str) -> (bool, Ran, Ran) {
    let (doctor, resume) = (desk.run("doctor"), desk.run("resume one"));
    let goes_on = resume.code == Some(3);
    assert!(goes_on || resume.code == Some(2), "{what}: {}", resume.transcript());
    assert_eq!(doctor.code == Some(0), goes_on, "{what}: {}{}", doctor.transcript(), resume.transcript());
    (goes_on, doctor, resume)
}

/// Where the row of the program stands in the file.
fn row(bytes: &[u8]) -> std::ops::Range<usize> {
    let find = |text: &[u8]| bytes.windows(text.len()).position(|part| part == text).expect("it is there");
    let files = find(b"[[\"g.yaml\",");
    let end = files + bytes[files..].iter().position(|byte| *byte == b']').expect("an end") + 2 + 8;
    // Before the files stand the name of the first, the digest, and what says how long they are.
    files - "g.yaml".len() - 64 - 9..end
}

#[tokio::test]
async fn each_bit_of_a_program_counts() {
    let (desk, path) = desk();
    let whole = fs::read(&path).expect("read");
    let store = Sqlite::open_to_read(&path).expect("a store");
    let digest = store.runs().await.expect("the runs")[0].program.clone();
    let program = store.program(&digest).await.expect("read");
    drop(store);
    assert!(program.is_some());
    let row = row(&whole);
    assert!(row.len() > 150, "{row:?}");
    let mut found = 0;
    for bit in row.start * 8..row.end * 8 {
        let mut bytes = whole.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        fs::write(&path, &bytes).expect("written");
        let same = match Sqlite::open_to_read(&path) {
            Ok(store) => store.program(&digest).await.is_ok_and(|own| own == program),
            Err(_) => false,
        };
        let seen = survey(&path).is_ok_and(|seen| seen.is_whole());
        assert!(same || !seen, "bit {bit}: another program is read, and the survey finds nothing");
        found += usize::from(!seen);
        if bit % 97 == 0 {
            agree(&desk, &format!("bit {bit}"));
        }
    }
    assert!(found > 8 * (row.len() - 16), "{found} of {} bits are noticed", row.len() * 8);
    fs::write(&path, &whole).expect("written");
    assert!(agree(&desk, "whole").0);
}

#[test]
fn what_keeps_a_run_from_going_on_is_said_in_the_same_words() {
    for (sql, words) in [
        ("UPDATE programs SET main = 'x'", "is damaged: it is not what was written"),
        ("DELETE FROM programs", "the program of the run `one` was not stored"),
        ("UPDATE leases SET owner = 'x'", "its driver is unknown"),
        ("UPDATE journal SET body = CAST('{}' AS BLOB) WHERE id = (1 << 32)", "is not what was written"),
    ] {
        let (desk, path) = desk();
        change(&path, sql);
        let (goes_on, doctor, resume) = agree(&desk, sql);
        assert!(!goes_on, "{sql}: {}", resume.transcript());
        let said = doctor.stdout + &doctor.stderr;
        assert!(said.contains(words) && resume.stderr.contains(words), "{sql}: {said}{}", resume.stderr);
        assert!(!said.contains("loopwright doctor"), "{said}");
    }
}

#[test]
fn a_damaged_run_keeps_no_other_from_going_on() {
    let (desk, path) = desk();
    assert_eq!(desk.run("run g.yaml --run-id two").code, Some(3));
    change(&path, "UPDATE runs SET graph = 'x' WHERE id = 'two'");
    assert!(!desk.run("doctor").stdout.contains("2 whole"));
    assert_eq!(desk.run("show one").code, Some(0));
    assert_eq!(desk.run("resume one --answer y").code, Some(0));
}
