//! The tools over files, at the command line: trust, grants and approvals.

use std::fs;
use std::path::PathBuf;

use crate::cli::{Desk, Ran};

const GRAPH: &str = "
graph: writes
input: {path: string = 'notes/new.md', content: string = 'new text'}
state: {found: any}
start: write
nodes:
  write:
    kind: tool
    tool: write_file
    args: \"{'path': path, 'content': content, 'create_folders': true}\"
    into: found
    next: [{to: end}, {to: end, on: error, do: found = error.kind}]
  end: {kind: final}
output: {found: found}
";

fn desk(tool: &str) -> Desk {
    let desk = Desk::new();
    for folder in ["mine", "mine/files", "other"] {
        fs::create_dir(desk.folder.path().join(folder)).expect("a folder can be made");
    }
    desk.write("mine/writes.yaml", GRAPH);
    desk.write("mine/loopwright.toml", &format!("[builtin]\nwrite_file = {tool}\n"));
    desk
}

fn written(desk: &Desk) -> PathBuf {
    desk.folder.path().join("mine/files/notes/new.md")
}

/// The answer that a run waits for.
fn approval(ran: &Ran) -> &str {
    assert_eq!(ran.code, Some(3), "{}", ran.transcript());
    let words = ran.stdout.split("--answer '").nth(1).expect("the command is said");
    words.split('\'').next().expect("the answer is quoted")
}

#[test]
fn a_file_is_written_once_it_was_granted_and_approved() {
    let desk = desk("{root = \"files\"}");
    let ran = desk.run("run mine/writes.yaml");
    assert_eq!(ran.code, Some(3), "{}", ran.transcript());
    assert!(ran.stderr.contains("  write_file writes files below mine/files\n"), "{}", ran.transcript());
    let ran = desk.run("run mine/writes.yaml --grant write_file --run-id one");
    assert!(
        ran.stderr.starts_with("write_file writes files below mine/files (mine/loopwright.toml)\n"),
        "{}",
        ran.transcript()
    );
    assert!(!written(&desk).exists(), "a person is asked first");
    let answer = approval(&ran).to_owned();
    let words = ["resume", "one", "--grant", "write_file", "--answer", &answer];
    let ran = desk.run_words(&words, &[]);
    assert!(ran.stdout.contains(r#"found: {"path":"notes/new.md","bytes":8}"#), "{}", ran.transcript());
    assert_eq!(fs::read_to_string(written(&desk)).expect("it is there"), "new text");
    // The approval was for that call alone.
    let ran = desk.run("run mine/writes.yaml --grant write_file --input content=more --run-id two");
    let answer = approval(&ran).to_owned();
    let ran = desk.run("resume two --grant write_file --answer deny");
    assert!(ran.stdout.contains("found: denied"), "{}", ran.transcript());
    assert!(!answer.is_empty());
    assert_eq!(fs::read_to_string(written(&desk)).expect("it is there"), "new text");
}

#[test]
fn a_stranger_cannot_switch_the_question_off() {
    let desk = desk("{root = \"files\", approval = false}");
    let shown = desk.run("trust mine");
    assert!(
        shown.stdout.contains("  writes files below files without asking a person (tool write_file)\n"),
        "{}",
        shown.transcript()
    );
    let ran = desk.run("run mine/writes.yaml --grant write_file");
    approval(&ran);
    assert!(ran.stderr.contains("was not allowed, so this has no effect"), "{}", ran.transcript());
    assert!(!written(&desk).exists());
    // Once that content was allowed, it counts.
    desk.trust("mine");
    let ran = desk.run("run mine/writes.yaml --grant write_file");
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    assert!(
        ran.stderr.contains("writes files below mine/files, without asking a person"),
        "{}",
        ran.transcript()
    );
    assert_eq!(fs::read_to_string(written(&desk)).expect("it is there"), "new text");
}

#[test]
fn a_folder_outside_is_written_once_that_was_allowed() {
    let desk = desk("{root = \"../other\"}");
    let ran = desk.run("run mine/writes.yaml --grant write_file");
    assert_eq!(ran.code, Some(3), "{}", ran.transcript());
    assert!(ran.stderr.contains("  writes files below ../other (tool write_file)\n"), "{}", ran.transcript());
    desk.trust("mine");
    approval(&desk.run("run mine/writes.yaml --grant write_file"));
}

/// A folder that became a link after it was allowed is another one.
#[test]
fn a_folder_that_became_a_link_is_not_written() {
    let desk = desk("{root = \"files\", approval = false}");
    desk.trust("mine");
    let files = desk.folder.path().join("mine/files");
    fs::remove_dir(&files).expect("it is empty");
    std::os::unix::fs::symlink("../other", &files).expect("a link can be made");
    let ran = desk.run("run mine/writes.yaml --grant write_file");
    assert_eq!(ran.code, Some(3), "{}", ran.transcript());
    assert_eq!(fs::read_dir(desk.folder.path().join("other")).expect("it is there").count(), 0);
}

/// The answers of a script approve, but a grant is still wanted.
#[test]
fn a_script_that_approves_grants_nothing() {
    let desk = desk("{root = \"files\"}");
    desk.write("mine/writes.script.yaml", "human: [approve]\n");
    let ran = desk.run("run mine/writes.yaml --script mine/writes.script.yaml");
    assert_eq!(ran.code, Some(3), "{}", ran.transcript());
    assert!(!written(&desk).exists());
    let ran = desk.run("run mine/writes.yaml --script mine/writes.script.yaml --grant write_file");
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    assert_eq!(fs::read_to_string(written(&desk)).expect("it is there"), "new text");
}
