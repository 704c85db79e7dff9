//! Runs that workers take, and messages for them.

use std::sync::Arc;
use std::time::Duration;

use futures::future::{join, join_all};

use super::script::{RunScript, info};
use super::{Held, OpenStore, done, refused, same};
use crate::machine::{EventKind, QuestionId, Start, Time};
use crate::port::{
    Commit, EntryCause, Message, ProgramText, Queue, RunInfo, RunStatus, StoreError, TakenRuns, WorkRequest,
};
use crate::value::{Str, Value};

const RUN: &str = "one";
const LONG: Duration = Duration::from_mins(1);

/// The time of which timers are told here; what is due by it is due now.
const NOW: Time = 1_000;

/// The store as a queue.
pub(super) fn queue(open: OpenStore<'_>) -> Result<Arc<dyn Queue>, String> {
    open().as_queue().ok_or_else(|| "the store is a queue at one call and none at the next".to_owned())
}

/// Takes what is due of the program of [`info`].
pub(super) async fn take(
    queue: &dyn Queue,
    owner: &str,
    ttl: Duration,
    limit: usize,
) -> Result<TakenRuns, String> {
    take_at(queue, NOW, owner, ttl, limit).await
}

/// The same at another time.
pub(super) async fn take_at(
    queue: &dyn Queue,
    now: Time,
    owner: &str,
    ttl: Duration,
    limit: usize,
) -> Result<TakenRuns, String> {
    let programs = [Str::from("another"), "program".into()];
    let request = WorkRequest { owner, ttl, programs: &programs, now, limit };
    done(queue.take_due(request).await, "take_due")
}

pub(super) fn names(taken: &TakenRuns) -> Vec<&str> {
    taken.runs.iter().map(|taken| taken.run.as_str()).collect()
}

/// A run that was committed once, with a status and a timer, by somebody whose clock is ahead.
pub(super) async fn stored(
    queue: &dyn Queue,
    run: &str,
    status: RunStatus,
    timer: Option<Time>,
) -> Result<RunScript, String> {
    done(queue.create(&info(run)).await, "create")?;
    let mut script = RunScript::new(run);
    let snapshot = crate::machine::Snapshot { timer, at: NOW + 1_000, ..script.snapshot(1) };
    let entries = [script.entry(EntryCause::Resumed, &[Value::Int(1)])];
    let commit =
        Commit { entries: &entries, status, snapshot: &snapshot, whole: false, lease: None, messages: &[] };
    done(queue.commit(run, commit).await, "commit")?;
    script.seq = 1;
    script.entries.extend(entries);
    Ok(script)
}

pub(super) async fn due_runs_are_taken(open: OpenStore<'_>) -> Held {
    let store = queue(open)?;
    let ended = RunStatus::Done { outcome: "end".into(), ok: true };
    for (run, status) in [
        ("ended", ended),
        ("ready", RunStatus::Ready),
        ("waiting", RunStatus::Waiting),
        (RUN, RunStatus::Running),
    ] {
        stored(&*store, run, status, None).await?;
    }
    done(store.create(&info("not begun")).await, "create")?;
    done(store.create(&info("left")).await, "create")?;
    done(store.create(&RunInfo { program: "strange".into(), ..info("strange") }).await, "create")?;
    let taken = take(&*queue(open)?, "a", LONG, 9).await?;
    same("what is due", &names(&taken), &vec![RUN])?;
    same("its program", &taken.runs[0].program.as_str(), &"program")?;
    let again = take(&*store, "b", LONG, 9).await?;
    same("what is due while it is driven", &names(&again), &Vec::new())?;
    done(store.release(RUN, &taken.runs[0].lease).await, "release")?;
    let again = take(&*store, "b", Duration::ZERO, 9).await?;
    same("what is due after it was given back", &names(&again), &vec![RUN])?;
    let lost = take(&*store, "c", LONG, 9).await?;
    same("what is due after the lease ran out", &names(&lost), &vec![RUN])?;
    done(store.post("left", &Message::RESUME).await, "post")?;
    let left = take(&*store, "d", LONG, 9).await?;
    same("what is due with a message before it began", &names(&left), &vec!["left"])?;
    if lost.runs[0].lease.fence > again.runs[0].lease.fence {
        return Ok(());
    }
    Err("the fencing number of a new owner is not higher".to_owned())
}

