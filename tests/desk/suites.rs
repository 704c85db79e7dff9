//! `check`, `test` and `fmt` without a path, and what of a suite is played.

use super::{empty, says, small};

#[test]
fn without_a_path_the_working_folder_is_meant() {
    let desk = small();
    says(&desk, "check", 0, &["hello.yaml ends after", "1 file: no findings"]);
    says(
        &desk,
        "test",
        0,
        &["ok    hello.scenarios.yaml: calculates once and finishes", "2 passed, 0 failed"],
    );
    says(&desk, "fmt", 0, &["1 unchanged"]);
    says(&empty(), "check", 2, &["there are no graph files in this folder"]);
}

#[test]
fn scenarios_are_chosen_by_their_names() {
    let desk = small();
    let ran = says(&desk, "test -k used", 0, &["stops when the rounds are used up", "1 passed, 0 failed"]);
    assert!(!ran.stdout.contains("calculates once"), "{}", ran.stdout);
    says(&desk, "test -k nothing", 2, &["no scenario has `nothing` in its name"]);
}

#[test]
fn the_first_failure_can_be_the_last() {
    let desk = small();
    let text = desk.text("hello.scenarios.yaml").replace("outcome: finished", "outcome: other");
    desk.write("a.scenarios.yaml", &text);
    let all = says(&desk, "test", 1, &["3 passed, 1 failed"]);
    assert!(all.stdout.contains("ok    a.scenarios.yaml: stops"), "{}", all.stdout);
    says(&desk, "test --fail-fast", 1, &["0 passed, 1 failed"]);
}

#[test]
fn coverage_can_be_demanded() {
    let desk = small();
    says(&desk, "test --min-coverage 50", 0, &["nodes "]);
    says(&desk, "test --min-coverage 99", 1, &["of the graphs, less than 99 %"]);
}

#[test]
fn files_that_could_not_be_loaded_are_counted() {
    let desk = small();
    desk.write("odd.scenarios.yaml", "graph: missing.yaml\nscenarios: []\n");
    says(&desk, "test", 2, &["2 passed, 0 failed, 1 file could not be loaded"]);
}
