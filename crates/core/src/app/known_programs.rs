//! Programs that are compiled already.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use crate::model::Model;
use crate::program::Program;
use crate::source::Sources;
use crate::value::Str;

/// The most programs that are known before no further one is noted.
const MAX_NOTED_PROGRAMS: usize = 64;

/// A program that was compiled from stored texts, or before they were stored.
#[derive(Clone)]
pub(super) struct Compiled {
    pub(super) model: Arc<Model>,
    pub(super) program: Arc<Program>,
    pub(super) main: String,
    pub(super) sources: Sources,
}

/// Programs that are compiled already, by their digests.
#[derive(Clone, Default)]
pub(super) struct KnownPrograms(Arc<Mutex<FxHashMap<Str, Compiled>>>);

impl KnownPrograms {
    pub(super) fn add(&self, compiled: Compiled) {
        self.lock().insert(compiled.program.digest.clone(), compiled);
    }

    /// Knows one that was compiled from stored texts, unless there are many already.
    pub(super) fn note(&self, digest: &str, compiled: &Compiled) {
        let mut known = self.lock();
        if known.len() < MAX_NOTED_PROGRAMS {
            known.insert(digest.into(), compiled.clone());
        }
    }

    pub(super) fn get(&self, digest: &str) -> Option<Compiled> {
        self.lock().get(digest).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, FxHashMap<Str, Compiled>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
