//! The command line as strangers use it: short names of runs, logs that can be read, scripts that are wrong, files of another kind,
//! folders without a path, and texts without quotes.

mod begun;
mod doctor;
mod drawn;
mod kinds;
mod log;
mod named_runs;
mod prose;
mod scripts;
mod suites;

use crate::cli::{Desk, Ran};

/// A graph with a model, a tool and a budget, as `new` writes it, in an empty folder.
fn small() -> Desk {
    let desk = empty();
    let ran = desk.run("new hello");
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    desk
}

/// A desk without the shipped graphs.
fn empty() -> Desk {
    let desk = Desk::new();
    std::fs::remove_dir_all(desk.folder.path().join("graphs"))
        .expect("the shipped graphs are not wanted here");
    desk
}

/// Runs `hello` with its script under an id.
fn run(desk: &Desk, id: &str) -> Ran {
    desk.run(&format!("run hello.yaml --script hello.script.yaml --run-id {id}"))
}

/// The command must end with this exit code, and say all of this.
fn says(desk: &Desk, words: &str, code: i32, wanted: &[&str]) -> Ran {
    let ran = desk.run(words);
    assert_eq!(ran.code, Some(code), "{}", ran.transcript());
    for text in wanted {
        assert!(ran.transcript().contains(text), "`{text}` is missing: {}", ran.transcript());
    }
    ran
}
