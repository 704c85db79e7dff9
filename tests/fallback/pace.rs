//! `requests_per_minute`, `tokens_per_minute` and `at_once`: who waits, for how long, and in which order.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use loopwright::drive::{Finished, SystemClock};
use loopwright::llm::{Live, Paces};
use loopwright::machine::{Call, CallId, Outcome, Request, Snapshot, Start};
use loopwright::port::{BoxFuture, Claim, ModelClient, RunView};
use loopwright::value::Value;
use tokio::time::{Instant, sleep};

use super::table::GRAPH;
use super::world::Step::{Says, SaysAfter};
use super::world::{Wire, attempts, driver, entry, live, live_at, outcomes};
use crate::played::compiled;

const FAST: &str = "fast";

/// A client of one entry with these limits.
fn client(limits: &str, wire: &Arc<Wire>, paces: &Paces) -> Live {
    live(&entry(FAST, 1, limits), wire, &Arc::default(), paces)
}

fn ask(live: &Live, number: usize) -> BoxFuture<'static, Outcome> {
    let request = Request::Model {
        role: FAST.into(),
        system: None,
        prompt: "What now?".into(),
        messages: None,
        offer: None,
        limits: None,
        schema: Value::Null,
        stream: None,
        cache: false,
    };
    let call = Call {
        id: CallId(format!("run:ask#{number}.1").into()),
        node: "ask".into(),
        lane: "".into(),
        attempt: 1,
        timeout: None,
        deadline: None,
        request,
    };
    let (program, snapshot) =
        (compiled(&[("graph.yaml", &GRAPH.replace("STREAM", "cache: false"))]), Snapshot::new());
    let claim = Claim::endless(Arc::new(SystemClock::default()));
    live.ask(&call, RunView { program: &program, snapshot: &snapshot, claim: &claim })
}

/// When requests came back, in seconds from the beginning, by their numbers.
#[derive(Clone, Default)]
struct Ends(Arc<Mutex<Vec<(usize, u64)>>>);

impl Ends {
    fn all(&self) -> Vec<(usize, u64)> {
        self.0.lock().expect("nobody panicked").clone()
    }

    /// Asks in the background.
    fn spawn(&self, live: &Live, number: usize, begun: Instant) -> tokio::task::JoinHandle<()> {
        let (asked, ends) = (ask(live, number), self.clone());
        tokio::spawn(async move {
            let outcome = asked.await;
            assert!(matches!(outcome, Outcome::Answer { .. }), "{outcome:?}");
            ends.0.lock().expect("nobody panicked").push((number, begun.elapsed().as_secs()));
        })
    }
}

/// Asks so often at once, and says when each came back.
async fn at_once(live: &Live, count: usize) -> Vec<(usize, u64)> {
    let (ends, begun) = (Ends::default(), Instant::now());
    let mut tasks = Vec::new();
    for number in 0..count {
        tasks.push(ends.spawn(live, number, begun));
        tokio::task::yield_now().await;
    }
    for task in tasks {
        task.await.expect("no task panics");
    }
    ends.all()
}

#[tokio::test(start_paused = true)]
async fn requests_of_a_minute_are_counted_in_any_sixty_seconds() {
    let wire = Wire::new(&[(FAST, &[Says("yes")])]);
    let live = client("requests_per_minute = 2", &wire, &Paces::default());
    assert_eq!(at_once(&live, 5).await, [(0, 0), (1, 0), (2, 60), (3, 60), (4, 120)]);
    sleep(Duration::from_secs(30)).await;
    // One was sent 30 seconds ago: one may be sent at once, the next when that is a minute old.
    assert_eq!(at_once(&live, 3).await, [(0, 0), (1, 30), (2, 60)]);
}

#[tokio::test(start_paused = true)]
async fn tokens_of_a_minute_are_those_that_were_used() {
    let wire = Wire::new(&[(FAST, &[Says("yes")])]);
    let live = client("tokens_per_minute = 2500", &wire, &Paces::default());
    let begun = Instant::now();
    let mut ends = Vec::new();
    for number in 0..5 {
        ask(&live, number).await;
        ends.push(begun.elapsed().as_secs());
    }
    // Each uses 1,100. The third begins while 2,200 are used, the fourth when the first is a minute old.
    assert_eq!(ends, [0, 0, 0, 60, 60]);
}

#[tokio::test(start_paused = true)]
async fn a_request_beyond_the_tokens_of_a_minute_goes_alone() {
    let wire = Wire::new(&[(FAST, &[Says("yes")])]);
    let live = client("tokens_per_minute = 1000\nmax_tokens = 5000", &wire, &Paces::default());
    assert_eq!(at_once(&live, 3).await, [(0, 0), (1, 60), (2, 120)]);
}

