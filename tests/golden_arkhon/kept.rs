//! Checkpoints: two of one run, through the driver and a store, and what is read back.

use std::sync::Arc;

use loopwright::drive::{Driver, Finished, Run, rebuild};
use loopwright::machine::{Input, InputKind, MidwayStart, Snapshot, Start, step};
use loopwright::port::{Store, StoreError};
use loopwright::program::Program;
use loopwright::program::frame::Frame;
use loopwright::store::Memory;
use loopwright::value::{Map, Value};
use serde_json::{Value as Json, json};

use super::super::golden::Recorded;
use super::super::played::{compiled, graph};
use super::{MAIN, steps};

use crate::rebuilt;

/// A field of the state.
fn field<'a>(program: &Program, frame: &'a Frame, name: &str) -> &'a Value {
    let slots = &program.graphs[0].slots;
    let place = slots.iter().position(|slot| slot.name == name).expect("the graph has the field");
    &frame.slots[place]
}

fn map(value: &Json) -> Map {
    match Value::from_json(value) {
        Value::Map(map) => map,
        other => panic!("no map: {other:?}"),
    }
}

/// A run that stands at the question whether it may go on, with all steps but the last.
async fn begun(driver: &Driver, thoughts: &[Json]) -> Run {
    let (last, before) = thoughts.split_last().expect("there are steps");
    let state = json!({"steps": steps(before.iter().cloned()), "metadata": {"retry_count": 4}});
    // The last thought is rejected, so that it stays as it came.
    let rule = json!({"rule": "forbid_guessing", "severity": "retryable", "phrases": [last]});
    let start = Start {
        run: "trace".into(),
        input: map(&json!({"rules": [rule]})),
        given: Some(MidwayStart { at: Some("commit".into()), state: map(&state), budgets: Map::new() }),
        ..Start::default()
    };
    let mut run = driver.start(start).await.expect("the run begins");
    wait(&mut run).await;
    run
}

async fn wait(run: &mut Run) {
    let finished = run.drive().await.expect("the run goes on");
    assert!(matches!(finished, Finished::Waiting { .. }), "{finished:?}");
}

fn answer(run: &Run, says: &Json) {
    let ask = run.snapshot().asks().next().expect("a person is asked").id.clone();
    run.handle().answer(ask, Value::from_json(says));
}

/// Keeps a run twice and reads it: how many checkpoints there are, and what is in the latest one.
async fn keep(thoughts: &[Json]) -> Json {
    let program = Arc::new(graph(MAIN));
    let store = Arc::new(Memory::new());
    let driver = rebuilt::driver(program.clone()).store(store.clone());
    let mut run = begun(&driver, thoughts).await;
    let first = run.snapshot().clone();
    let text = thoughts.last().expect("there are steps");
    answer(&run, &json!({"verdict": "edit", "text": text}));
    wait(&mut run).await;
    drop(run);

    let earlier = driver.state_at("trace", first.step()).await.expect("it can be read");
    let place = earlier.expect("it was kept");
    // About to enter the node at which the first checkpoint was made.
    let mut earlier = place.snapshot;
    assert_eq!(
        field(&program, &earlier.root().expect("it began").frame, "steps"),
        field(&program, &first.root().expect("it began").frame, "steps")
    );
    step(&program, &mut earlier, Input { at: first.at, kind: InputKind::Time }, &mut Vec::new());
    let kept = store.load("trace", None).await.expect("it can be read");
    let latest = rebuild(&program, &kept).expect("it goes the same way");
    assert_eq!(earlier, first, "the first checkpoint stays as it was");
    let rows = 1 + usize::from(latest != earlier);
    // As it would come back from a file.
    let text = serde_json::to_string(&latest).expect("a snapshot is JSON");
    let latest: Snapshot = serde_json::from_str(&text).expect("and comes back");
    let frame = &latest.root().expect("the run began").frame;
    let loaded = field(&program, frame, "steps").to_json();
    let shape = program.graphs[0].slots.iter().find(|slot| slot.name == "steps").expect("it has steps").shape;
    let step_type = program.shapes.describe(shape);
    assert!(program.shapes.is(shape, field(&program, frame, "steps")), "steps are typed");
    let found = json!({
        "rows": rows,
        "loaded_steps": loaded.as_array().map(Vec::len),
        "loaded_step_type": step_type.trim_start_matches("list<").trim_end_matches('>'),
        "loaded": {"steps": loaded, "metadata": {}, "terminated": field(&program, frame, "terminated").to_json()},
        "steps": loaded,
        "terminated": field(&program, frame, "terminated").to_json(),
    });
    goes_on(&driver, latest).await;
    found
}

