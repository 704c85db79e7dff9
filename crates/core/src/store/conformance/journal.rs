//! Entries of runs: what is committed is read back, and nothing else.

use futures::future::join;

use super::script::{RunScript, info};
use super::{Held, OpenStore, done, refused, same};
use crate::machine::{CallId, InputKind, Outcome, Snapshot};
use crate::port::{Commit, EntryCause, Lease, RunStatus, Store, StoreError};
use crate::value::{List, Map, Value};

const RUN: &str = "one";

/// The journal is that of the script, for whoever opens the place anew, too.
pub(super) async fn stored(open: OpenStore<'_>, run: &str, script: &RunScript) -> Held {
    let found = done(open().entries(run).await, "entries")?;
    same("the number of entries", &found.len(), &script.entries.len())?;
    for (place, (found, wanted)) in found.iter().zip(&script.entries).enumerate() {
        same(&format!("entry {place}"), found, wanted)?;
    }
    for many in [0, 1, 3, script.count(), script.count() + 1] {
        let last =
            done(open().last_entries(run, u32::try_from(many).unwrap_or(u32::MAX)).await, "last_entries")?;
        let wanted = &script.entries
            [script.entries.len().saturating_sub(usize::try_from(many).unwrap_or(usize::MAX))..];
        same(&format!("the last {many} entries"), &&*last, &wanted)?;
    }
    for (from, many) in
        [(0, 0), (0, 2), (1, 1), (2, u32::MAX), (0, u32::MAX), (script.count(), 3), (u64::MAX, u32::MAX)]
    {
        let found = done(open().entries_from(run, from, many).await, "entries_from")?;
        let place = usize::try_from(from).unwrap_or(usize::MAX);
        let wanted: Vec<_> = script.entries.iter().skip(place).take(many as usize).cloned().collect();
        same(&format!("{many} entries from {from} on"), &found, &wanted)?;
    }
    let events = done(open().events(run).await, "events")?;
    let numbers: Vec<u64> = events.iter().map(|event| event.seq).collect();
    let wanted = script.entries.iter().flat_map(|entry| &entry.events).map(|event| event.seq).collect();
    same("the order of events", &numbers, &wanted)
}

async fn begun(open: OpenStore<'_>) -> Result<(std::sync::Arc<dyn Store>, RunScript), String> {
    let store = open();
    done(store.create(&info(RUN)).await, "create")?;
    Ok((store, RunScript::new(RUN)))
}

pub(super) async fn is_read_back(open: OpenStore<'_>) -> Held {
    let (store, mut script) = begun(open).await?;
    stored(open, RUN, &script).await?;
    for events in [1, 0, 3, 2, 0, 0, 1] {
        done(script.grow(&*store, events, None).await, "commit")?;
        stored(open, RUN, &script).await?;
    }
    // Several entries of one commit.
    let first = script.entry(EntryCause::Input(InputKind::Time), &[Value::Null]);
    let second = script.entry(EntryCause::Resumed, &[]);
    done(script.commit(&*store, &[first, second], None).await, "commit")?;
    stored(open, RUN, &script).await
}

fn causes() -> Vec<EntryCause> {
    let call = || CallId("call".into());
    vec![
        EntryCause::Input(InputKind::Started(Box::default())),
        EntryCause::Input(InputKind::Cancel { reason: "é\0\u{202e}\u{10ffff}".into() }),
        EntryCause::Back { to: 1, step: 1 },
        EntryCause::Undo { call: call() },
        EntryCause::Undone { call: call(), outcome: Outcome::answer(Value::Int(7)) },
        EntryCause::Moved { program: "another".into(), tools: List::default() },
        EntryCause::Interrupted { signal: "SIGTERM".into(), unmade: vec![call()] },
        EntryCause::Resumed,
        EntryCause::Forked { of: "trunk".into(), step: 3 },
    ]
}

fn values() -> Vec<Value> {
    let nested = (0..50).fold(Value::Null, |value, _| Value::from(vec![value]));
    let map: Map = [("", Value::Null), ("é\n", Value::Bool(true))].into_iter().collect();
    vec![
        Value::Int(i64::MIN),
        Value::Int(i64::MAX),
        Value::from(0.1),
        Value::from(f64::MIN_POSITIVE),
        Value::from(""),
        Value::from("\0\"\\\u{7f}\u{fffd}\u{10ffff}"),
        Value::from("0123456789abcdef".repeat(1 << 16)),
        nested,
        Value::from(map),
    ]
}

pub(super) async fn values_are_read_back(open: OpenStore<'_>) -> Held {
    let (store, mut script) = begun(open).await?;
    for cause in causes() {
        let entry = script.entry(cause, &values());
        done(script.commit(&*store, &[entry], None).await, "commit")?;
    }
    stored(open, RUN, &script).await
}

