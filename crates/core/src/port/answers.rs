//! Answers of models that may be given again.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::value::{Str, Value};

/// Answers of models by what was asked, in memory: at most [`AnswerCache::MAX_ANSWERS`], then the oldest goes.
#[derive(Debug, Default)]
pub struct AnswerCache {
    answers: FxHashMap<Str, Value>,
    /// The requests, the oldest first.
    order: VecDeque<Str>,
}

impl AnswerCache {
    /// So many answers are stored, here and by every store.
    pub const MAX_ANSWERS: usize = 4096;

    /// The answers that a store may keep besides before it drops the oldest: to count all of them at each answer costs.
    pub const MAX_SPARE_ANSWERS: usize = 64;

    /// The answer to a request.
    #[must_use]
    pub fn get(&self, request: &str) -> Option<&Value> {
        self.answers.get(request)
    }

    /// Keeps an answer, in place of an earlier one to the same request.
    pub fn keep(&mut self, request: &str, answer: Value) {
        if self.answers.insert(request.into(), answer).is_some() {
            self.order.retain(|other| other != request);
        }
        self.order.push_back(request.into());
        if self.order.len() > Self::MAX_ANSWERS
            && let Some(oldest) = self.order.pop_front()
        {
            self.answers.remove(&oldest);
        }
    }
}
