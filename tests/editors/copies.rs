//! Copies among the files for editors, each of which looks for its own.

use std::fs;

use crate::loop_dsl::root;

#[test]
fn zed_highlights_what_the_grammar_highlights() {
    let read =
        |path: &str| fs::read_to_string(root().join("editors").join(path)).expect("the file can be read");
    let copy = read("zed/languages/loop/highlights.scm");
    assert!(
        copy == read("tree-sitter-loop/queries/highlights.scm"),
        "copy the queries of the grammar to those of Zed"
    );
}
