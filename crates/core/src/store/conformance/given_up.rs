//! Commits that are given up: nobody learns what became of them, and half of one is never there.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use super::journal::stored;
use super::script::{RunScript, info};
use super::{Held, OpenStore, done, refused, same};
use crate::machine::InputKind;
use crate::port::{Commit, EntryCause, JournalEntry, RunStatus, StoreError};
use crate::value::Value;

/// A commit is given up after at most so many polls.
const MAX_POLLS: u32 = 16;

/// The events of the first of the entries of [`three_entries`].
const EVENTS: u64 = 3;

/// Entries of one commit; the text is too long for a page of most files.
fn three_entries(script: &RunScript) -> [JournalEntry; 3] {
    let long = Value::from("0123456789abcdef".repeat(1 << 12));
    let first = script.entry(EntryCause::Input(InputKind::Time), &[Value::Null, long, Value::Bool(true)]);
    let later = RunScript { seq: script.seq + EVENTS, ..RunScript::new(&script.run) };
    let last = later.entry(EntryCause::Input(InputKind::Time), &[Value::Int(1)]);
    [first, script.entry(EntryCause::Resumed, &[]), last]
}

/// Commits entries and gives that up after so many polls. Returns true if the commit was acknowledged before.
async fn give_up(
    open: OpenStore<'_>,
    script: &RunScript,
    entries: &[JournalEntry],
    polls: u32,
) -> Result<bool, String> {
    let store = open();
    let snapshot = script.snapshot(script.seq + EVENTS + 1);
    let commit = Commit {
        entries,
        status: RunStatus::Waiting,
        snapshot: &snapshot,
        whole: true,
        lease: None,
        messages: &[],
    };
    let mut commit = pin!(store.commit(&script.run, commit));
    let mut left = polls;
    // It is polled again when it asks for that, so that a store that waits for a disk comes further each time.
    let ended = poll_fn(|context| {
        if left == 0 {
            return Poll::Ready(None);
        }
        left -= 1;
        match commit.as_mut().poll(context) {
            Poll::Ready(result) => Poll::Ready(Some(result)),
            Poll::Pending if left == 0 => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        }
    });
    match ended.await {
        None => Ok(false),
        Some(result) => done(result, "commit").map(|()| true),
    }
}

fn is_gap(error: &StoreError) -> bool {
    matches!(error, StoreError::Gap { .. })
}

/// The part of a commit that is there now: all or nothing. It may still arrive.
async fn whole_or_absent(open: OpenStore<'_>, script: &RunScript, entries: &[JournalEntry]) -> Held {
    let whole = [&script.entries, entries].concat();
    let found = done(open().entries(&script.run).await, "entries")?;
    if found != script.entries {
        same("the journal after a commit that was given up", &found, &whole)?;
    }
    let loaded = done(open().load(&script.run, None).await, "load")?;
    let count = loaded.from + loaded.entries.len() as u64;
    if count == script.count() {
        return Ok(());
    }
    same("the number of entries that `load` counts", &count, &(whole.len() as u64))
}

pub(super) async fn is_whole_or_absent(open: OpenStore<'_>) -> Held {
    for polls in 0..=MAX_POLLS {
        let run = format!("given up after {polls}");
        done(open().create(&info(&run)).await, "create")?;
        let mut script = RunScript::new(&run);
        done(script.grow(&*open(), 2, None).await, "commit")?;
        let entries = three_entries(&script);
        let acknowledged = give_up(open, &script, &entries, polls).await?;
        whole_or_absent(open, &script, &entries).await?;
        let store = open();
        let next = script.entry(EntryCause::Resumed, &[Value::Null]);
        match script.commit(&*store, &[next], None).await {
            // From here on it cannot arrive any more.
            Ok(()) if !acknowledged => {}
            Ok(()) => return Err("a commit that was acknowledged is gone after reopening".to_owned()),
            arrived => {
                refused("a commit in the place of one that arrived", arrived, "Gap", is_gap)?;
                script.seq += EVENTS + 1;
                script.entries.extend(entries);
            }
        }
        done(script.grow(&*store, 1, None).await, "commit")?;
        stored(open, &run, &script).await?;
        if acknowledged {
            break;
        }
    }
    Ok(())
}
