//! A store that lasts as long as the process.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use futures::FutureExt;
use futures::future::ready;
use rustc_hash::FxHashMap;

use crate::machine::{Event, Snapshot};
use crate::port::{BoxFuture, RunInfo, Status, Store, StoreError};
use crate::value::Str;

/// Keeps runs in memory.
#[derive(Debug, Default)]
pub struct Memory {
    runs: Mutex<Runs>,
}

/// Runs in the order they were created, and the place of each.
#[derive(Debug, Default)]
struct Runs {
    kept: Vec<Kept>,
    places: FxHashMap<Str, usize>,
}

#[derive(Debug)]
struct Kept {
    info: RunInfo,
    events: Vec<Event>,
    /// By step the first snapshot that was kept there.
    steps: BTreeMap<u64, Snapshot>,
    latest: Option<Snapshot>,
}

impl Memory {
    /// A store without runs.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn lock(&self) -> MutexGuard<'_, Runs> {
        // Each change is a single assignment or push, so a panic elsewhere leaves nothing half done.
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Runs {
    fn find(&mut self, run: &str) -> Result<&mut Kept, StoreError> {
        let place = self.places.get(run).ok_or_else(|| StoreError::Unknown(run.into()))?;
        Ok(&mut self.kept[*place])
    }

    fn create(&mut self, info: &RunInfo) -> Result<(), StoreError> {
        if self.places.contains_key(&info.run) {
            return Err(StoreError::Exists(info.run.clone()));
        }
        self.places.insert(info.run.clone(), self.kept.len());
        self.kept.push(Kept { info: info.clone(), events: Vec::new(), steps: BTreeMap::new(), latest: None });
        Ok(())
    }

    fn append(&mut self, run: &str, events: &[Event]) -> Result<(), StoreError> {
        let kept = self.find(run)?;
        let first =
            kept.events.last().map(|event| event.seq + 1).or_else(|| events.first().map(|event| event.seq));
        for (wanted, event) in (first.unwrap_or(0)..).zip(events) {
            if event.seq != wanted {
                return Err(StoreError::Gap { wanted, found: event.seq });
            }
        }
        kept.events.extend_from_slice(events);
        Ok(())
    }

    fn snapshot(&mut self, run: &str, step: Option<u64>) -> Result<Option<Snapshot>, StoreError> {
        let kept = self.find(run)?;
        let Some(step) = step else { return Ok(kept.latest.clone()) };
        Ok(kept.steps.range(..=step).next_back().map(|(_, snapshot)| snapshot.clone()))
    }
}

impl Store for Memory {
    fn create<'a>(&'a self, run: &'a RunInfo) -> BoxFuture<'a, Result<(), StoreError>> {
        ready(self.lock().create(run)).boxed()
    }

    fn append<'a>(&'a self, run: &'a str, events: &'a [Event]) -> BoxFuture<'a, Result<(), StoreError>> {
        ready(self.lock().append(run, events)).boxed()
    }

    fn save<'a>(
        &'a self,
        run: &'a str,
        step: u64,
        snapshot: &'a Snapshot,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        let saved = self.lock().find(run).map(|kept| {
            // A run that went back leaves the way it had gone.
            drop(kept.steps.split_off(&step.saturating_add(1)));
            kept.steps.entry(step).or_insert_with(|| snapshot.clone());
            kept.latest = Some(snapshot.clone());
        });
        ready(saved).boxed()
    }

    fn mark<'a>(&'a self, run: &'a str, status: &'a Status) -> BoxFuture<'a, Result<(), StoreError>> {
        ready(self.lock().find(run).map(|kept| kept.info.status = status.clone())).boxed()
    }

    fn events<'a>(&'a self, run: &'a str) -> BoxFuture<'a, Result<Vec<Event>, StoreError>> {
        ready(self.lock().find(run).map(|kept| kept.events.clone())).boxed()
    }

    fn snapshot<'a>(
        &'a self,
        run: &'a str,
        step: Option<u64>,
    ) -> BoxFuture<'a, Result<Option<Snapshot>, StoreError>> {
        ready(self.lock().snapshot(run, step)).boxed()
    }

    fn runs(&self) -> BoxFuture<'_, Result<Vec<RunInfo>, StoreError>> {
        ready(Ok(self.lock().kept.iter().map(|kept| kept.info.clone()).collect())).boxed()
    }
}
