//! Many runs over many workers, with everything killed that can be.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use loopwright::app::{Runs, open_question};
use loopwright::machine::Start;
use loopwright::port::{Message, Queue, RunInfo, RunStatus, Store};
use loopwright::store::postgres::Postgres;
use loopwright::value::Value;
use nix::sys::signal::Signal;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::crew::Crew;
use crate::desk::Desk;
use crate::ledger::{Ledger, PORTS, desk_with_ledger};
use crate::postgres::server::{self, Server, store};
use crate::until::within;

/// The size of the campaign.
struct Size {
    workers: usize,
    runs: usize,
    kills: usize,
    crashes: usize,
    /// The pause between two kills, in milliseconds.
    pause: u64,
    /// The time for which a worker is stopped: longer than its lease, which lasts for 10 s.
    stopped: Duration,
}

const SHORT: Size =
    Size { workers: 3, runs: 60, kills: 8, crashes: 1, pause: 900, stopped: Duration::from_secs(12) };
const LONG: Size =
    Size { workers: 8, runs: 2000, kills: 220, crashes: 2, pause: 1500, stopped: Duration::from_secs(20) };

#[test]
fn nothing_is_lost_or_doubled_whoever_is_killed() {
    if !server::is_here() {
        return;
    }
    let size = if crate::long::is_long() { LONG } else { SHORT };
    let server = Server::start(&["max_connections=200"]);
    let address = server.database();
    let desk = desk_with_ledger();
    // Some calls are slow, so that kills hit them.
    std::fs::write(desk.path().join("slow"), "0.05").expect("a file");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.expect("a runtime");
    let runs = runtime.block_on(async { store(&address) });
    let first = begin_by_command(&desk, &address);
    runtime.block_on(begin(&runs, &first, size.runs));
    let words = [&["--db", &address, "steps.yaml", "--format", "json"], &PORTS[..]].concat();
    let mut crew = Crew::start(&desk, &words, size.workers);
    let begun = Instant::now();
    let people = runtime.spawn(answer(Arc::clone(&runs)));
    trouble(&mut crew, &server, &size);
    let all_ended = || runtime.block_on(are_ended(&runs));
    within("all runs have ended", Duration::from_mins(30), all_ended);
    people.abort();
    let unknown = runtime.block_on(judge(&runs, &desk, &address));
    eprintln!(
        "{} runs over {} workers in {:.0?}: {} kills, the server killed {} times, a worker stopped for {:?}: none lost, none \
         doubled; {unknown} runs do not know of their call at most once, and say so",
        size.runs,
        size.workers,
        begun.elapsed(),
        size.kills,
        size.crashes,
        size.stopped
    );
}

/// Begins the first run as a user would.
fn begin_by_command(desk: &Desk, address: &str) -> String {
    let begun = desk.run(&format!("run steps.yaml --db {address} --run-id run-0 --detach"));
    assert_eq!((begun.code, begun.stdout.as_str()), (Some(0), "run-0\n"), "{begun:?}");
    "run-0".to_owned()
}

/// Begins the others as the command does.
async fn begin(runs: &Arc<Postgres>, first: &str, many: usize) {
    let info = runs.runs().await.expect("they are listed").into_iter().find(|info| info.run == first);
    let info = info.expect("it is there");
    for number in 1..many {
        let run = format!("run-{number}");
        runs.create(&RunInfo { run: run.as_str().into(), ..info.clone() }).await.expect("it is created");
        let start = Start { run: run.as_str().into(), ..Start::default() };
        runs.post(&run, &Message::Start(Box::new(start))).await.expect("it is posted");
    }
}

/// Answers every question, once.
async fn answer(runs: Arc<Postgres>) {
    let all = Runs::of(Arc::clone(&runs) as Arc<dyn Store>);
    let mut answered = BTreeSet::new();
    loop {
        // While the server is away, nothing is answered.
        for info in runs.runs().await.unwrap_or_default() {
            if info.status != RunStatus::Waiting || answered.contains(&info.run) {
                continue;
            }
            let Ok(found) = all.find(&info.run).await else { continue };
            let Ok(stood) = found.state(None).await else { continue };
            let Ok(ask) = open_question(&stood, None) else { continue };
            let message = Message::Answer { ask: ask.id.clone(), answer: Value::from("well"), by: None };
            if runs.post(&info.run, &message).await.is_ok() {
                answered.insert(info.run);
            }
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

/// Kills workers at random, the server now and then, and stops one worker for longer than its leases last.
fn trouble(crew: &mut Crew<'_>, server: &Server, size: &Size) {
    let mut random = SmallRng::seed_from_u64(7);
    let stopped = crew.len() - 1;
    crew.signal(stopped, Signal::SIGSTOP);
    let mut since = Some(Instant::now());
    let crash_after = size.kills / (size.crashes + 1);
    let mut crashes = 0;
    for number in 1..=size.kills {
        std::thread::sleep(Duration::from_millis(random.random_range(size.pause / 3..size.pause)));
        if since.is_some_and(|since| since.elapsed() > size.stopped) {
            crew.signal(stopped, Signal::SIGCONT);
            since = None;
        }
        // The stopped one stays until it goes on.
        let place = random.random_range(0..if since.is_some() { stopped } else { crew.len() });
        crew.replace(place);
        if number % crash_after == 0 && crashes < size.crashes {
            crashes += 1;
            server.crash();
            server.restart();
        }
    }
    if let Some(since) = since {
        std::thread::sleep(size.stopped.saturating_sub(since.elapsed()));
        crew.signal(stopped, Signal::SIGCONT);
    }
}

/// Returns true if every run has ended.
async fn are_ended(runs: &Postgres) -> bool {
    let open = runs.runs().await.expect("they are listed").into_iter();
    let open = open.filter(|info| !matches!(info.status, RunStatus::Done { .. })).count();
    if open > 0 {
        // To list them takes time from the workers.
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
    open == 0
}

/// Holds every run against the ledger, and its journal against itself. Gives the number of runs that do not know of their call.
async fn judge(runs: &Arc<Postgres>, desk: &Desk, address: &str) -> usize {
    let ledger = Ledger::read(desk.path());
    let all = Runs::of(Arc::clone(runs) as Arc<dyn Store>);
    let mut unknown = 0;
    for info in runs.runs().await.expect("they are listed") {
        let found = all.find(&info.run).await.expect("it is there");
        let state = found.state(None).await.expect("it can be built again");
        let done = state.done.as_deref().expect("it has ended");
        assert_eq!(done.outcome, "end", "{}: {done:?}", info.run);
        let output = done.output.as_map().expect("it is a record");
        let is_unknown = output.get("unknown") == Some(&Value::Bool(true));
        unknown += usize::from(is_unknown);
        ledger.judge(&info.run, is_unknown);
        assert_eq!(output.get("verdict"), Some(&Value::from("well")), "{}: the answer is lost", info.run);
        let events = runs.events(&info.run).await.expect("they can be read");
        assert!(events.iter().zip(0..).all(|(event, seq)| event.seq == seq), "{}: a gap", info.run);
    }
    let survey = desk.run(&format!("doctor --db {address}"));
    assert_eq!(survey.code, Some(0), "{survey:?}");
    unknown
}
