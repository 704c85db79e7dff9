//! The programs in `examples/`, as they run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The most lines of an example.
const MAX_LINES: usize = 40;

/// The output of each.
const OUTPUTS: [(&str, &str); 6] = [
    ("embed", "Hello, Ada! Shall I send this?\nsent: {\"greeting\":\"Hello, Ada!\"}\n"),
    (
        "own_function",
        "{\"path\":\"/two-small-cats\"}\nthe run `one` calls functions that are not registered here: `slug` version 1 \
         (registered is version 2); open it with a program that registers them\n",
    ),
    ("own_model", "done: {\"said\":\"SAY HELLO\"}\n"),
    ("own_store", "{\"one\": \"ended\"}\n"),
    ("resume", "sent: {\"greeting\":\"Hello, Ada!\"}\n"),
    (
        "typed_tools",
        "Finds pages by the words on them.\n[Hit { title: \"cats 1\" }, Hit { title: \"cats 2\" }]\ninvalid_args: the \
         arguments do not fit `search`: /query: 7 is not of type \"string\"\n",
    ),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Examples are built beside the tests.
fn built(name: &str) -> PathBuf {
    let mut path = std::env::current_exe().expect("a test knows where it is");
    path.pop();
    path.pop();
    path.join("examples").join(name)
}

/// The command that builds them, as a user starts it and with what the tests were built with. What cargo says to tests of their package
/// would have scripts of other packages run again, and all that stands on those built again.
fn build() -> Command {
    let mut build = Command::new(env!("CARGO"));
    build.args(["build", "--quiet", "--locked", "--examples"]).current_dir(root());
    if cfg!(all(feature = "otel", feature = "postgres", feature = "restate")) {
        build.arg("--all-features");
    }
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            build.env_remove(&name);
        }
    }
    build
}

#[test]
fn the_examples_run() {
    let build = build().status();
    assert!(build.is_ok_and(|status| status.success()), "the examples are built");
    for (name, wanted) in OUTPUTS {
        let output = Command::new(built(name)).current_dir(root()).output().expect("the example starts");
        let printed = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(printed, wanted, "{name}");
    }
}

#[test]
fn each_example_is_short_and_tested() {
    let entries = std::fs::read_dir(root().join("examples")).expect("the folder").flatten();
    let programs =
        entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == "rs"));
    let lines: BTreeMap<String, usize> = programs
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("an example");
            (path.file_stem().expect("a name").to_string_lossy().into_owned(), text.lines().count())
        })
        .collect();
    let tested: Vec<&str> = OUTPUTS.iter().map(|(name, _)| *name).collect();
    assert_eq!(lines.keys().map(String::as_str).collect::<Vec<_>>(), tested);
    let long: Vec<_> = lines.iter().filter(|(_, lines)| **lines > MAX_LINES).collect();
    assert!(long.is_empty(), "more than {MAX_LINES} lines: {long:?}");
}
