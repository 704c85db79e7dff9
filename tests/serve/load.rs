//! A server under load. A measurement, and no judgement.
//!
//! 200 watchers of one run beside 1,000 open runs and 10,000 ended ones. The delay of an event is from its time in the journal, which is
//! taken before the step is stored, to its arrival at a watcher, on one clock: it has the commit in it.

use std::fs;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use futures::executor::block_on;
use loopwright::machine::{Snapshot, Time};
use loopwright::port::{Commit, EntryCause, JournalEntry, RunInfo, RunStatus, Store};
use loopwright::store::Sqlite;
use serde_json::json;

use super::client::Connection;
use super::world::{SLOW, Served, TALK, ticks};

/// The addresses that are asked for meanwhile.
const PAGES: [&str; 4] = ["/api/v1/runs", "/api/v1/runs?status=waiting", "/api/v1/questions", "/metrics"];

const WATCHERS: usize = 200;
const WAITING: usize = 700;
const SLEEPING: usize = 299;

/// The p50, p99 and greatest of some times.
fn spread(what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let at = |share: usize| times[(times.len() * share / 100).min(times.len() - 1)];
    println!("{what}: p50 {:?}, p99 {:?}, greatest {:?} of {}", at(50), at(99), at(100), times.len());
}

/// Nanoseconds of a day.
const DAY_NS: u128 = 86_400_000_000_000;

/// A part of a stream, and when it came.
type Arrival = (SystemTime, Vec<u8>);

/// Reads a stream to its end. What came is looked at later, so that watching costs little.
fn watch(mut connection: Connection) -> Vec<Arrival> {
    let mut parts = Vec::new();
    while let Some(chunk) = connection.chunk() {
        let is_last = chunk.windows(13).any(|text| text == b"\"type\":\"done\"");
        parts.push((SystemTime::now(), chunk));
        if is_last {
            break;
        }
    }
    parts
}

/// The delays of the events of a stream.
fn delays(parts: &[Arrival]) -> Vec<Duration> {
    let mut delays = Vec::new();
    for (arrived, part) in parts {
        let text = std::str::from_utf8(part).expect("a text");
        for data in text.lines().filter_map(|line| line.strip_prefix("data: ")) {
            let data: serde_json::Value = serde_json::from_str(data).expect("data are JSON");
            let Some(at) = data["at"].as_str() else { continue };
            let since_midnight =
                arrived.duration_since(SystemTime::UNIX_EPOCH).expect("it is later").as_nanos() % DAY_NS;
            // It may be after midnight when it comes.
            let delay = (since_midnight + DAY_NS - time_of_day(at).as_nanos()) % DAY_NS;
            delays.push(Duration::from_nanos(u64::try_from(delay).expect("less than a day")));
        }
    }
    delays
}

/// The time of day in a text like `2026-11-26T15:04:05.123Z`.
fn time_of_day(text: &str) -> Duration {
    let number = |range: std::ops::Range<usize>| text[range].parse::<u64>().expect("a number");
    let seconds = number(11..13) * 3_600 + number(14..16) * 60 + number(17..19);
    let fraction = text[19..].trim_start_matches('.').trim_end_matches('Z');
    let nanos: u64 = format!("{fraction:0<9}").parse().expect("a fraction");
    Duration::from_secs(seconds) + Duration::from_nanos(nanos)
}

/// The processor time of the server so far.
fn processor_time(served: &Served) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{}/stat", served.pid())).expect("the system tells it");
    let fields: Vec<&str> = stat.rsplit(") ").next().expect("fields").split(' ').collect();
    let ticks: u64 = [11, 12].iter().map(|place| fields[*place].parse::<u64>().expect("a number")).sum();
    Duration::from_millis(ticks * 10)
}

/// The store of a server that does not run.
fn store(served: &Served) -> Sqlite {
    Sqlite::open(served.desk.folder.path().join(".loopwright/runs.db")).expect("it opens")
}

/// Adds 10,000 runs that have ended.
fn add_ended_runs(store: &Sqlite) {
    let ended = RunStatus::Done { outcome: "end".into(), ok: true };
    for number in 0..10_000_i64 {
        let run = format!("ended-{number}");
        let info = RunInfo {
            run: run.as_str().into(),
            graph: "other".into(),
            program: "none".into(),
            started: number as Time,
            status: ended.clone(),
        };
        block_on(store.create(&info)).expect("it is stored");
        let snapshot = Snapshot { run: info.run, program: "none".into(), ..Snapshot::new() };
        let entries =
            [JournalEntry { at: 0, cause: EntryCause::Resumed, step: 1, events: Vec::new(), by: None }];
        let commit = Commit {
            entries: &entries,
            status: ended.clone(),
            snapshot: &snapshot,
            whole: false,
            lease: None,
            messages: &[],
        };
        block_on(store.commit(&run, commit)).expect("it is stored");
    }
}

#[test]
#[ignore = "a measurement: 200 watchers, 11,000 runs, half a minute"]
fn two_hundred_watchers_beside_a_thousand_open_runs() {
    let ticks = ticks("50ms", 400);
    let mut served = Served::of(
        &[("talk.yaml", TALK), ("slow.yaml", SLOW), ("ticks.yaml", ticks.as_str())],
        "--at-once 1000",
    );
    served.kill();
    add_ended_runs(&store(&served));
    served.again("");
    let client = served.client();
    let begin = |graph: &str, run: &str| {
        client.post("/api/v1/runs", &json!({"graph": graph, "run": run})).is(202);
    };
    (0..WAITING).for_each(|number| begin("talk", &format!("talk-{number}")));
    (0..SLEEPING).for_each(|number| begin("slow", &format!("slow-{number}")));
    served.waiting(&format!("talk-{}", WAITING - 1));
    begin("ticks", "watched");
    let before = served.memory_kib();
    let streams: Vec<Connection> =
        (0..WATCHERS).map(|_| client.watch("/api/v1/runs/watched/events").connection).collect();
    println!(
        "memory: {before} KiB before, {} KiB for a watcher",
        (served.memory_kib().saturating_sub(before)) / WATCHERS
    );
    let (worked, since) = (processor_time(&served), Instant::now());
    let watchers: Vec<_> = streams.into_iter().map(|stream| thread::spawn(|| watch(stream))).collect();
    let mut pages = PAGES.map(|path| (path, Vec::new()));
    while !watchers[0].is_finished() {
        for (path, times) in &mut pages {
            let asked = Instant::now();
            client.get(path).is(200);
            times.push(asked.elapsed());
        }
        thread::sleep(Duration::from_millis(150));
    }
    let lasted = since.elapsed();
    let heard: Vec<Vec<Arrival>> = watchers.into_iter().map(|own| own.join().expect("no panic")).collect();
    let worked = processor_time(&served).saturating_sub(worked);
    // The first part has what there was before.
    let delays: Vec<Duration> =
        heard.iter().flat_map(|parts| delays(parts.get(2..).unwrap_or_default())).collect();
    let events = delays.len();
    println!(
        "{events} events to {WATCHERS} watchers in {lasted:?}, {worked:?} of the processor: {:?} for each",
        worked / u32::try_from(events).expect("few")
    );
    println!("memory: {} KiB after", served.memory_kib());
    spread("from the step to the watcher", delays);
    for (path, times) in pages {
        spread(path, times);
    }
}
