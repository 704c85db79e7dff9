//! Every target of the fuzzer on its corpus.

mod targets;

use std::fs;
use std::path::Path;

/// Runs a target on every file of its corpus.
fn replay(name: &str, target: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(name);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut tried = 0;
    for entry in entries {
        let path = entry.expect("the folder can be listed").path();
        let bytes = fs::read(&path).expect("the file can be read");
        let outcome = std::panic::catch_unwind(|| target(&bytes));
        assert!(outcome.is_ok(), "{} does not hold: {}", name, path.display());
        tried += 1;
    }
    assert!(tried >= 20, "{}: {tried} files", folder.display());
}

#[test]
fn yaml_files_are_judged() {
    replay("yaml", targets::yaml);
}

#[test]
fn loop_files_are_judged() {
    replay("loop_dsl", targets::loop_dsl);
}

#[test]
fn expressions_are_read_and_printed() {
    replay("expressions", targets::expressions);
}

#[test]
fn files_are_written_and_read() {
    replay("print_parse", targets::print_parse);
}
