//! Workers of one process over a queue in memory.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use loopwright::app::{Graph, open_question};
use loopwright::drive::SystemClock;
use loopwright::machine::{Interrupt, Snapshot, Start};
use loopwright::port::{Clock, Commit, Message, Queue, RunInfo, RunStatus, Store, StoreError};
use loopwright::store::Memory;
use loopwright::value::{Map, Str, Value};
use loopwright::worker::queue::{QueueWorker, WorkListener, WorkNote};

use crate::host::Host;

/// What workers told of their runs.
#[derive(Default)]
pub(crate) struct Notes(pub(crate) Mutex<Vec<(Str, WorkNote)>>);

impl WorkListener for Notes {
    fn noted(&self, run: &Str, note: &WorkNote) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((run.clone(), note.clone()));
    }

    fn failed(&self, error: &StoreError) {
        panic!("the queue failed: {error}");
    }
}

pub(crate) fn graph() -> Graph {
    Graph::open("graphs/tour/04-people.yaml").expect("it is sound")
}

fn worker(store: &Arc<Memory>, owner: &str, notes: &Arc<Notes>) -> QueueWorker {
    let host = Host::new(graph(), Arc::clone(store) as Arc<dyn Store>, |driver| driver);
    let owner = (owner.into(), Duration::from_secs(10));
    let clock = Arc::new(SystemClock::new());
    QueueWorker::new(Arc::clone(store) as Arc<dyn Queue>, owner, clock, Arc::clone(notes) as _)
        .host(Arc::new(host))
}

/// Leaves a run to whichever worker takes it.
pub(crate) async fn leave(store: &Memory, run: &str, cooling: Duration, interrupt: Option<Interrupt>) {
    let graph = graph();
    let at = SystemClock::new().now();
    store.keep_program(&graph.text).await.expect("it is kept");
    let info = RunInfo {
        run: run.into(),
        graph: "publish".into(),
        program: graph.program.digest.clone(),
        started: at,
        status: RunStatus::Ready,
    };
    store.create(&info).await.expect("it is created");
    let cooling = i64::try_from(cooling.as_nanos()).expect("it is short");
    let input =
        Map::from_iter([("text", Value::from("Open on Mondays.")), ("cooling", Value::Duration(cooling))]);
    let start = Start { run: run.into(), input, interrupt, ..Start::default() };
    store.post(run, &Message::Start(Box::new(start))).await.expect("it is posted");
}

pub(crate) async fn answer(store: &Arc<Memory>, run: &str, answer: &str) {
    let runs = loopwright::app::Runs::of(Arc::clone(store) as Arc<dyn Store>);
    let stood = runs.find(run).await.expect("it is there").state(None).await.expect("it can be read");
    let ask = open_question(&stood, None).expect("it asks").id.clone();
    store.post(run, &Message::Answer { ask, answer: answer.into(), by: None }).await.expect("it is posted");
}

pub(crate) async fn status(store: &Memory, run: &str) -> String {
    let runs = store.runs().await.expect("they are there");
    let info = runs.into_iter().find(|info| info.run == run).expect("it is there");
    match info.status {
        RunStatus::Done { outcome, .. } => outcome.to_string(),
        other => other.word(true).to_owned(),
    }
}

