//! The application layer, without a command line.

use std::sync::Arc;

use futures::StreamExt;
use loopwright::app::{AnswerError, EditError, Graph, OpenError, ReadError, Replay, Runs, open_question};
use loopwright::drive::{DriveError, Driver, Finished};
use loopwright::machine::{Interrupt, Start};
use loopwright::model::Files;
use loopwright::port::StoreError;
use loopwright::tool::Tools;
use loopwright::value::Value;

const GRAPH: &str = r"
graph: greeting
input: {name: string}
state:
  greeting: string = ''
  choice: string?
start: greet
nodes:
  greet:
    kind: tool
    tool: greet
    args: {name: name}
    into: greeting
    next: [{to: confirm}]
  confirm:
    kind: human
    ask: greeting + ' Send it?'
    options: [send, discard]
    into: choice
    next:
      - {to: sent, when: choice == 'send'}
      - {to: discarded}
  sent: {kind: final}
  discarded: {kind: final}
output: {greeting: greeting}
";

fn graph(text: &str) -> Graph {
    let mut files = Files::new().with("greeting.yaml", text);
    Graph::load("greeting.yaml", &mut files).unwrap_or_else(|error| panic!("{error}"))
}

/// Adds the one tool of the graph.
fn with_tools(driver: Driver) -> Driver {
    let schema = serde_json::json!({
        "type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"],
    });
    driver.tools(Arc::new(Tools::new().closure("greet", &schema, |args| async move {
        let name = args.get("name").and_then(Value::as_str).unwrap_or("you");
        Ok(Value::from(format!("Hello, {name}!")))
    })))
}

/// Begins the run `one` and drives it to its question.
async fn begin(runs: &Runs) {
    let graph = graph(GRAPH);
    let driver = with_tools(runs.driver(&graph.program));
    let input = [("name", Value::from("Ada"))].into_iter().collect();
    let start = Start { run: "one".into(), input, ..Start::default() };
    let mut run = runs.begin(&driver, &graph.text, start).await.expect("it begins");
    assert!(matches!(run.drive().await, Ok(Finished::Waiting { .. })));
}

fn db(folder: &tempfile::TempDir) -> std::path::PathBuf {
    folder.path().join("runs.db")
}

#[tokio::test]
async fn a_stored_run_goes_on_by_its_id() {
    let folder = tempfile::tempdir().expect("a folder");
    begin(&Runs::open_or_make(db(&folder)).expect("a store")).await;

    // As another process would, with nothing but the file and the id.
    let runs = Runs::open(db(&folder)).expect("the store");
    let listed = runs.list().await.expect("a list");
    let [listed] = listed.as_slice() else { panic!("one run is listed: {listed:?}") };
    assert_eq!((&*listed.info.run, &*listed.info.graph, listed.steps), ("one", "greeting", Some(1)));
    assert_eq!(listed.info.status.word(listed.driver.is_some()), "waiting");

    let stored = runs.find("one").await.expect("the run");
    let stands = stored.state(None).await.expect("its state");
    let ask = open_question(&stands, None).expect("one question").id.clone();
    let driver = with_tools(stored.driver());
    let mut run = stored.resume(&driver, None).await.expect("it goes on");
    run.answer(&ask, Value::from("send")).expect("the answer fits");
    let Ok(Finished::Done(done)) = run.drive().await else { panic!("it ends") };
    assert_eq!(done.outcome, "sent");

    let stored = runs.find("one").await.expect("the run");
    assert_eq!(stored.outcome().map(|outcome| &**outcome), Some("sent"));
}

#[tokio::test]
async fn a_run_is_replayed_and_branches_off_and_goes_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let runs = Runs::open_or_make(db(&folder)).expect("a store");
    begin(&runs).await;
    let stored = runs.find_whole("one").await.expect("the run");

    let journal = stored.journal().await.expect("its journal");
    let Ok(Replay::Same(replayed)) = stored.replay(journal.clone(), None).await else { panic!("the same") };
    assert_eq!(replayed.snapshot, stored.state(None).await.expect("its state"));
    let far = stored.replay(journal, Some(9)).await;
    assert!(matches!(far, Err(ReadError::Step { last: 1, step: 9, .. })), "{far:?}");

    assert_eq!(stored.fork(1, "two").await.expect("another run"), "two");
    let far = stored.fork(2, "three").await;
    assert!(matches!(far, Err(ReadError::Step { last: 1, step: 2, .. })), "{far:?}");
    let again = stored.fork(0, "one").await;
    assert!(matches!(again, Err(ReadError::Drive(DriveError::Store(StoreError::Exists(_))))), "{again:?}");

    let driver = with_tools(stored.driver());
    let way = stored.rollback_plan(&driver, 0).await.expect("a way back");
    assert_eq!(way.left.len(), 1);
    driver.go_back("one", way, false).await.expect("it goes back");
    assert_eq!(stored.state(None).await.expect("its state").step(), 0);
}

