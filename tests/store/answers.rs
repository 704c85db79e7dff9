//! Answers of models that are given again.

use loopwright::port::Store;
use loopwright::store::survey;
use loopwright::value::Value;
use rusqlite::Connection;

use super::world::{folder, sqlite};
use crate::cli::Desk;

const GRAPH: &str = "
graph: cached
roles: [any]
state: {first: int?, second: int?}
budgets: {tokens: 1000}
start: one
nodes:
  one: {kind: model, role: any, prompt: '''A number!''', output: int, into: first, cache: true, next: [{to: two}]}
  two:
    kind: model
    role: any
    prompt: '''Another!'''
    output: int
    into: second
    next: [{to: end}, {to: end, on: error}]
  end: {kind: final}
output: {first: first, second: second}
";

fn desk(script: &str) -> Desk {
    let desk = Desk::new();
    desk.write("cached.yaml", GRAPH);
    desk.write("script.yaml", script);
    desk
}

fn run(desk: &Desk) -> String {
    let ran = desk.run("run cached.yaml --script script.yaml");
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    ran.stdout
}

#[test]
fn a_later_run_is_given_the_answer_of_an_earlier_one() {
    // The script has one answer: in the first run `one` has it, in the second `one` does not ask and `two` has it.
    let desk = desk("model: [7]");
    assert_eq!(run(&desk), "outcome: end\nfirst: 7\nsecond: null\n");
    assert_eq!(run(&desk), "outcome: end\nfirst: 7\nsecond: 7\n");
    // Another script is another model.
    desk.write("script.yaml", "model: [8]");
    assert_eq!(run(&desk), "outcome: end\nfirst: 8\nsecond: null\n");
    // Another prompt is another request.
    desk.write("cached.yaml", &GRAPH.replace("A number", "One number"));
    assert_eq!(run(&desk), "outcome: end\nfirst: 8\nsecond: null\n");
}

#[test]
fn a_bad_answer_is_never_kept() {
    let desk = desk("model: [none]");
    let ran = desk.run("run cached.yaml --script script.yaml");
    assert_eq!(ran.code, Some(1), "{}", ran.transcript());
    let conn = Connection::open(desk.folder.path().join(".loopwright/runs.db")).expect("SQLite reads it");
    let many: i64 = conn.query_row("SELECT count(*) FROM answers", [], |row| row.get(0)).expect("a number");
    assert_eq!(many, 0);
}

#[test]
fn a_damaged_answer_is_named_and_the_model_asked_again() {
    for change in ["body = CAST('9' AS BLOB)", "at = at + 1", "sum = sum + 1"] {
        let desk = desk("model: [7]");
        run(&desk);
        let conn = Connection::open(desk.folder.path().join(".loopwright/runs.db")).expect("SQLite opens it");
        conn.execute_batch(&format!("UPDATE answers SET {change}")).expect("it is changed");
        drop(conn);
        let doctor = desk.run("doctor");
        assert_eq!(doctor.code, Some(1), "{change}: {}", doctor.transcript());
        assert!(doctor.stdout.contains("the file: the answer stored for the request `"), "{}", doctor.stdout);
        assert!(doctor.stdout.contains("1 run, 1 whole"), "{}", doctor.stdout);
        assert_eq!(run(&desk), "outcome: end\nfirst: 7\nsecond: null\n", "{change}");
        // The new answer has taken its place.
        assert_eq!(desk.run("doctor").code, Some(0));
        assert_eq!(run(&desk), "outcome: end\nfirst: 7\nsecond: 7\n", "{change}");
    }
}

#[tokio::test]
async fn an_answer_moved_to_another_request_is_not_given() {
    let folder = folder();
    let store = sqlite(&folder);
    store.keep_answer("a", &Value::from("an answer"), 1).await.expect("kept");
    let conn = Connection::open(store.path()).expect("SQLite opens it");
    conn.execute_batch("UPDATE answers SET request = 'b'").expect("it is changed");
    assert_eq!(store.answer("a").expect("it is gone"), None);
    let error = store.answer("b").expect_err("it is damaged").to_string();
    assert_eq!(error, "the answer stored for the request `b` is damaged: it is not what was written");
    assert_eq!(survey(store.path()).expect("a store").wrong.len(), 1);
}
