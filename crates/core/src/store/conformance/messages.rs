//! The turn of messages for runs, their end and their number.

use std::time::Duration;

use futures::future::join_all;

use super::queue::{answer, names, queue, stored, take, take_at};
use super::{Held, OpenStore, done, refused, same};
use crate::machine::Time;
use crate::port::{Commit, Lease, Message, RunStatus, StoreError};

const RUN: &str = "one";
const LONG: Duration = Duration::from_mins(1);

/// A timer that ran out long before any clock was set, and one that runs out after all of them.
const LONG_AGO: Time = Time::MIN / 2;
const MUCH_LATER: Time = Time::MAX - 1;

pub(super) async fn have_their_turn(open: OpenStore<'_>) -> Held {
    let store = queue(open)?;
    for (run, timer) in [
        ("told", None),
        ("told later", Some(MUCH_LATER)),
        ("timed", Some(LONG_AGO)),
        ("late", Some(MUCH_LATER)),
    ] {
        stored(&*store, run, RunStatus::Waiting, timer).await?;
    }
    stored(&*store, "lost", RunStatus::Running, None).await?;
    for run in ["told", "told later", "told"] {
        done(store.post(run, &Message::RESUME).await, "post")?;
    }
    let mut order = Vec::new();
    for _ in 0..5 {
        let taken = take_at(&*queue(open)?, Time::MAX, "a", LONG, 1).await?;
        order.extend(taken.runs.into_iter().map(|taken| taken.run.to_string()));
    }
    same(
        "the order of the runs",
        &order,
        &["lost", "timed", "told", "told later", "late"].map(String::from).to_vec(),
    )?;
    // Whatever the clock of who asks says, a message is there.
    done(store.release("told", &Lease { owner: "a".into(), fence: 1 }).await, "release")?;
    let taken = take_at(&*store, Time::MIN, "b", LONG, 9).await?;
    same("what is due by a clock that is slow", &names(&taken), &vec!["told"])
}

pub(super) async fn of_ended_runs_are_closed(open: OpenStore<'_>) -> Held {
    let store = queue(open)?;
    let mut script = stored(&*store, RUN, RunStatus::Waiting, None).await?;
    for number in 0..3 {
        done(store.post(RUN, &answer(number)).await, "post")?;
    }
    let taken = take(&*store, "a", LONG, 9).await?;
    same("what is due", &names(&taken), &vec![RUN])?;
    let posted = done(store.messages("a").await, "messages")?.messages;
    same("the number of messages", &posted.len(), &3)?;
    let snapshot = script.snapshot(1);
    let of_run = || async { Ok::<_, String>(done(queue(open)?.messages("a").await, "messages")?.messages) };
    let commit = |status| Commit {
        entries: &[],
        status,
        snapshot: &snapshot,
        whole: false,
        lease: Some(&taken.runs[0].lease),
        messages: &[],
    };
    let first = [posted[0].number];
    let ended = RunStatus::Done { outcome: "end".into(), ok: true };
    done(store.commit(RUN, Commit { messages: &first, ..commit(ended) }).await, "commit")?;
    same("the messages after the end", &of_run().await?, &Vec::new())?;
    done(store.post(RUN, &answer(4)).await, "post")?;
    same("the messages that come after the end", &of_run().await?, &Vec::new())?;
    // A rollback takes the run up again.
    script.seq = 1;
    done(store.commit(RUN, commit(RunStatus::Waiting)).await, "commit")?;
    same("the messages of a run that goes on", &of_run().await?, &Vec::new())?;
    done(store.release(RUN, &taken.runs[0].lease).await, "release")?;
    let again = take(&*store, "b", LONG, 9).await?;
    same("what is due after the run was taken up again", &names(&again), &Vec::new())?;
    done(store.post(RUN, &answer(5)).await, "post")?;
    let again = take(&*queue(open)?, "b", LONG, 9).await?;
    same("what is due after another message", &names(&again), &vec![RUN])?;
    same("the number of messages", &done(store.messages("b").await, "messages")?.messages.len(), &1)
}

pub(super) async fn are_bounded(open: OpenStore<'_>) -> Held {
    let store = queue(open)?;
    stored(&*store, RUN, RunStatus::Waiting, None).await?;
    stored(&*store, "other", RunStatus::Waiting, None).await?;
    let not_posted = |error: &StoreError| matches!(error, StoreError::NotPosted { .. });
    let long = Message::Cancel { reason: "x".repeat(Message::MAX_BYTES).as_str().into(), by: None };
    refused("a long message", store.post(RUN, &long).await, "NotPosted", not_posted)?;
    let message = answer(1);
    let many = join_all((0..Message::MAX_FOR_RUN).map(|_| store.post(RUN, &message))).await;
    many.into_iter().try_for_each(|posted| done(posted, "post").map(drop))?;
    refused("one message too many", store.post(RUN, &message).await, "NotPosted", not_posted)?;
    done(store.post("other", &message).await, "post").map(drop)
}
