//! Files of another kind than a command reads.

use super::{empty, says, small};

#[test]
fn a_file_of_another_kind_names_the_command_that_reads_it() {
    let desk = small();
    let scenarios = "run `loopwright test hello.scenarios.yaml`";
    let script = "run `loopwright run hello.yaml --script hello.script.yaml`";
    for (words, wanted) in [
        ("test hello.yaml", "its scenarios are in another file: run `loopwright test hello.scenarios.yaml`"),
        ("test hello.script.yaml", script),
        ("check hello.scenarios.yaml", scenarios),
        ("check hello.script.yaml", script),
        ("check loopwright.toml", "`loopwright doctor` says what is wrong with it"),
        ("run hello.scenarios.yaml", scenarios),
        ("run hello.yaml --script hello.scenarios.yaml", scenarios),
        ("run hello.yaml --script hello.yaml", "this is a graph file, and a script is wanted"),
        ("render hello.scenarios.yaml", scenarios),
        ("explore hello.scenarios.yaml", scenarios),
        ("diff hello.scenarios.yaml hello.yaml", scenarios),
        ("diff hello.yaml hello.script.yaml", script),
        ("convert hello.script.yaml", script),
        ("fmt hello.scenarios.yaml", scenarios),
        ("fmt hello.script.yaml", script),
        ("fmt loopwright.toml", "`loopwright doctor` says what is wrong with it"),
    ] {
        let ran = says(&desk, words, 2, &[wanted]);
        assert!(ran.stderr.lines().count() <= 2, "it is said in two lines: {}", ran.transcript());
    }
}

#[test]
fn a_graph_without_scenarios_is_told_how_they_begin() {
    let desk = small();
    std::fs::remove_file(desk.folder.path().join("hello.scenarios.yaml")).expect("it is there");
    says(
        &desk,
        "test hello.yaml",
        2,
        &["this is a graph file, and scenarios are wanted", "loopwright test --write hello.yaml"],
    );
}

#[test]
fn a_file_is_told_by_what_is_in_it() {
    let desk = small();
    let text = desk.text("hello.scenarios.yaml");
    desk.write("cases.yaml", &text);
    says(
        &desk,
        "check cases.yaml",
        2,
        &["cases.yaml: this is a scenario file", "run `loopwright test cases.yaml`"],
    );
    says(&desk, "test cases.yaml", 0, &["2 passed"]);
    // What is none of ours is read as before, and so is a part that other graphs use.
    let desk = empty();
    desk.write("part.yaml", "types: {A: {b: int}}\n");
    says(&desk, "check part.yaml", 0, &["note[no-graph]"]);
}