#[tokio::test]
async fn a_run_goes_on_with_an_edited_graph() {
    let folder = tempfile::tempdir().expect("a folder");
    let runs = Runs::open_or_make(db(&folder)).expect("a store");
    begin(&runs).await;

    let edited =
        graph(&GRAPH.replace("to: sent,", "to: posted,").replace("  sent: {kind", "  posted: {kind"));
    let stored = runs.find("one").await.expect("the run");
    let stands = stored.state(None).await.expect("its state");
    let (stored, edited) = stored.edited(edited, &stands).expect("it fits");
    let ask = open_question(edited.stands(&stands), None).expect("one question").id.clone();
    let driver = with_tools(stored.driver());
    let mut run = stored.resume(&driver, Some(&edited)).await.expect("it goes on");
    run.answer(&ask, Value::from("send")).expect("the answer fits");
    let Ok(Finished::Done(done)) = run.drive().await else { panic!("it ends") };
    assert_eq!(done.outcome, "posted");

    let whole = runs.find_whole("one").await.expect("the run");
    assert_eq!(whole.earlier.len(), 1);
}

#[tokio::test]
async fn events_are_a_stream() {
    let folder = tempfile::tempdir().expect("a folder");
    let runs = Runs::open_or_make(db(&folder)).expect("a store");
    begin(&runs).await;
    let stored = runs.find("one").await.expect("the run");
    let before = stored.store.events("one").await.expect("its events").len();
    let driver = with_tools(stored.driver());
    let mut run = stored.resume(&driver, None).await.expect("it goes on");
    let stands = stored.state(None).await.expect("its state");
    run.answer(&open_question(&stands, None).expect("one question").id, Value::from("send"))
        .expect("it fits");
    let events = run.events();
    assert!(matches!(run.drive().await, Ok(Finished::Done(_))));
    drop(run);
    let seen: Vec<_> = events.map(|recorded| recorded.event).collect().await;
    let stored = stored.store.events("one").await.expect("its events");
    assert!(!seen.is_empty());
    assert_eq!(seen, stored[before..]);
}

#[tokio::test]
async fn faults_are_typed() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(matches!(Runs::open(db(&folder)), Err(OpenError::Missing(_))));
    let runs = Runs::open_or_make(db(&folder)).expect("a store");
    assert!(matches!(runs.find("one").await, Err(ReadError::Store(StoreError::Unknown(_)))));
    begin(&runs).await;

    let stored = runs.find("one").await.expect("the run");
    let stands = stored.state(None).await.expect("its state");
    let unknown = open_question(&stands, Some("other"));
    assert!(matches!(unknown, Err(AnswerError::Unknown { open, .. }) if open.len() == 1));
    assert!(matches!(
        open_question(&stored.beginning().await.expect("a state"), None),
        Err(AnswerError::Nothing)
    ));
    let other = graph("graph: other\nstart: done\nnodes: {done: {kind: final}}\n");
    assert!(matches!(stored.edited(other, &stands), Err(EditError::Unfit(_))));
    // Without its tool the run would only fail later.
    let stored = runs.find("one").await.expect("the run");
    assert!(stored.resume(&stored.driver(), None).await.is_ok());
}

#[test]
fn a_faulty_graph_tells_its_findings() {
    let mut files = Files::new()
        .with("faulty.yaml", "graph: faulty\nstart: nowhere\nnodes: {done: {kind: final}}\n")
        .with("types.loop", "type Side = enum(left, right)\n");
    let error = Graph::load("faulty.yaml", &mut files).expect_err("it is refused");
    assert!(error.to_string().contains("faulty.yaml:2"), "{error}");
    let error = Graph::load("types.loop", &mut files).expect_err("it is no graph");
    assert!(error.is_empty, "{error}");
    let pause = Interrupt { when: Some("unknown > 1".into()), every: None };
    let error = graph(GRAPH).pausing(&pause).expect_err("it is refused");
    assert!(error.to_string().contains("--interrupt-when:1:1"), "{error}");
}

#[test]
fn it_prints_nothing_and_reads_no_arguments() {
    let folder = crate::parts::core().join("app");
    let mut files = vec![folder];
    let mut seen = 0;
    while let Some(path) = files.pop() {
        if path.is_dir() {
            files.extend(std::fs::read_dir(&path).expect("a folder").flatten().map(|entry| entry.path()));
            continue;
        }
        seen += 1;
        let text = std::fs::read_to_string(&path).expect("a source file");
        for word in
            ["print!", "println!", "stdout", "stderr", "stdin", "clap", "args_os", "env::args", "exit("]
        {
            assert!(!text.contains(word), "{} has {word}", path.display());
        }
    }
    assert!(seen > 10, "the files of the layer are there");
}