/// Waits until all runs have a status.
pub(crate) async fn all(store: &Memory, wanted: &str) {
    for _ in 0..600 {
        let mut held = true;
        for info in store.runs().await.expect("they are there") {
            held &= status(store, &info.run).await == wanted;
        }
        if held {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("not all runs are {wanted}: {:?}", store.runs().await);
}

#[tokio::test]
async fn three_workers_share_runs_with_people_and_timers() {
    let (store, notes) = (Arc::new(Memory::new()), Arc::new(Notes::default()));
    let workers = ["a", "b", "c"].map(|owner| worker(&store, owner, &notes).at_once(2));
    let (stop, stopped) = tokio::sync::watch::channel(false);
    let works = workers.iter().map(|worker| {
        let mut stopped = stopped.clone();
        worker.work(async move {
            let _ = stopped.wait_for(|stop| *stop).await;
        })
    });
    let scene = async {
        let runs: Vec<String> = (0..12).map(|number| format!("run-{number}")).collect();
        for (number, run) in runs.iter().enumerate() {
            let cooling = Duration::from_millis(if number % 2 == 0 { 0 } else { 1500 });
            leave(&store, run, cooling, None).await;
        }
        all(&store, "waiting").await;
        for run in &runs {
            answer(&store, run, "publish").await;
        }
        all(&store, "published").await;
        stop.send_replace(true);
    };
    futures::future::join(futures::future::join_all(works), scene).await;
    let notes = notes.0.lock().expect("nobody panicked");
    let ended = notes.iter().filter(|(_, note)| matches!(note, WorkNote::Ended(_))).count();
    assert_eq!(ended, 12, "{notes:#?}");
    let slept =
        notes.iter().filter(|(_, note)| matches!(note, WorkNote::Waiting { asks, .. } if asks.is_empty()));
    assert_eq!(slept.count(), 6, "a worker keeps no run that waits for a timer: {notes:#?}");
}

#[tokio::test]
async fn a_run_ends_by_a_message_whatever_it_does() {
    let (store, notes) = (Arc::new(Memory::new()), Arc::new(Notes::default()));
    let worker = worker(&store, "a", &notes).until_idle();
    let cancel = Message::Cancel { reason: "enough".into(), by: None };
    for run in ["new", "asking"] {
        leave(&store, run, Duration::ZERO, None).await;
    }
    store.post("new", &cancel).await.expect("it is posted");
    worker.work(std::future::pending()).await.expect("the queue is there");
    assert_eq!(status(&store, "new").await, "cancelled");
    assert_eq!(status(&store, "asking").await, "waiting");
    store.post("asking", &cancel).await.expect("it is posted");
    worker.work(std::future::pending()).await.expect("the queue is there");
    assert_eq!(status(&store, "asking").await, "cancelled");
}

#[tokio::test]
async fn an_operators_pause_and_a_late_answer_are_kept_apart() {
    let (store, notes) = (Arc::new(Memory::new()), Arc::new(Notes::default()));
    let worker = worker(&store, "a", &notes).until_idle();
    let pause = Interrupt { when: None, every: Some(1) };
    leave(&store, "paused", Duration::ZERO, Some(pause)).await;
    worker.work(std::future::pending()).await.expect("the queue is there");
    let mut pauses = 0;
    while status(&store, "paused").await == "waiting" {
        let runs = loopwright::app::Runs::of(Arc::clone(&store) as Arc<dyn Store>);
        let stood = runs.find("paused").await.expect("it is there").state(None).await.expect("it is read");
        let ask = open_question(&stood, None).expect("it asks").clone();
        let pause = ask.reason == loopwright::machine::QuestionReason::Pause;
        pauses += usize::from(pause);
        let said = if pause { "resume" } else { "publish" };
        // The same answer twice: the second comes too late, and is dropped.
        for said in [said, said] {
            let message = Message::Answer { ask: ask.id.clone(), answer: said.into(), by: None };
            store.post("paused", &message).await.expect("it is posted");
        }
        assert!(pauses < 20, "the pause never ends");
        worker.work(std::future::pending()).await.expect("the queue is there");
    }
    assert_eq!(status(&store, "paused").await, "published");
    assert_eq!(pauses, 1, "the pause came with the run to the worker");
}

#[tokio::test]
async fn a_run_of_another_graph_is_not_driven_under_the_name_of_this_one() {
    let (store, notes) = (Arc::new(Memory::new()), Arc::new(Notes::default()));
    let other = Graph::open("graphs/tour/01-first-loop.yaml").expect("it is sound");
    store.keep_program(&other.text).await.expect("it is kept");
    let info = RunInfo {
        run: "a".into(),
        graph: "publish".into(),
        program: other.program.digest.clone(),
        started: 0,
        status: RunStatus::Running,
    };
    store.create(&info).await.expect("it is created");
    // Whoever may write says that it goes by the graph that the worker has.
    let snapshot = Snapshot { program: graph().program.digest.clone(), ..Snapshot::new() };
    let commit = Commit {
        entries: &[],
        status: RunStatus::Running,
        snapshot: &snapshot,
        whole: true,
        lease: None,
        messages: &[],
    };
    store.commit("a", commit).await.expect("it is stored");
    worker(&store, "a", &notes).until_idle().work(std::future::pending()).await.expect("the queue is there");
    let notes = notes.0.lock().expect("nobody panicked");
    let Some((_, WorkNote::Failed(why))) = notes.last() else { panic!("{notes:?}") };
    assert!(why.starts_with("the store has it as a run of the graph"), "{why}");
}
