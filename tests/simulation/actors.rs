//! Those who act: who begins runs, workers, an operator.

use std::future::{Future, pending};
use std::sync::Arc;
use std::time::Duration;

use loopwright::app::Runs;
use loopwright::drive::{DriveError, Run};
use loopwright::machine::Start;
use loopwright::port::{Message, Queue, RunInfo, RunStatus, StoreError};
use loopwright::value::Str;
use loopwright::worker::queue::{QueueWorker, WorkListener, WorkNote};
use tokio::time::Instant;

use crate::LEASE;
use crate::case::Case;
use crate::client::Client;
use crate::host::Host;
use crate::people::{People, Present};
use crate::process::{Process, ProcessClock};
use crate::scene::Scene;
use crate::simulation::Simulation;

/// Does something in a process; nothing where that is killed before it ends.
async fn live<T: Send + 'static>(
    process: &Arc<Process>,
    work: impl Future<Output = T> + Send + 'static,
) -> Option<T> {
    let mut task = tokio::spawn(work);
    tokio::select! {
        biased;
        () = process.killed() => {
            task.abort();
            None
        }
        ended = &mut task => Some(ended.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))),
    }
}

/// Begins a run, again and again until it has begun.
pub(crate) async fn begin(scene: Arc<Scene>, run: Str, case: Arc<Case>) {
    for life in 0.. {
        scene.sim.wait(0, 500).await;
        let process = Process::new(&scene.sim, format!("begin-{run}.{life}").into());
        let work = begin_once(Arc::clone(&scene), Arc::clone(&process), run.clone(), Arc::clone(&case));
        if live(&process, work).await == Some(true) {
            return;
        }
    }
}

/// Returns true if the run has begun. Whoever begins it drives it for a while.
async fn begin_once(scene: Arc<Scene>, process: Arc<Process>, run: Str, case: Arc<Case>) -> bool {
    let client = scene.client(&process);
    let seed = scene.sim.roll(|dice| dice.below(u64::MAX));
    if scene.sim.roll(|dice| dice.chance(5_000)) {
        let left = leave(&client, &case, case.start(run.clone(), seed)).await;
        // Somebody who was about to begin it may have died: then it is tried again once nobody has it.
        let is_there = || {
            scene.server.look(|stored| {
                let journal = stored.journals.get(&run);
                journal.is_some_and(|journal| !journal.entries.is_empty() || journal.is_to_begin())
            })
        };
        return left.is_ok() || matches!(left, Err(StoreError::Exists(_))) && is_there();
    }
    let mut driver = Host::new(&scene, &process, &client, &case).driver_for(&run);
    if scene.sim.roll(|dice| dice.chance(4_000)) {
        let Scene { sim, ledger, .. } = &*scene;
        let (sim, ledger, case) = (Arc::clone(sim), Arc::clone(ledger), Arc::clone(&case));
        driver = driver.human(Arc::new(Present { sim, process, ledger, case }));
    }
    let begun = Runs::of(client).begin(&driver, &case.graph.text, case.start(run, seed)).await;
    match begun {
        Err(DriveError::Store(StoreError::Exists(_))) => true,
        Err(_) => false,
        Ok(mut run) => drive_for_a_while(&scene.sim, &mut run).await,
    }
}

/// Leaves a run that is to begin to a worker.
async fn leave(client: &Client, case: &Case, start: Start) -> Result<(), StoreError> {
    let program = &case.graph.program;
    let info = RunInfo {
        run: start.run.clone(),
        graph: program.graphs[0].id.clone(),
        program: program.digest.clone(),
        started: 0,
        status: RunStatus::Ready,
    };
    client.leave(&info, &case.graph.text, &start).await
}

/// Returns true if that went well.
async fn drive_for_a_while(sim: &Simulation, run: &mut Run) -> bool {
    let handle = run.handle();
    let driving = run.drive();
    tokio::pin!(driving);
    tokio::select! {
        biased;
        finished = &mut driving => return finished.is_ok(),
        () = sim.wait(0, 3_000) => handle.interrupt("SIGTERM"),
    }
    driving.await.is_ok()
}

/// Within a second workers fail at most so often with a run.
const MAX_FAILURES: usize = 5;

/// Hears what a worker tells.
struct Hearer(Arc<Scene>, Str);

