//! Runs that are named by the beginning of their id, or as the last one.

use super::{run, says, small};
use crate::terminal::{Running, terminal};

#[test]
fn a_beginning_that_one_id_has_names_the_run() {
    let desk = small();
    run(&desk, "alpha-1");
    run(&desk, "beta-1");
    for words in ["show alp", "log alp", "replay alp", "render --run alp", "fork alp --at 1 --run-id gamma"] {
        says(&desk, words, 0, &[]);
    }
    says(&desk, "show alp", 0, &["run alpha-1 of graph hello"]);
    says(&desk, "resume alp", 2, &["the run `alpha-1` ended: finished"]);
    says(&desk, "cancel alp", 2, &["the run `alpha-1` ended: finished"]);
    says(
        &desk,
        "rollback bet --to 1 --yes",
        0,
        &["the run `beta-1` is at step 1", "loopwright resume beta-1"],
    );
    says(&desk, "purge alp", 0, &["removed 1 run: alpha-1"]);
    says(&desk, "show alp", 2, &["`loopwright runs` lists those that are"]);
}

#[test]
fn a_beginning_that_several_ids_have_lists_them() {
    let desk = small();
    run(&desk, "alpha-1");
    run(&desk, "alpha-2");
    says(
        &desk,
        "show alpha",
        2,
        &["`alpha` is the beginning of 2 ids:", "alpha-1  hello  ended: finished", "alpha-2"],
    );
    // A whole id is one, whatever begins with it.
    run(&desk, "alpha");
    says(&desk, "show alpha", 0, &["run alpha of graph hello"]);
}

#[test]
fn last_is_the_run_that_began_last() {
    let desk = small();
    says(&desk, "show last", 2, &["runs are stored in the folder"]);
    run(&desk, "beta");
    run(&desk, "alpha");
    says(&desk, "show last", 0, &["run alpha of graph hello"]);
    says(&desk, "log last", 0, &["run alpha started"]);
    run(&desk, "last");
    run(&desk, "omega");
    says(&desk, "show last", 0, &["run last of graph hello"]);
}

#[test]
fn runs_are_listed_by_status_graph_and_number() {
    let desk = small();
    run(&desk, "one");
    run(&desk, "two");
    desk.run("rollback two --to 1 --yes");
    let list = |words: &str| {
        let listed = says(&desk, words, 0, &[]);
        listed
            .stdout
            .lines()
            .skip(1)
            .filter_map(|line| line.split(' ').next().map(str::to_owned))
            .collect::<Vec<_>>()
    };
    assert_eq!(list("runs"), ["one", "two"]);
    assert_eq!(list("runs --status ended"), ["one"]);
    assert_eq!(list("runs --status ready"), ["two"]);
    assert_eq!(list("runs --graph hello --last 1"), ["two"]);
    says(&desk, "runs --graph other", 0, &["no run is stored here"]);
    says(&desk, "runs --status done", 2, &["possible values: running, interrupted"]);
}

#[test]
fn an_input_that_does_not_meet_its_condition_is_refused_before_the_run() {
    let desk = small();
    desk.write(
        "w.yaml",
        "graph: w\ninput: {n: int = 5 where n > 2}\nstart: end\nnodes: {end: {kind: final}}\n",
    );
    says(&desk, "run w.yaml --input n=1", 2, &["the input `n` does not meet its condition: n > 2"]);
    says(&desk, "run w.yaml --input n=3", 0, &["outcome: end"]);
}

#[test]
fn the_id_of_a_run_is_told() {
    let desk = small();
    let ran = desk.run("run hello.yaml --script hello.script.yaml --run-id one --format json");
    let document: serde_json::Value = serde_json::from_str(&ran.stdout).expect("it is JSON");
    assert_eq!((&document["run"], &document["status"]), (&"one".into(), &"ended".into()), "{document}");
    assert!(!ran.stderr.contains("run: "), "no terminal is there: {}", ran.stderr);
    desk.write("ask.yaml", crate::runs::desk::TALK);
    let ran = desk.run("run ask.yaml --run-id two --format json");
    let document: serde_json::Value = serde_json::from_str(&ran.stdout).expect("it is JSON");
    assert_eq!((&document["run"], &document["status"]), (&"two".into(), &"waiting".into()), "{document}");
    assert_eq!(document["asks"][0]["node"], "ask", "{document}");
}

#[test]
fn a_terminal_is_told_which_run_this_is() {
    if !terminal() {
        return;
    }
    let desk = small();
    let mut running = Running::on_terminal(
        &desk,
        &["run", "hello.yaml", "--script", "hello.script.yaml", "--run-id", "three"],
    );
    running.wait_for("run: three");
    running.wait_for("outcome: finished");
}
