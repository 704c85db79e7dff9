//! Equal requests, equal answers.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use futures::FutureExt;
use futures::future::ready;
use rustc_hash::FxHashMap;

use crate::config::validator;
use crate::machine::{Call, Outcome, Request, Usage};
use crate::port::{BoxFuture, ModelClient, View};
use crate::value::json::{Limits, parse_strict};
use crate::value::{Digest, Map, Str, Value, digest};

/// The most answers that are kept; then the oldest goes.
const MAX_ANSWERS: usize = 1024;

/// Keeps, in memory, the answers to requests that allow it (`cache: true`) and gives them to equal requests, at no
/// cost.
///
/// Only an answer that fits its schema is kept, and a second attempt always asks the model: a bad answer is never
/// given twice.
pub struct Cached {
    inner: Arc<dyn ModelClient>,
    kept: Arc<Mutex<Kept>>,
}

#[derive(Default)]
struct Kept {
    answers: FxHashMap<Digest, Value>,
    order: VecDeque<Digest>,
}

impl Kept {
    fn keep(&mut self, key: Digest, answer: Value) {
        if self.answers.insert(key, answer).is_none() {
            self.order.push_back(key);
        }
        if self.order.len() > MAX_ANSWERS
            && let Some(oldest) = self.order.pop_front()
        {
            self.answers.remove(&oldest);
        }
    }
}

impl Cached {
    /// An empty cache in front of a model client.
    #[must_use]
    pub fn new(inner: Arc<dyn ModelClient>) -> Self {
        Self { inner, kept: Arc::default() }
    }

    fn find(&self, key: Digest) -> Option<Value> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).answers.get(&key).cloned()
    }
}

impl ModelClient for Cached {
    fn ask(&self, call: &Call, view: View<'_>) -> BoxFuture<'static, Outcome> {
        let Some((key, schema)) = key(&call.request, &*self.inner) else { return self.inner.ask(call, view) };
        if call.attempt == 1
            && let Some(value) = self.find(key)
        {
            return ready(Outcome::Answer { value, usage: Usage::default() }).boxed();
        }
        let (answer, kept, schema) = (self.inner.ask(call, view), Arc::clone(&self.kept), schema.clone());
        async move {
            let outcome = answer.await;
            if let Outcome::Answer { value, .. } = &outcome
                && fits(&schema, value)
            {
                kept.lock().unwrap_or_else(PoisonError::into_inner).keep(key, value.clone());
            }
            outcome
        }
        .boxed()
    }

    fn model(&self, role: &str) -> Str {
        self.inner.model(role)
    }
}

/// What makes a request equal to another, and its schema; nothing where the cache may not answer.
fn key<'a>(request: &'a Request, client: &dyn ModelClient) -> Option<(Digest, &'a Value)> {
    let Request::Model { role, system, prompt, schema, cache: true, .. } = request else { return None };
    let mut asked = Map::new();
    asked.set("model", client.model(role));
    asked.set("role", role.clone());
    asked.set("system", system.clone());
    asked.set("prompt", prompt.clone());
    asked.set("schema", schema.clone());
    Some((digest(&Value::Map(asked)), schema))
}

/// Whether an answer is worth keeping: raw text always, else JSON that fits.
fn fits(schema: &Value, answer: &Value) -> bool {
    if schema.is_null() {
        return true;
    }
    let parsed = answer.as_str().and_then(|text| parse_strict(text, Limits::default()).ok());
    parsed.is_some_and(|parsed| validator(schema).is_ok_and(|schema| schema.is_valid(&parsed.to_json())))
}
