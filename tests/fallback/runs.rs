//! Lists in runs that are timed out, cancelled, cut off, cached and tried again.

use std::sync::Arc;
use std::time::Duration;

use loopwright::drive::{Driver, Finished};
use loopwright::llm::{Cached, Paces};
use loopwright::machine::{Done, Start};
use loopwright::store::Memory;
use loopwright::value::{Map, Value};
use tokio::time::sleep;

use super::table::GRAPH;
use super::world::Step::{Down, Says, Silent, Status, Wait};
use super::world::{Step, Wire, attempts, driver, entry, live};
use crate::played::compiled;

const YES: Step = Says(r#"{"word": "yes"}"#);

fn config(entries: &str) -> String {
    let list = "[models.decider]\nuse = [\"fast\", \"strong\"]\n";
    format!("{list}{}{}", entry("fast", 1, entries), entry("strong", 10, entries))
}

fn graph(more: &str) -> String {
    GRAPH.replace("STREAM", more)
}

fn start(run: &str) -> Start {
    Start { run: run.into(), ..Start::default() }
}

fn word(done: &Done) -> String {
    let word = done.output.as_map().and_then(|output| output.get("word")).and_then(Value::as_str);
    word.unwrap_or_else(|| panic!("{done:?}")).to_owned()
}

async fn ended(driver: &Driver, run: &str) -> Done {
    let mut run = driver.start(start(run)).await.expect("the run begins");
    match run.drive().await.expect("the run goes on") {
        Finished::Done(done) => done,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn the_time_of_the_node_is_over_before_the_next_entry_is_asked() {
    let wire = Wire::new(&[("fast", &[Wait(429, "20")])]);
    let live = live(&config(""), &wire, &Arc::default(), &Paces::default());
    let (driver, store) = driver(&graph("timeout: 30s"), live);
    assert_eq!(word(&ended(&driver, "a").await), "timeout");
    assert_eq!(wire.sent(), ["fast", "fast"]);
    assert_eq!(attempts(&store, "a").await, "");
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_call_asks_nobody_else() {
    let wire = Wire::new(&[("fast", &[Wait(429, "20")])]);
    let live = live(&config(""), &wire, &Arc::default(), &Paces::default());
    let (driver, _) = driver(&graph("cache: false"), live);
    let mut run = driver.start(start("a")).await.expect("the run begins");
    let handle = run.handle();
    tokio::spawn(async move {
        sleep(Duration::from_secs(25)).await;
        handle.cancel("enough");
    });
    let finished = run.drive().await.expect("the run goes on");
    let Finished::Done(done) = finished else { panic!("{finished:?}") };
    assert_eq!((done.outcome.as_str(), done.ok), ("cancelled", false));
    sleep(Duration::from_mins(5)).await;
    assert_eq!(wire.sent(), ["fast", "fast"]);
}

#[tokio::test(start_paused = true)]
async fn a_run_that_was_cut_off_begins_with_the_first_entry_again() {
    let steps: [(&str, &[Step]); 2] =
        [("fast", &[Status(401, "invalid_api_key"), YES]), ("strong", &[Silent])];
    let wire = Wire::new(&steps);
    let live = live(&config("silence = \"1h\""), &wire, &Arc::default(), &Paces::default());
    let (driver, store) = driver(&graph("cache: false"), live);
    let mut run = driver.start(start("a")).await.expect("the run begins");
    tokio::select! {
        finished = run.drive() => panic!("{finished:?}"),
        () = sleep(Duration::from_mins(1)) => {}
    }
    drop(run);
    let mut run = driver.reopen("a").await.expect("the run is taken up");
    let finished = run.drive().await.expect("the run goes on");
    let Finished::Done(done) = finished else { panic!("{finished:?}") };
    assert_eq!(word(&done), "yes");
    assert_eq!(wire.sent(), ["fast", "strong", "fast"]);
    assert_eq!(attempts(&store, "a").await, "fast", "what was cut off has no outcome");
}

#[tokio::test(start_paused = true)]
async fn the_answer_of_any_entry_is_the_answer_in_the_cache() {
    let wire = Wire::new(&[("fast", &[Down]), ("strong", &[YES])]);
    let live = live(&config("attempts = 1"), &wire, &Arc::default(), &Paces::default());
    let store = Arc::new(Memory::new());
    let cached = Cached::new(Arc::new(live)).in_store(store.clone(), "");
    let driver = Driver::new(compiled(&[("graph.yaml", &graph("cache: true"))])).model(Arc::new(cached));
    let driver = driver.store(store.clone()).rebuilding(true);
    for run in ["a", "b"] {
        assert_eq!(word(&ended(&driver, run).await), "yes");
    }
    assert_eq!(wire.sent(), ["fast", "strong"]);
    assert_eq!(attempts(&store, "a").await, "fast:unavailable strong");
    assert_eq!(attempts(&store, "b").await, "", "nobody was asked");
}

/// The role is worked out on the way.
const COMPUTED: &str = "
graph: computed
state: {word: string?, kind: string?}
input: {who: string}
start: ask
nodes:
  ask:
    kind: model
    role_of: who
    prompt: '''What now?'''
    output: string
    into: word
    next: [{to: end}, {to: end, on: error, do: 'kind = error.kind'}]
  end: {kind: final}
output: {word: 'word ?? kind ?? \"\"'}
";

#[tokio::test(start_paused = true)]
async fn computed_roles_are_served_by_lists_and_by_their_entries() {
    let any = "[models.\"*\"]\nuse = [\"strong\"]\n";
    for (models, role, sent) in [
        (config("attempts = 1"), "decider", &["fast", "strong"] as &[&str]),
        (config("attempts = 1"), "strong", &["strong"]),
        (config("attempts = 1"), "nobody", &[]),
        (format!("{any}{}", config("attempts = 1")), "nobody", &["strong"]),
        (format!("{any}{}", config("attempts = 1")), "fast", &["fast"]),
    ] {
        let wire = Wire::new(&[("fast", &[Down]), ("strong", &[Says("yes")])]);
        let (driver, _) = driver(COMPUTED, live(&models, &wire, &Arc::default(), &Paces::default()));
        let mut input = Map::new();
        input.set("who", role);
        let start = Start { input, ..start("a") };
        let mut run = driver.start(start).await.expect("the run begins");
        let finished = run.drive().await.expect("the run goes on");
        let Finished::Done(done) = finished else { panic!("{finished:?}") };
        let expected = match sent.last() {
            Some(&"strong") => "yes",
            Some(_) => "unavailable",
            None => "denied",
        };
        assert_eq!(
            (word(&done).as_str(), wire.sent().as_slice()),
            (expected, sent_of(sent).as_slice()),
            "{role}"
        );
    }
}

fn sent_of(sent: &[&str]) -> Vec<String> {
    sent.iter().map(ToString::to_string).collect()
}

/// Asks until its money is gone.
const SPENDS: &str = "
graph: spends
types: {Answer: {word: string(20)}}
state: {answer: Answer?, asked: 'int(0..100) = 0'}
budgets: {paid: {limit: 0.03, unit: usd, charge: model.cost}, rounds: 9}
start: ask
nodes:
  ask:
    kind: model
    role: decider
    prompt: '''What now?'''
    output: Answer
    into: answer
    do: spend rounds
    next:
      - {to: ask, do: asked += 1}
      - {to: end, on: error}
      - {to: end, on: [exhausted(paid), exhausted(rounds)]}
  end: {kind: final}
output: {word: string(asked)}
";

#[tokio::test(start_paused = true)]
async fn a_budget_of_money_sees_what_failed_attempts_cost() {
    // A wrong answer of the first costs $0.0012, a right one of the second $0.012: the third round is past $0.03.
    let wire = Wire::new(&[("fast", &[Says("wrong")]), ("strong", &[YES])]);
    let config = config("")
        .replace("[\"fast\", \"strong\"]\n", "[\"fast\", \"strong\"]\nalso_on = [\"invalid_output\"]\n");
    let (driver, store) = driver(SPENDS, live(&config, &wire, &Arc::default(), &Paces::default()));
    assert_eq!(word(&ended(&driver, "a").await), "3");
    let one = "fast:invalid_output strong";
    assert_eq!(attempts(&store, "a").await, [one, one, one].join(" | "));
}

#[tokio::test(start_paused = true)]
async fn another_attempt_of_the_node_begins_with_the_first_entry() {
    let wire = Wire::new(&[("fast", &[Down]), ("strong", &[Down, YES])]);
    let live = live(&config("attempts = 1"), &wire, &Arc::default(), &Paces::default());
    let (driver, store) = driver(&graph("retry: {attempts: 2, on: [unavailable]}"), live);
    assert_eq!(word(&ended(&driver, "a").await), "yes");
    let expected = "fast:unavailable strong:unavailable | fast:unavailable strong";
    assert_eq!(attempts(&store, "a").await, expected);
}