/// A run goes on from a checkpoint.
async fn goes_on(driver: &Driver, latest: Snapshot) {
    let mut run = driver.resume(latest).await.expect("it is resumed");
    answer(&run, &json!({"verdict": "reject"}));
    let finished = run.drive().await.expect("the run goes on");
    assert!(matches!(finished, Finished::Done(done) if done.outcome == "rejected"));
}

/// Whether a store has nothing to say of a run that it does not know, and names it.
pub(super) fn is_refused(run: &str) -> bool {
    let found = runtime().block_on(Memory::new().load(run, None));
    matches!(found, Err(StoreError::Unknown(name)) if name == run)
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("it starts")
}

#[test]
fn a_run_that_was_never_kept_is_refused() {
    assert!(is_refused("nowhere"));
}

/// Two checkpoints of a run with these steps, or with three.
pub(super) fn two_saves(steps: Recorded<'_>) -> Json {
    let own: Vec<Json> = steps.items().map(|step| step.at("thought").whole().clone()).collect();
    let three = || ["t0", "t1", "t2"].map(Json::from).to_vec();
    runtime().block_on(keep(&if own.is_empty() { three() } else { own }))
}

/// A graph that takes one state after the other.
const STATES: &str = "
graph states
use 'types.loop'
type Saved { steps: list<Step> = [], metadata: map<any> = {}, terminated: bool = false, current_node: string? }
state { saved: Saved = Saved{} }
budget states = 100
start next
human next {
  ask 'Which state is next?'
  answer Saved
  into saved
  then { spend states }
  -> end when exhausted(states)
  -> next
}
final end
";

/// Saves states of one run one after the other. Gives the fields of the last one as it is loaded, and how many there are to be
/// loaded.
pub(super) fn saved(states: &[Json]) -> Json {
    runtime().block_on(save(states))
}

async fn save(states: &[Json]) -> Json {
    let types = include_str!("../../graphs/arkhon/types.loop");
    let program = compiled(&[("states.loop", STATES), ("types.loop", types)]);
    let store = Arc::new(Memory::new());
    let driver = rebuilt::driver(program.clone()).store(store.clone());
    let mut run = driver.start(Start { run: "trace".into(), ..Start::default() }).await.expect("it begins");
    wait(&mut run).await;
    let mut checkpoints = Vec::new();
    for state in states {
        answer(&run, &whole_steps(state));
        wait(&mut run).await;
        checkpoints.push((run.snapshot().step(), fields(&program, run.snapshot())));
    }
    drop(run);
    let mut rows = 0;
    for (at, fields_then) in &checkpoints {
        let earlier = driver.state_at("trace", *at).await.expect("it can be read").expect("it was kept");
        rows += usize::from(fields(&program, &earlier.snapshot) == *fields_then);
    }
    let kept = store.load("trace", None).await.expect("it can be read");
    let latest = rebuild(&program, &kept).expect("it goes the same way");
    // As it would come back from a file.
    let text = serde_json::to_string(&latest).expect("a snapshot is JSON");
    let mut found = fields(&program, &serde_json::from_str(&text).expect("and comes back"));
    found["rows"] = rows.into();
    found
}

/// A state whose steps are records: a text is a step of that thought.
fn whole_steps(state: &Json) -> Json {
    let mut state = state.clone();
    for step in state["steps"].as_array_mut().into_iter().flatten().filter(|step| step.is_string()) {
        *step = json!({"thought": step});
    }
    state
}

fn fields(program: &Program, snapshot: &Snapshot) -> Json {
    field(program, &snapshot.root().expect("the run began").frame, "saved").to_json()
}