pub(super) async fn timers_make_runs_due(open: OpenStore<'_>) -> Held {
    let store = queue(open)?;
    for (run, status, timer) in [
        ("late", RunStatus::Running, NOW + 50),
        ("later", RunStatus::Waiting, NOW + 90),
        ("second", RunStatus::Waiting, NOW - 1),
        ("first", RunStatus::Running, NOW - 2),
    ] {
        stored(&*store, run, status, Some(timer)).await?;
    }
    let taken = take(&*queue(open)?, "a", LONG, 1).await?;
    same("the run that is due longest", &names(&taken), &vec!["first"])?;
    let taken = take(&*store, "a", LONG, 9).await?;
    same("the others that are due", &names(&taken), &vec!["second"])?;
    same("the time of the next timer", &taken.next, &Some(NOW + 50))
}

pub(super) async fn one_of_many_workers(open: OpenStore<'_>) -> Held {
    const RUNS: [&str; 12] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];
    let store = queue(open)?;
    for run in RUNS {
        stored(&*store, run, RunStatus::Running, None).await?;
    }
    let queues = [queue(open)?, queue(open)?, queue(open)?, queue(open)?];
    let mut taken = Vec::new();
    // One that looked while others took may have got fewer.
    for _ in 0..RUNS.len() {
        let asked = queues.iter().zip(["1", "2", "3", "4"]);
        for found in join_all(asked.map(|(queue, owner)| take(&**queue, owner, LONG, 2))).await {
            taken.extend(found?.runs.into_iter().map(|taken| taken.run));
        }
    }
    taken.sort_unstable();
    same(
        "the runs that four workers took",
        &taken.iter().map(Str::as_str).collect::<Vec<_>>(),
        &RUNS.to_vec(),
    )
}

pub(super) fn answer(number: i64) -> Message {
    Message::Answer { ask: QuestionId("ask".into()), answer: Value::Int(number), by: None }
}

pub(super) async fn messages_are_taken_by_a_commit(open: OpenStore<'_>) -> Held {
    let store = queue(open)?;
    let unknown = |error: &StoreError| matches!(error, StoreError::Unknown(run) if run == RUN);
    refused("`post`", store.post(RUN, &Message::RESUME).await, "Unknown", unknown)?;
    let mut script = stored(&*store, RUN, RunStatus::Waiting, None).await?;
    stored(&*store, "other", RunStatus::Waiting, None).await?;
    let wanted =
        [answer(1), Message::RESUME, Message::Cancel { reason: "\u{0}é".into(), by: Some("ana".into()) }];
    for message in &wanted {
        done(queue(open)?.post(RUN, message).await, "post")?;
    }
    done(store.post("other", &answer(4)).await, "post")?;
    let nobodys = done(store.messages("a").await, "messages")?.messages;
    same("the messages of nobody's runs", &nobodys, &Vec::new())?;
    let taken = take(&*store, "a", LONG, 9).await?;
    same("the number of runs with messages", &taken.runs.len(), &2)?;
    let of_run = || async {
        let mut all = done(queue(open)?.messages("a").await, "messages")?.messages;
        all.retain(|message| message.run == RUN);
        Ok::<_, String>(all)
    };
    let posted = of_run().await?;
    same(
        "the messages",
        &posted.iter().map(|posted| posted.message.clone()).collect::<Vec<_>>(),
        &wanted.to_vec(),
    )?;
    let lease = taken.runs.iter().find(|taken| taken.run == RUN).map(|taken| taken.lease.clone());
    let entry = script.entry(EntryCause::Resumed, &[Value::Int(2)]);
    let snapshot = script.snapshot(2);
    let numbers = [posted[0].number, posted[1].number];
    let commit = Commit {
        entries: std::slice::from_ref(&entry),
        status: RunStatus::Waiting,
        snapshot: &snapshot,
        whole: false,
        lease: lease.as_ref(),
        messages: &numbers,
    };
    let lost = crate::port::Lease { owner: "b".into(), fence: u64::from(u32::MAX) };
    let foreign = Commit { lease: Some(&lost), ..commit.clone() };
    let is_lost = |error: &StoreError| matches!(error, StoreError::Lost { .. });
    refused("a commit of another owner", store.commit(RUN, foreign).await, "Lost", is_lost)?;
    same("the messages after a commit that was refused", &of_run().await?, &posted)?;
    done(store.commit(RUN, commit.clone()).await, "commit")?;
    script.seq = 2;
    same("the messages after a commit took two", &of_run().await?, &posted[2..].to_vec())?;
    let third = [posted[2].number];
    done(store.commit(RUN, Commit { entries: &[], messages: &third, ..commit }).await, "commit")?;
    same("the messages after a commit without entries", &of_run().await?, &Vec::new())?;
    let events = done(store.events(RUN).await, "events")?;
    let kinds = events.iter().filter(|event| matches!(event.kind, EventKind::Closed { .. })).count();
    same("the number of events", &kinds, &2)
}

