//! Answers of models that may be given again.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::value::{Str, Value};

/// Answers of models by what was asked, in memory: at most [`Answers::MOST`], then the oldest goes.
#[derive(Debug, Default)]
pub struct Answers {
    kept: FxHashMap<Str, Value>,
    /// The oldest first.
    order: VecDeque<Str>,
}

impl Answers {
    /// So many answers are kept, here and by every store.
    pub const MOST: usize = 4096;

    /// The answer to a request.
    #[must_use]
    pub fn get(&self, request: &str) -> Option<&Value> {
        self.kept.get(request)
    }

    /// Keeps an answer, in place of an earlier one to the same request.
    pub fn keep(&mut self, request: &str, answer: Value) {
        if self.kept.insert(request.into(), answer).is_some() {
            self.order.retain(|other| other != request);
        }
        self.order.push_back(request.into());
        if self.order.len() > Self::MOST
            && let Some(oldest) = self.order.pop_front()
        {
            self.kept.remove(&oldest);
        }
    }
}