impl WorkListener for Hearer {
    fn noted(&self, run: &Str, note: &WorkNote) {
        let Self(scene, name) = self;
        match note {
            WorkNote::Failed(why) => {
                scene.sim.note(format_args!("{name}: {run} failed: {why}"));
                let now = Instant::now();
                let known = &mut *scene.ledger.known();
                let failures = known.failures.entry(run.clone()).or_default();
                failures.retain(|then| now - *then < Duration::from_secs(1));
                failures.push(now);
                if failures.len() > MAX_FAILURES {
                    failures.clear();
                    scene.sim.broken(format!("{run} is taken again and again, and fails: {why}"));
                }
            }
            WorkNote::Taken => scene.sim.note(format_args!("{name} takes {run}")),
            WorkNote::Ended(done) => scene.sim.note(format_args!("{name}: {run} ended: {}", done.outcome)),
            _ => scene.sim.note(format_args!("{name} leaves {run}")),
        }
    }

    fn failed(&self, error: &StoreError) {
        self.0.sim.note(format_args!("{}: {error}", self.1));
    }
}

/// A worker that is started again whenever it has ended. All but the first may lack a graph.
pub(crate) async fn work(scene: Arc<Scene>, number: u64) {
    for life in 0.. {
        let name = Str::from(format!("worker-{number}.{life}"));
        let process = Process::new(&scene.sim, name.clone());
        let client = scene.client(&process);
        let clock = Arc::new(ProcessClock(Arc::clone(&process)));
        let listener = Arc::new(Hearer(Arc::clone(&scene), name.clone()));
        let mut worker = QueueWorker::new(client.clone(), (name, LEASE), clock, listener);
        for (_, case) in &*scene.cases {
            if number == 0 || scene.sim.roll(|dice| dice.chance(8_000)) {
                worker = worker.host(Host::new(&scene, &process, &client, case));
            }
        }
        let at_once = scene.sim.roll(|dice| dice.between(1, 3));
        let worker = worker.at_once(usize::try_from(at_once).expect("it is small"));
        let sim = Arc::clone(&scene.sim);
        let stops = sim.strikes(|weather| weather.kill * 20);
        let stop = async move {
            if !stops {
                return pending().await;
            }
            sim.wait(500, 5_000).await;
            sim.note(format_args!("worker {number} is to stop"));
        };
        live(&process, async move { drop(worker.work(stop).await) }).await;
        scene.sim.wait(50, 2_000).await;
    }
}

/// Somebody who has another mind about a run soon, perhaps before it has begun.
pub(crate) async fn regret(scene: Arc<Scene>, people: People, run: Str) {
    scene.sim.wait(0, 1_500).await;
    let cancels = scene.sim.roll(|dice| dice.chance(6_000));
    let cancel = Message::Cancel { reason: "it was begun by mistake".into(), by: None };
    people.post(&run, if cancels { cancel } else { Message::RESUME }).await;
}

/// An operator who sends runs back to earlier steps, and has some calls undone.
pub(crate) async fn operate(scene: Arc<Scene>, people: People) {
    for life in 0..4 {
        scene.sim.wait(1_000, 5_000).await;
        if scene.sim.is_calm() {
            return;
        }
        let place = scene.sim.roll(|dice| dice.below(scene.cases.len() as u64));
        let (run, case) = &scene.cases[usize::try_from(place).expect("it is small")];
        let process = Process::new(&scene.sim, format!("operator.{life}").into());
        let work = send_back(Arc::clone(&scene), Arc::clone(&process), run.clone(), Arc::clone(case));
        let done = live(&process, work).await;
        scene.sim.note(format_args!("the operator is done with {run}: {}", done == Some(true)));
        people.post(run, Message::RESUME).await;
    }
}

/// Returns true if the run was sent back.
async fn send_back(scene: Arc<Scene>, process: Arc<Process>, run: Str, case: Arc<Case>) -> bool {
    let driver = Host::new(&scene, &process, &scene.client(&process), &case).driver_for(&run);
    let (step, undo) = scene.sim.roll(|dice| (dice.below(4), dice.chance(7_000)));
    let at_rest = scene.server.look(|stored| {
        let journal = stored.journals.get(&run);
        journal.is_some_and(|journal| !matches!(journal.info.status, RunStatus::Running))
    });
    if !at_rest {
        return false;
    }
    match driver.rollback_plan(&run, step).await {
        Ok(Some(plan)) => {
            scene.sim.note(format_args!("{run} goes back to step {step}"));
            driver.go_back(&run, plan, undo).await.is_ok()
        }
        _ => false,
    }
}