#[tokio::test(start_paused = true)]
async fn requests_at_the_same_time_wait_for_a_place_in_order() {
    let wire = Wire::new(&[(FAST, &[SaysAfter(10, "yes")])]);
    let live = client("at_once = 2", &wire, &Paces::default());
    assert_eq!(at_once(&live, 5).await, [(0, 10), (1, 10), (2, 20), (3, 20), (4, 30)]);
}

#[tokio::test(start_paused = true)]
async fn who_gives_up_leaves_its_turn_to_the_next() {
    let wire = Wire::new(&[(FAST, &[SaysAfter(10, "yes")])]);
    for limits in ["at_once = 1", "requests_per_minute = 1", "requests_per_minute = 1\nat_once = 1"] {
        let live = client(limits, &wire, &Paces::default());
        let (ends, begun) = (Ends::default(), Instant::now());
        let mut tasks = Vec::new();
        for number in 0..4 {
            tasks.push(ends.spawn(&live, number, begun));
            sleep(Duration::from_millis(1)).await;
        }
        // The one that is next, and the one behind it.
        tasks[1].abort();
        sleep(Duration::from_millis(1)).await;
        tasks[2].abort();
        let last = tasks.pop().expect("the last one");
        last.await.expect("it is asked");
        let second = if limits.starts_with("at_once") { 20 } else { 70 };
        assert_eq!(ends.all(), [(0, 10), (3, second)], "{limits}");
    }
}

#[tokio::test(start_paused = true)]
async fn clients_of_one_process_keep_one_pace() {
    let wire = Wire::new(&[(FAST, &[Says("yes")])]);
    let paces = Paces::default();
    let clients = [1, 1, 2].map(|most| client(&format!("requests_per_minute = {most}"), &wire, &paces));
    let begun = Instant::now();
    ask(&clients[0], 0).await;
    ask(&clients[1].clone(), 1).await;
    assert_eq!(begun.elapsed().as_secs(), 60, "another client of the same entry");
    ask(&clients[2], 2).await;
    assert_eq!(begun.elapsed().as_secs(), 60, "another limit is another pace");
    ask(&client("requests_per_minute = 1", &wire, &Paces::default()), 3).await;
    assert_eq!(begun.elapsed().as_secs(), 60, "a pace of its own");
}

#[tokio::test(start_paused = true)]
async fn the_wait_is_recorded_and_its_time_is_the_nodes() {
    let wire = Wire::new(&[(FAST, &[Says(r#"{"word": "yes"}"#)])]);
    let (paces, config) = (Paces::default(), entry(FAST, 1, "requests_per_minute = 1"));
    let clock = SystemClock::new();
    // The second run gives up after 30 seconds, so the third one waits for 30 more.
    for (more, word, waited) in
        [("cache: false", "yes", 0), ("timeout: 30s", "timeout", 0), ("timeout: 2m", "yes", 30)]
    {
        let graph = GRAPH.replace("role: decider", "role: fast").replace("STREAM", more);
        let (driver, store) = driver(&graph, live_at(&config, &wire, &Arc::default(), &paces, &clock));
        let mut run =
            driver.start(Start { run: "a".into(), ..Start::default() }).await.expect("the run begins");
        let finished = run.drive().await.expect("the run goes on");
        let Finished::Done(done) = finished else { panic!("{finished:?}") };
        assert!(format!("{:?}", done.output).contains(word), "{more}: {done:?}");
        let outcomes = outcomes(&store, "a").await;
        let recorded = outcomes.first().and_then(|outcome| outcome.attempts().first());
        assert_eq!(recorded.map_or(0, |attempt| attempt.waited / 1_000_000_000), waited, "{more}");
        assert_eq!(attempts(&store, "a").await, if word == "yes" { FAST } else { "" }, "{more}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_that_waits_for_its_turn_can_be_cancelled() {
    let wire = Wire::new(&[(FAST, &[SaysAfter(3600, "{}")])]);
    let paces = Paces::default();
    let live = live(&entry(FAST, 1, "at_once = 1\nsilence = \"2h\""), &wire, &Arc::default(), &paces);
    let first = tokio::spawn(ask(&live, 0));
    sleep(Duration::from_secs(1)).await;
    let graph = GRAPH.replace("role: decider", "role: fast").replace("STREAM", "cache: false");
    let (driver, _) = driver(&graph, live);
    let mut run = driver.start(Start::default()).await.expect("the run begins");
    let (handle, begun) = (run.handle(), Instant::now());
    tokio::spawn(async move {
        sleep(Duration::from_secs(5)).await;
        handle.cancel("enough");
    });
    let finished = run.drive().await.expect("the run goes on");
    assert!(matches!(&finished, Finished::Done(done) if done.outcome == "cancelled"), "{finished:?}");
    assert_eq!((begun.elapsed().as_secs(), wire.sent().len()), (5, 1));
    first.abort();
}
