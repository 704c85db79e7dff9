//! What the disk is told, and what it says, as `strace` sees and makes it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::cli::Desk;
use crate::parts;

const RUN: &str = "run graphs/tour/04-people.yaml --input text=Open --input cooling=0s --run-id notice";

/// Runs the program under `strace`, which writes to the file `trace`; nothing where processes cannot be traced.
fn traced(folder: &Path, flags: &str, words: &str) -> Option<Output> {
    Command::new("strace")
        .args(["-f", "-qq", "-y", "-o", "trace"])
        .args(flags.split(' '))
        .arg(env!("CARGO_BIN_EXE_loopwright"))
        .args(words.split(' '))
        .env("XDG_STATE_HOME", folder.join(".state"))
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .ok()
        .filter(|ran| !String::from_utf8_lossy(&ran.stderr).contains("ptrace"))
}

/// Says that nothing is tested where `strace` is not.
fn skip() {
    parts::skip("what the disk is told", "strace is not here, or may not trace");
}

#[test]
fn the_end_of_the_first_transaction_is_synced() {
    let desk = Desk::new();
    let folder = desk.folder.path();
    let calls = "trace=unlink,unlinkat,fsync,fdatasync";
    let Some(ran) = traced(folder, &format!("-e {calls}"), RUN) else { return skip() };
    assert_eq!(ran.status.code(), Some(3), "{ran:?}");
    let trace = fs::read_to_string(folder.join("trace")).expect("a trace");
    let lines: Vec<&str> = trace.lines().collect();
    let end = lines.iter().position(|line| line.contains("unlink") && line.contains("runs.db-journal\""));
    let end = end.expect("the first transaction has a journal of its own");
    let next = lines[end + 1..].iter().find(|line| line.contains("sync(")).expect("something is synced");
    assert!(next.contains("/.loopwright>)"), "the folder comes first:\n{trace}");
    let often = lines.iter().filter(|line| line.contains("/.loopwright>)")).count();
    // Once when the file is made, once behind its first transaction, and twice by SQLite for that one's journal and for the log.
    assert!(often <= 4, "{trace}");
    // In a store that is there the folder has nothing new but the log.
    let again = traced(folder, &format!("-e {calls}"), &RUN.replace("notice", "other")).expect("as before");
    assert_eq!(again.status.code(), Some(3), "{again:?}");
    let trace = fs::read_to_string(folder.join("trace")).expect("a trace");
    assert!(trace.lines().filter(|line| line.contains("/.loopwright>)")).count() <= 1, "{trace}");
}

#[test]
fn a_disk_that_fails_once_is_not_called_damage() {
    let desk = Desk::new();
    let folder = desk.folder.path();
    let ran = desk.run(RUN);
    assert_eq!(ran.code, Some(3), "{}", ran.transcript());
    let whole = desk.run("show notice");
    for (words, wanted) in [("show notice", Some(whole.stdout)), ("doctor", None), ("resume notice", None)] {
        let mut struck = 0;
        for number in 1..=12 {
            let flags =
                format!("-P .loopwright/runs.db -e trace=pread64 -e inject=pread64:error=EIO:when={number}");
            let Some(ran) = traced(folder, &flags, words) else { return skip() };
            let trace = fs::read_to_string(folder.join("trace")).expect("a trace");
            if !trace.contains("INJECTED") {
                break;
            }
            struck += 1;
            let said = String::from_utf8_lossy(&ran.stdout) + String::from_utf8_lossy(&ran.stderr);
            for word in ["damage", "malformed", "no store", "panicked"] {
                assert!(!said.contains(word), "{words}, read {number}: {said}");
            }
            match (&wanted, ran.status.code()) {
                (Some(wanted), Some(0)) => assert_eq!(String::from_utf8_lossy(&ran.stdout), *wanted),
                (_, Some(2)) => assert!(said.contains("disk"), "{words}, read {number}: {said}"),
                (None, Some(0 | 3)) => {}
                _ => panic!("{words}, read {number}: {ran:?}"),
            }
        }
        assert!(struck > 1, "{words} reads nothing");
    }
    // One that fails for good is named by what the system says.
    let flags = "-P .loopwright/runs.db -e trace=pread64 -e inject=pread64:error=EIO:when=1+";
    for words in ["show notice", "doctor", "resume notice"] {
        let ran = traced(folder, flags, words).expect("as before");
        let said = String::from_utf8_lossy(&ran.stdout) + String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.code() != Some(0) && said.contains("Input/output error"), "{words}: {said}");
        assert!(!said.contains("damage"), "{words}: {said}");
    }
}
