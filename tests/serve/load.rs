//! A server under load. A measurement, and a judgement only of what the design promises.
//!
//! 200 watchers of one run beside 1,000 open runs and 10,000 ended ones. The delay of an event is from its time in the journal, which is
//! taken before the step is stored, to its arrival at a watcher, on one clock: it has the commit in it.

use std::fs;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use serde_json::json;

use super::client::Connection;
use super::page_cost::{add_ended_runs, store};
use super::world::{SLOW, Served, TALK, ticks};

const WATCHERS: usize = 200;
const WAITING: usize = 700;
const SLEEPING: usize = 299;

/// The p50, p99 and greatest of some times.
fn spread(what: &str, mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    let at = |share: usize| times[(times.len() * share / 100).min(times.len() - 1)];
    println!("{what}: p50 {:?}, p99 {:?}, greatest {:?} of {}", at(50), at(99), at(100), times.len());
    at(99)
}

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
            let at: SystemTime = time_of(at);
            delays.push(arrived.duration_since(at).unwrap_or_default());
        }
    }
    delays
}

/// The time that a text like `2026-11-26T15:04:05.123Z` stands for.
fn time_of(text: &str) -> SystemTime {
    let number = |range: std::ops::Range<usize>| text[range].parse::<i64>().expect("a number");
    let (year, month, day) = (number(0..4), number(5..7), number(8..10));
    // Days since 1970 in the Gregorian calendar, with years that begin in March.
    let (years, months) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * years + years / 4 - years / 100 + years / 400 + (153 * months + 2) / 5 + day - 719_469;
    let seconds = days * 86_400 + number(11..13) * 3_600 + number(14..16) * 60 + number(17..19);
    let fraction = text[19..].trim_start_matches('.').trim_end_matches('Z');
    let nanos: u64 = format!("{fraction:0<9}").parse().expect("a fraction");
    SystemTime::UNIX_EPOCH + Duration::new(seconds.unsigned_abs(), u32::try_from(nanos).expect("nine digits"))
}

/// The processor time of the server so far.
fn processor_time(served: &Served) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{}/stat", served.pid())).expect("the system tells it");
    let fields: Vec<&str> = stat.rsplit(") ").next().expect("fields").split(' ').collect();
    let ticks: u64 = [11, 12].iter().map(|place| fields[*place].parse::<u64>().expect("a number")).sum();
    Duration::from_millis(ticks * 10)
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
    let mut tables = Vec::new();
    let mut inboxes = Vec::new();
    while !watchers[0].is_finished() {
        for (path, times) in [("/api/v1/runs", &mut tables), ("/api/v1/questions", &mut inboxes)] {
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
    let delay = spread("from the step to the watcher", delays);
    let table = spread("a page of the runs", tables);
    spread("a page of the inbox", inboxes);
    if !cfg!(debug_assertions) || std::env::var_os("LOOPWRIGHT_LONG").is_some() {
        assert!(delay < Duration::from_millis(100), "an event is late");
        assert!(table < Duration::from_millis(50), "the table is late");
    }
}
