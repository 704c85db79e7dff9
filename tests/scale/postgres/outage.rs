//! A server that is killed and started again: nothing that was acknowledged is lost, and nothing is stored twice.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use futures::future::join_all;
use loopwright::QuestionId;
use loopwright::machine::Snapshot;
use loopwright::port::{Commit, Message, Queue, RunStatus, Store, StoreError, WorkRequest};
use loopwright::store::StoreAddress;
use loopwright::value::Value;

use super::cut::Line;
use super::server::{self, Server, shared, store};
use crate::desk::Desk;
use crate::until::LIMIT;
use crate::world::{commit, commit_at, entry, info};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn more_commits_than_connections_wait_for_each_other() {
    let Some(server) = shared() else { return };
    let runs = store(&server.database());
    let names: Vec<String> = (0..100).map(|n| format!("run-{n}")).collect();
    join_all(names.iter().map(|name| async {
        runs.create(&info(name)).await.expect("a run");
        for seq in 0..10 {
            commit(&*runs, name, seq, None).await.expect("it is stored");
        }
    }))
    .await;
    for name in &names {
        assert_eq!(runs.entries(name).await.expect("a journal").len(), 10, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_killed_loses_and_doubles_nothing() {
    if !server::is_here() {
        return;
    }
    let server = Arc::new(Server::start(&[]));
    let address = server.database();
    let runs = store(&address);
    let names: Vec<String> = (0..8).map(|n| format!("run-{n}")).collect();
    for name in &names {
        runs.create(&info(name)).await.expect("a run");
    }
    let (stop, all) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let writers = names.iter().cloned().map(|name| {
        let (runs, stop, all) = (runs.clone(), stop.clone(), all.clone());
        tokio::spawn(async move {
            let mut seq = 0;
            while !stop.load(Ordering::Relaxed) {
                // A commit that returns is stored, whatever happened to the server meanwhile.
                commit(&*runs, &name, seq, None).await.expect("it is stored");
                seq += 1;
                all.fetch_add(1, Ordering::Relaxed);
            }
            (name, seq)
        })
    });
    let writers: Vec<_> = writers.collect();
    let crashes = if crate::long::is_long() { 3 } else { 2 };
    for round in 0..crashes {
        tokio::time::sleep(Duration::from_millis(400 + 130 * round)).await;
        let before = all.load(Ordering::Relaxed);
        let own = server.clone();
        tokio::task::spawn_blocking(move || {
            own.crash();
            own.restart();
        })
        .await
        .expect("it starts again");
        let goes_on = async {
            while all.load(Ordering::Relaxed) < before + 50 {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(LIMIT, goes_on).await.expect("the commits go on");
    }
    stop.store(true, Ordering::Relaxed);
    for writer in writers {
        let (name, acknowledged) = writer.await.expect("it goes on");
        let found = runs.entries(&name).await.expect("a journal");
        assert_eq!(found.len() as u64, acknowledged, "{name}");
    }
    println!("{} commits over {crashes} crashes", all.load(Ordering::Relaxed));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_and_taken_runs_are_neither_lost_nor_doubled_by_a_crash() {
    if !server::is_here() {
        return;
    }
    let server = Arc::new(Server::start(&[]));
    let address = server.database();
    let runs = store(&address);
    for n in 0..40 {
        let name = format!("run-{n}");
        runs.create(&info(&name)).await.expect("a run");
        commit_at(&*runs, &name, 0, None, RunStatus::Running).await.expect("it is stored");
    }
    let own = server.clone();
    let crash = tokio::task::spawn_blocking(move || {
        std::thread::sleep(Duration::from_millis(60));
        own.crash();
        own.restart();
    });
    let posts = (0..200).map(|n| {
        let runs = &runs;
        async move {
            let message = Message::Answer {
                ask: QuestionId(format!("{n}").as_str().into()),
                answer: Value::Int(n),
                by: None,
            };
            runs.post(&format!("run-{}", n % 40), &message).await.expect("it is stored")
        }
    });
    let programs = ["program".into()];
    let take = |owner: &'static str| {
        let (runs, programs) = (&runs, &programs);
        async move {
            let mut taken = Vec::new();
            while taken.len() < 20 {
                let request = WorkRequest {
                    owner,
                    ttl: Duration::from_mins(5),
                    programs,
                    now: i64::MAX,
                    limit: (20 - taken.len()).min(3),
                };
                taken.extend(runs.take_due(request).await.expect("runs").runs);
            }
            taken
        }
    };
    let (mut numbers, one, other) = tokio::join!(join_all(posts), take("one"), take("other"));
    crash.await.expect("it starts again");
    let mut names: Vec<_> = one.iter().chain(&other).map(|taken| taken.run.clone()).collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 40, "each run has one worker");
    let mut found: Vec<u64> = Vec::new();
    for owner in ["one", "other"] {
        found.extend(
            runs.messages(owner).await.expect("messages").messages.iter().map(|message| message.number),
        );
    }
    found.sort_unstable();
    numbers.sort_unstable();
    assert_eq!(found, numbers, "each message is there once");
    assert!(whole(&address), "the messages are counted");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_done_though_its_answer_was_lost_is_not_done_again() {
    let Some(server) = shared() else { return };
    let line = Arc::new(Line::to(server.port()));
    let address = server.database();
    let (server_port, line_port) = (server.port().to_string(), line.port().to_string());
    let runs = store(&address.replace(&server_port, &line_port));
    let stop = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = (0..6)
        .map(|n| {
            let (runs, stop, name) = (runs.clone(), stop.clone(), format!("run-{n}"));
            tokio::spawn(async move {
                runs.create(&info(&name)).await.expect("a run");
                let (mut seq, mut posted) = (0, Vec::new());
                let lease = runs.acquire(&name, "owner", Duration::from_mins(5)).await.expect("a lease");
                while !stop.load(Ordering::Relaxed) {
                    commit(&*runs, &name, seq, Some(&lease)).await.expect("it is stored");
                    seq += 1;
                    if seq % 4 == 0 {
                        posted.push(runs.post(&name, &Message::RESUME).await.expect("it is stored"));
                    }
                }
                (name, seq, posted)
            })
        })
        .collect();
    let cutter = line.clone();
    tokio::task::spawn_blocking(move || {
        for _ in 0..40 {
            std::thread::sleep(Duration::from_millis(60));
            cutter.cut();
        }
    })
    .await
    .expect("it is cut");
    stop.store(true, Ordering::Relaxed);
    let (mut commits, mut numbers) = (0, Vec::new());
    for writer in writers {
        let (name, acknowledged, posted) = writer.await.expect("it goes on");
        assert_eq!(runs.entries(&name).await.expect("a journal").len() as u64, acknowledged, "{name}");
        commits += acknowledged;
        numbers.extend(posted);
    }
    let mut found: Vec<u64> =
        runs.messages("owner").await.expect("messages").messages.iter().map(|posted| posted.number).collect();
    found.sort_unstable();
    numbers.sort_unstable();
    assert_eq!(found, numbers, "each message is there once");
    println!("{commits} commits, {} messages, {} answers lost", numbers.len(), line.swallowed());
    assert!(whole(&address), "the messages are counted");
    assert!(line.swallowed() > 20, "answers were lost");
}

/// A look through the database finds no fault.
fn whole(address: &str) -> bool {
    address.parse::<StoreAddress>().expect("an address").survey().expect("a store").is_whole()
}

/// Messages are posted while commits take others: whatever is first, each message that is there is counted.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_that_come_while_others_are_taken_are_counted() {
    let Some(server) = shared() else { return };
    let address = server.database();
    let runs = store(&address);
    runs.create(&info("one")).await.expect("a run");
    let programs = ["program".into()];
    let request =
        WorkRequest { owner: "w", ttl: Duration::from_mins(5), programs: &programs, now: i64::MAX, limit: 1 };
    let first = runs.post("one", &Message::RESUME).await.expect("it is posted");
    let lease = runs.take_due(request).await.expect("runs").runs.remove(0).lease;
    let posts = {
        let runs = runs.clone();
        tokio::spawn(async move {
            let message =
                |n| Message::Answer { ask: QuestionId("a".into()), answer: Value::Int(n), by: None };
            let posted = join_all((0..4).map(|poster| {
                let runs = &runs;
                async move {
                    let mut numbers = Vec::new();
                    for n in 0..50 {
                        numbers
                            .push(runs.post("one", &message(50 * poster + n)).await.expect("it is posted"));
                    }
                    numbers
                }
            }));
            posted.await.concat()
        })
    };
    let (mut seq, mut taken) = (0, 0);
    while taken < 150 {
        let mut numbers: Vec<u64> =
            runs.messages("w").await.expect("messages").messages.iter().map(|posted| posted.number).collect();
        numbers.truncate(3);
        let entries = [entry(seq, "taken in")];
        seq += 1;
        let snapshot = Snapshot { run: "one".into(), program: "program".into(), seq, ..Snapshot::new() };
        let commit = Commit {
            entries: &entries,
            status: RunStatus::Waiting,
            snapshot: &snapshot,
            whole: false,
            lease: Some(&lease),
            messages: &numbers,
        };
        runs.commit("one", commit).await.expect("it is stored");
        taken += numbers.len();
    }
    let mut numbers = posts.await.expect("they are posted");
    numbers.push(first);
    assert_eq!(runs.messages("w").await.expect("messages").messages.len(), numbers.len() - taken);
    assert!(whole(&address), "the messages are counted");
    runs.release("one", &lease).await.expect("it is given back");
    assert_eq!(runs.take_due(request).await.expect("runs").runs.len(), 1, "there are messages still");
}

#[tokio::test]
async fn a_message_is_there_until_a_commit_takes_it() {
    let Some(server) = shared() else { return };
    let runs = store(&server.database());
    runs.create(&info("one")).await.expect("a run");
    commit(&*runs, "one", 0, None).await.expect("it is stored");
    let message = Message::Answer { ask: QuestionId("a".into()), answer: Value::from("yes"), by: None };
    let changed = runs.changed();
    let mut numbers = Vec::new();
    for _ in 0..3 {
        numbers.push(runs.post("one", &message).await.expect("it is stored"));
    }
    changed.await;
    assert!(matches!(runs.post("none", &message).await, Err(StoreError::Unknown(_))));
    let programs = ["program".into()];
    let request =
        WorkRequest { owner: "w", ttl: Duration::from_mins(1), programs: &programs, now: 0, limit: 8 };
    let taken = runs.take_due(request).await.expect("runs").runs;
    assert_eq!(taken.len(), 1);
    let found = runs.messages("w").await.expect("messages").messages;
    assert_eq!(
        found.iter().map(|posted| (posted.number, &posted.message)).collect::<Vec<_>>(),
        [(numbers[0], &message), (numbers[1], &message), (numbers[2], &message),]
    );
    let entries = [entry(1, "taken in")];
    let snapshot = Snapshot { run: "one".into(), program: "program".into(), seq: 2, ..Snapshot::new() };
    let lease = Some(&taken[0].lease);
    let commit = Commit {
        entries: &entries,
        status: RunStatus::Waiting,
        snapshot: &snapshot,
        whole: false,
        lease,
        messages: &numbers[..2],
    };
    runs.commit("one", commit).await.expect("it is stored");
    let left: Vec<u64> =
        runs.messages("w").await.expect("messages").messages.iter().map(|posted| posted.number).collect();
    assert_eq!(left, numbers[2..]);
    assert!(runs.messages("other").await.expect("messages").messages.is_empty());
    let changed = runs.changed();
    runs.release("one", &taken[0].lease).await.expect("it is given back");
    changed.await;
    assert_eq!(runs.take_due(request).await.expect("runs").runs.len(), 1, "there is a message still");
}

#[tokio::test]
async fn a_server_that_stays_away_is_said_in_the_end_and_a_wrong_step_at_once() {
    let Some(server) = shared() else { return };
    let runs = store(&server.database());
    runs.create(&info("one")).await.expect("a run");
    let begun = Instant::now();
    let refused = commit(&*runs, "one", 3, None).await;
    assert!(matches!(refused, Err(StoreError::Gap { wanted: 0, found: 3 })), "{refused:?}");
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_server_that_only_reads_says_so() {
    if !server::is_here() {
        return;
    }
    let server = Server::start(&[]);
    let desk = Desk::new(&[("g.yaml", "graph: g\nstart: end\nnodes: {end: {kind: final}}\n")]);
    let db = server.database();
    assert_eq!(desk.run(&format!("run g.yaml --run-id one --db {db}")).code, Some(0));
    server.crash();
    let signal = server.folder().join("data/standby.signal");
    std::fs::write(&signal, "").expect("a file");
    Server::own(&signal);
    server.restart();
    let listed = desk.run(&format!("runs --db {db}"));
    assert_eq!(listed.code, Some(0), "{listed:?}");
    let begun = desk.run(&format!("run g.yaml --run-id two --db {db}"));
    assert_eq!(begun.code, Some(2), "{begun:?}");
    assert!(
        begun.stderr.contains("the server only reads") && begun.stderr.contains("name the one that writes"),
        "{begun:?}"
    );
}
