//! The parts of a file that editors with tree-sitter highlight, and how.

use std::process::Command;

use super::reader::program;
use crate::loop_dsl::root;

#[test]
fn parts_are_highlighted_by_what_they_are() {
    let Some(program) = program() else { return };
    for name in ["mini", "every_key"] {
        let output = Command::new(&program)
            .arg("highlights")
            .arg(format!("tests/loop/{name}.loop"))
            .current_dir(root())
            .output()
            .expect("the program can be run");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        insta::assert_snapshot!(name, String::from_utf8_lossy(&output.stdout));
    }
}
