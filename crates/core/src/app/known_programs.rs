//! Programs that are compiled already.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::model::Model;
use crate::program::Program;
use crate::source::Sources;
use crate::value::Str;

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
pub(super) struct KnownPrograms(FxHashMap<Str, Compiled>);

impl KnownPrograms {
    pub(super) fn add(&mut self, compiled: Compiled) {
        self.0.insert(compiled.program.digest.clone(), compiled);
    }

    pub(super) fn get(&self, digest: &str) -> Option<&Compiled> {
        self.0.get(digest)
    }
}