/// A run at its first `at` entries is the script's.
async fn loaded(store: &dyn Store, script: &RunScript, at: Option<u64>) -> Held {
    let to = at.unwrap_or(u64::MAX).min(script.count());
    let found = done(store.load(RUN, at).await, "load")?;
    let subject = |what: &str| format!("{what} of `load` at {at:?}");
    if found.from > to {
        return Err(format!("{} is {}, after the place", subject("`from`"), found.from));
    }
    let new = Snapshot::new();
    let snapshot = match script.snapshots.get(&found.from) {
        Some(snapshot) => snapshot,
        None if found.from == 0 => &new,
        None => return Err(format!("{} is {}, where no commit ended", subject("`from`"), found.from)),
    };
    same(&subject("the snapshot"), &found.snapshot, snapshot)?;
    let place = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    same(
        &subject("the list of entries"),
        &found.entries.as_slice(),
        &&script.entries[place(found.from)..place(to)],
    )
}

pub(super) async fn every_entry_is_a_place_to_load(open: OpenStore<'_>) -> Held {
    let (store, mut script) = begun(open).await?;
    loaded(&*store, &script, None).await?;
    for n in 0..150 {
        done(script.grow(&*store, n % 4, None).await, "commit")?;
    }
    let store = open();
    for at in 0..=script.count() + 1 {
        loaded(&*store, &script, Some(at)).await?;
    }
    loaded(&*store, &script, Some(u64::MAX)).await?;
    loaded(&*store, &script, None).await
}

pub(super) async fn whole_snapshot_is_stored(open: OpenStore<'_>) -> Held {
    let (store, mut script) = begun(open).await?;
    // A run that begins in the middle: its first event has the number of its snapshot.
    script.seq = 7;
    let whole = |script: &RunScript| script.snapshot(script.seq);
    for _ in 0..2 {
        let snapshot = whole(&script);
        let commit = Commit {
            entries: &[],
            status: RunStatus::Ready,
            snapshot: &snapshot,
            whole: true,
            lease: None,
            messages: &[],
        };
        done(store.commit(RUN, commit).await, "commit")?;
        script.snapshots.insert(script.count(), snapshot);
        let found = done(open().load(RUN, None).await, "load")?;
        same("`from` of `load` after a snapshot that must be stored", &found.from, &script.count())?;
        loaded(&*open(), &script, None).await?;
        done(script.grow(&*store, 2, None).await, "commit")?;
        loaded(&*open(), &script, None).await?;
    }
    stored(open, RUN, &script).await
}

fn is_gap(error: &StoreError) -> bool {
    matches!(error, StoreError::Gap { .. })
}

pub(super) async fn events_follow_each_other(open: OpenStore<'_>) -> Held {
    let (store, mut script) = begun(open).await?;
    done(script.grow(&*store, 3, None).await, "commit")?;
    for (seq, subject) in
        [(2, "an event that is there"), (4, "an event after a gap"), (0, "the first event again")]
    {
        let other = RunScript { seq, ..RunScript::new(RUN) };
        let entry = other.entry(EntryCause::Resumed, &[Value::Null]);
        refused(subject, other.commit_only(&*store, &[entry], None).await, "Gap", is_gap)?;
        stored(open, RUN, &script).await?;
    }
    // Nothing is stored of a commit whose second entry is at fault.
    let first = script.entry(EntryCause::Resumed, &[Value::Null]);
    let after_gap = RunScript { seq: script.seq + 2, ..RunScript::new(RUN) };
    let both = [first, after_gap.entry(EntryCause::Resumed, &[Value::Null])];
    let late = script.commit_only(&*store, &both, None).await;
    refused("a second entry after a gap", late, "Gap", is_gap)?;
    stored(open, RUN, &script).await?;
    done(script.grow(&*store, 1, None).await, "commit")?;
    stored(open, RUN, &script).await
}

pub(super) async fn one_of_two_commits(open: OpenStore<'_>) -> Held {
    let (store, mut script) = begun(open).await?;
    let other = open();
    for _ in 0..20 {
        let entry = script.entry(EntryCause::Resumed, &[Value::Bool(true)]);
        let twin = script.entry(EntryCause::Resumed, &[Value::Bool(false)]);
        let (one, two) = ([entry], [twin]);
        let (first, second) =
            join(script.commit_only(&*store, &one, None), script.commit_only(&*other, &two, None)).await;
        let (taken, late) = match (first, second) {
            (Ok(_), late) => (one, late),
            (late, Ok(_)) => (two, late),
            (Err(error), Err(_)) => return Err(format!("both commits fail: {error}")),
        };
        refused("the second of two commits", late, "Gap", is_gap)?;
        script.seq += 1;
        script.entries.extend(taken);
        stored(open, RUN, &script).await?;
    }
    Ok(())
}

pub(super) async fn runs_are_apart(open: OpenStore<'_>) -> Held {
    let store = open();
    let names = ["a", "b", "a/b", "A", "a\0"];
    let mut scripts = names.map(RunScript::new);
    let mut leases: Vec<Lease> = Vec::new();
    for name in names {
        done(store.create(&info(name)).await, "create")?;
        leases.push(done(store.acquire(name, name, std::time::Duration::from_mins(1)).await, "acquire")?);
    }
    for round in 0..5 {
        for (n, script) in scripts.iter_mut().enumerate() {
            let events = i64::try_from(n).unwrap_or_default() + round % 2;
            done(script.grow(&*store, events, Some(&leases[n])).await, "commit")?;
        }
    }
    for (name, script) in names.iter().zip(&scripts) {
        stored(open, name, script).await?;
    }
    Ok(())
}
