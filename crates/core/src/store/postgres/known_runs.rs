//! Runs as this process left them.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use super::found_run::QueuePlace;
use crate::store::row::RunRow;
use crate::value::Str;

/// The most runs that are known.
const MAX_KNOWN_RUNS: usize = 16_384;

/// A run as it was when this process wrote it last.
#[derive(Debug, Clone)]
pub(super) struct KnownRun {
    pub(super) row: RunRow,
    pub(super) queue: QueuePlace,
}

/// Runs as this process left them, so that not every commit has to read them. Whether they are still so is found out by the
/// commit.
#[derive(Debug, Default)]
pub(super) struct KnownRuns(Mutex<FxHashMap<Str, KnownRun>>);

impl KnownRuns {
    /// Takes a run out.
    pub(super) fn take(&self, run: &str) -> Option<KnownRun> {
        self.lock().remove(run)
    }

    /// Knows the state of a run.
    pub(super) fn note(&self, known: KnownRun) {
        let mut runs = self.lock();
        if runs.len() >= MAX_KNOWN_RUNS {
            runs.clear();
        }
        runs.insert(known.row.info.run.clone(), known);
    }

    fn lock(&self) -> MutexGuard<'_, FxHashMap<Str, KnownRun>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
