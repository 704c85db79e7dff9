//! Journals to be stored.

use std::collections::BTreeMap;

use crate::machine::{Event, EventKind, InputKind, Snapshot};
use crate::port::{Commit, EntryCause, JournalEntry, Lease, RunInfo, RunStatus, Store, StoreError};
use crate::value::{Str, Value};

/// A run that begins.
pub(super) fn info(run: &str) -> RunInfo {
    RunInfo {
        run: run.into(),
        graph: "graph".into(),
        program: "program".into(),
        started: -5,
        status: RunStatus::Running,
    }
}

/// The journal of one run, as it should be in the store.
pub(super) struct RunScript {
    pub(super) run: Str,
    pub(super) entries: Vec<JournalEntry>,
    /// The states after commits, by the number of entries.
    pub(super) snapshots: BTreeMap<u64, Snapshot>,
    /// The number of the next event.
    pub(super) seq: u64,
}

impl RunScript {
    pub(super) fn new(run: &str) -> Self {
        Self { run: run.into(), entries: Vec::new(), snapshots: BTreeMap::new(), seq: 0 }
    }

    pub(super) fn count(&self) -> u64 {
        self.entries.len() as u64
    }

    /// An entry that could follow, with so many events.
    pub(super) fn entry(&self, cause: EntryCause, values: &[Value]) -> JournalEntry {
        let at = i64::try_from(self.count()).unwrap_or(i64::MAX);
        let event = |(seq, value): (u64, &Value)| {
            let kind = EventKind::Closed { outcome: "end".into(), ok: true, output: Box::new(value.clone()) };
            Event { seq, at, frame: 0, kind }
        };
        let events = (self.seq..).zip(values).map(event).collect();
        JournalEntry { at, cause, step: self.count(), events, by: None }
    }

    /// The state after events up to the number `seq`.
    pub(super) fn snapshot(&self, seq: u64) -> Snapshot {
        Snapshot { run: self.run.clone(), program: "program".into(), seq, ..Snapshot::new() }
    }

    /// Commits entries, and notes them where the store takes them.
    pub(super) async fn commit(
        &mut self,
        store: &dyn Store,
        entries: &[JournalEntry],
        lease: Option<&Lease>,
    ) -> Result<(), StoreError> {
        let seq = self.commit_only(store, entries, lease).await?;
        self.seq = seq;
        self.entries.extend_from_slice(entries);
        self.snapshots.insert(self.count(), self.snapshot(seq));
        Ok(())
    }

    /// Commits entries that are not noted; returns the number of the event that comes next.
    pub(super) async fn commit_only(
        &self,
        store: &dyn Store,
        entries: &[JournalEntry],
        lease: Option<&Lease>,
    ) -> Result<u64, StoreError> {
        let last = entries.iter().flat_map(|entry| &entry.events).next_back();
        let seq = last.map_or(self.seq, |event| event.seq + 1);
        let snapshot = self.snapshot(seq);
        let status = RunStatus::Waiting;
        store
            .commit(
                &self.run,
                Commit { entries, status, snapshot: &snapshot, whole: false, lease, messages: &[] },
            )
            .await?;
        Ok(seq)
    }

    /// Commits one entry with so many events.
    pub(super) async fn grow(
        &mut self,
        store: &dyn Store,
        events: i64,
        lease: Option<&Lease>,
    ) -> Result<(), StoreError> {
        let values: Vec<Value> = (0..events).map(Value::Int).collect();
        let entry = self.entry(EntryCause::Input(InputKind::Time), &values);
        self.commit(store, &[entry], lease).await
    }
}