pub(super) async fn a_change_is_noticed(open: OpenStore<'_>) -> Held {
    let (one, other) = (queue(open)?, queue(open)?);
    stored(&*one, RUN, RunStatus::Waiting, None).await?;
    let changed = one.changed();
    let ((), posted) = join(changed, other.post(RUN, &Message::RESUME)).await;
    done(posted, "post").map(|_| ())
}

pub(super) async fn new_runs_are_left_once(open: OpenStore<'_>) -> Held {
    let store = queue(open)?;
    let text =
        |main: &str| ProgramText { digest: "program".into(), main: main.into(), ..ProgramText::default() };
    let start = |seed: u64| Start { run: RUN.into(), seed, ..Start::default() };
    let exists = |error: &StoreError| matches!(error, StoreError::Exists(run) if run == RUN);
    let ready = RunInfo { status: RunStatus::Ready, ..info(RUN) };
    let (left, seeds) = (text("left.yaml"), [start(1), start(2), start(3)]);
    // Of those who leave one at once one does.
    let queues = [queue(open)?, queue(open)?, queue(open)?];
    let all = queues.iter().zip(&seeds).map(|(queue, start)| queue.leave(&ready, &left, start));
    let all = join_all(all).await;
    let won: Vec<u64> =
        seeds.iter().zip(&all).filter_map(|(start, left)| left.is_ok().then_some(start.seed)).collect();
    same("the number of those who left one run", &won.len(), &1)?;
    for failed in all.into_iter().filter(Result::is_err) {
        refused("`leave` of a run that is there", failed, "Exists", exists)?;
    }
    refused("`leave` once more", store.leave(&ready, &left, &start(9)).await, "Exists", exists)?;
    let stored = done(store.program("program").await, "program")?;
    same("the program", &stored.map(|text| text.main), &Some("left.yaml".into()))?;
    same("the runs that are due", &names(&take(&*store, "a", LONG, 9).await?), &vec![RUN])?;
    let posted = done(store.messages("a").await, "messages")?.messages;
    let posted: Vec<Message> = posted.into_iter().map(|posted| posted.message).collect();
    same("its messages", &posted, &vec![Message::Start(Box::new(start(won[0])))])?;
    // One that was only created was cut off. It is left now, unless somebody is about to begin it.
    for run in ["cut off", "driven", "told"] {
        done(store.create(&info(run)).await, "create")?;
    }
    done(store.acquire("driven", "b", LONG).await, "acquire")?;
    done(store.post("told", &Message::RESUME).await, "post")?;
    let leave =
        async |run: &str| store.leave(&info(run), &left, &Start { run: run.into(), ..start(0) }).await;
    let is_there = |error: &StoreError| matches!(error, StoreError::Exists(_));
    refused("`leave` of a run that is driven", leave("driven").await, "Exists", is_there)?;
    done(leave("told").await, "leave")?;
    done(leave("cut off").await, "leave")
}
