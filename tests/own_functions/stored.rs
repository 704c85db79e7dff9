//! Runs whose graph calls own functions: stored, gone on with, replayed.

use std::sync::Arc;

use loopwright::app::{Graph, ReadError, Replay, Runs, open_question};
use loopwright::drive::{Driver, Finished};
use loopwright::machine::Start;
use loopwright::model::Files;
use loopwright::program::function::TypePattern as T;
use loopwright::program::function::{Functions, OwnFunction};
use loopwright::store::{Memory, Sqlite, survey};
use loopwright::value::Value;

use crate::cli::Desk;

const GRAPH: &str = r"
graph: greeting
input: {name: string}
state:
  short: string = ''
  choice: string?
start: shorten
nodes:
  shorten:
    do: short = initials(name)
    next: [{to: confirm}]
  confirm:
    kind: human
    ask: initials(short) + '?'
    options: [yes, no]
    into: choice
    next: [{to: end}]
  end: {kind: final}
output: {short: initials(name) + short}
";

/// A function that gives the first letter, in a version.
fn initials(version: u32) -> Functions {
    let own = OwnFunction::new("initials", version, |args| {
        let first = args[0].as_str().and_then(|text| text.chars().next());
        first.map(String::from).ok_or("an empty text has no first letter")
    });
    Functions::new().register(own.takes(T::String).gives(T::String)).expect("the name is free")
}

fn graph(functions: Functions) -> Graph {
    let mut files = Files::new().with("greeting.yaml", GRAPH).with_functions(functions);
    Graph::load("greeting.yaml", &mut files).unwrap_or_else(|error| panic!("{error}"))
}

async fn begin(runs: &Runs) {
    let graph = graph(initials(1));
    let input = [("name", Value::from("Ada"))].into_iter().collect();
    let start = Start { run: "one".into(), input, ..Start::default() };
    let mut run = runs.begin(&runs.driver(&graph.program), &graph.text, start).await.expect("it begins");
    assert!(matches!(run.drive().await, Ok(Finished::Waiting { .. })));
}

/// The error of finding the run with these functions.
async fn refused(runs: &Runs, functions: Functions) -> String {
    let found = runs.clone().with_functions(functions).find_whole("one").await;
    let error = found.expect_err("it is refused");
    assert!(matches!(error, ReadError::Functions(_)), "{error:?}");
    error.to_string()
}

async fn goes_on(runs: Runs) {
    begin(&runs).await;
    assert_eq!(
        refused(&runs, Functions::new()).await,
        "the run `one` calls functions that are not registered here: `initials` version 1; open it with a program that \
         registers them"
    );
    assert_eq!(
        refused(&runs, initials(2)).await,
        "the run `one` calls functions that are not registered here: `initials` version 1 (registered is version 2); open \
         it with a program that registers them"
    );
    let runs = runs.with_functions(initials(1));
    let stored = runs.find_whole("one").await.expect("the run");
    let journal = stored.journal().await.expect("its journal");
    assert!(matches!(stored.replay(journal, None).await, Ok(Replay::Same(_))));
    let ask = open_question(&stored.state(None).await.expect("its state"), None).expect("one").clone();
    assert_eq!(ask.text, "A?");
    let mut run = stored.resume(&stored.driver(), None).await.expect("it goes on");
    run.answer(&ask.id, Value::from("yes")).expect("the answer fits");
    let Ok(Finished::Done(done)) = run.drive().await else { panic!("it ends") };
    assert_eq!(done.output.to_json().to_string(), r#"{"short":"AA"}"#);
}

#[tokio::test]
async fn a_run_goes_on_with_the_functions_that_it_began_with() {
    goes_on(Runs::of(Arc::new(Memory::new()))).await;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("runs.db");
    goes_on(Runs::of(Arc::new(Sqlite::open(&path).expect("a store")))).await;
    assert!(survey(&path).expect("a store").is_whole());
}

#[tokio::test]
async fn another_result_under_the_same_version_is_found_by_replay() {
    let runs = Runs::of(Arc::new(Memory::new()));
    begin(&runs).await;
    let own = OwnFunction::new("initials", 1, |_| Ok::<_, String>("B")).takes(T::String).gives(T::String);
    let runs = runs.with_functions(Functions::new().register(own).expect("the name is free"));
    let stored = runs.find_whole("one").await.expect("the run");
    let journal = stored.journal().await.expect("its journal");
    assert!(matches!(stored.replay(journal, None).await, Ok(Replay::Differs(_))));
}

#[tokio::test]
async fn an_edited_graph_may_call_other_functions() {
    let runs = Runs::of(Arc::new(Memory::new())).with_functions(initials(1));
    begin(&runs).await;
    let stored = runs.find("one").await.expect("the run");
    let stands = stored.state(None).await.expect("its state");
    let (stored, edited) = stored.edited(graph(initials(2)), &stands).expect("it fits");
    let ask = open_question(edited.stands(&stands), None).expect("one question").id.clone();
    let mut run = stored.resume(&stored.driver(), Some(&edited)).await.expect("it goes on");
    run.answer(&ask, Value::from("yes")).expect("the answer fits");
    assert!(matches!(run.drive().await, Ok(Finished::Done(_))));
    drop(run);
    // Its journal was begun by the first version: both are needed.
    assert!(refused(&runs, initials(1)).await.contains("`initials` version 2 (registered is version 1)"));
    let whole = runs
        .with_functions(initials(2))
        .with_earlier_functions(initials(1))
        .find_whole("one")
        .await
        .expect("both are there");
    assert_eq!(whole.program.own_functions(), [("initials".into(), 2)]);
    assert_eq!(whole.earlier[0].own_functions(), [("initials".into(), 1)]);
    let journal = whole.journal().await.expect("its journal");
    assert!(matches!(whole.replay(journal, None).await, Ok(Replay::Same(_))));
}

/// Whoever has no more than a driver is told, too.
#[tokio::test]
async fn a_driver_names_the_function_that_differs() {
    let runs = Runs::of(Arc::new(Memory::new()));
    begin(&runs).await;
    for version in [1, 2] {
        let program = graph(initials(version)).program;
        let reopened = Driver::new(program).store(Arc::clone(runs.store())).reopen("one").await;
        let error = reopened.map(|_| ()).map_err(|error| error.to_string());
        let wanted = "the run `one` calls functions that are not registered here: `initials` version 1 (registered is \
                      version 2); open it with a program that registers them";
        assert_eq!(error, if version == 1 { Ok(()) } else { Err(wanted.to_owned()) });
    }
}

#[test]
fn the_command_line_refuses_such_a_run_and_finds_no_fault_in_its_store() {
    let desk = Desk::new();
    let path = desk.folder.path().join("runs.db");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async { begin(&Runs::of(Arc::new(Sqlite::open(&path).expect("a store")))).await });
    drop(runtime);
    let lines = ["show one --db runs.db", "replay one --db runs.db", "doctor --db runs.db"];
    let all: String = lines.iter().map(|words| desk.run(words).transcript()).collect();
    insta::assert_snapshot!(all);
}
