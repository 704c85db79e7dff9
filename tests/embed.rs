//! The example that embeds the library, as it runs.

use std::path::PathBuf;
use std::process::Command;

/// Examples are built beside the tests.
fn example() -> PathBuf {
    let mut path = std::env::current_exe().expect("a test knows where it is");
    path.pop();
    path.pop();
    path.join("examples").join("embed")
}

#[test]
fn the_example_runs() {
    let path = example();
    let built = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--example", "embed"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status();
    assert!(built.is_ok_and(|status| status.success()), "the example builds");
    let output = Command::new(&path).output().expect("the example starts");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(printed, "Hello, Ada! Shall I send this?\nsent: {\"greeting\":\"Hello, Ada!\"}\n");
}
