//! Equal requests, equal answers.

use std::sync::{Arc, Mutex, PoisonError};

use futures::FutureExt;
use futures::future::ready;

use super::fit::fits;
use crate::machine::{Call, Outcome, Request, Time};
use crate::port::{AnswerCache, BoxFuture, ModelClient, RunView, Store};
use crate::value::{Map, Str, Value, digest};
use crate::wire::ChatMessage;

/// Keeps the answers to requests that allow it (`cache: true`) and gives them to equal requests, at no cost.
///
/// Only an answer that fits its schema is stored, and a second attempt always asks the model: a bad answer is never
/// given twice.
pub struct Cached {
    inner: Arc<dyn ModelClient>,
    storage: CacheStorage,
    /// The models of the world, so far as their names do not tell.
    world: Str,
}

/// The storage of answers.
#[derive(Clone)]
enum CacheStorage {
    Memory(Arc<Mutex<AnswerCache>>),
    Store(Arc<dyn Store>),
}

impl CacheStorage {
    /// The answer to an equal request. One that cannot be read is none.
    fn find(&self, request: &str) -> Option<Value> {
        match self {
            Self::Memory(answers) => {
                answers.lock().unwrap_or_else(PoisonError::into_inner).get(request).cloned()
            }
            Self::Store(store) => store.answer(request).unwrap_or_else(|error| {
                tracing::warn!(%error, "a stored answer is not used");
                None
            }),
        }
    }

    /// Keeps an answer. Where that fails, the next equal request asks the model.
    async fn keep(&self, request: &str, answer: &Value, at: Time) {
        match self {
            Self::Memory(answers) => {
                answers.lock().unwrap_or_else(PoisonError::into_inner).keep(request, answer.clone());
            }
            Self::Store(store) => {
                if let Err(error) = store.keep_answer(request, answer, at).await {
                    tracing::warn!(%error, "an answer is not stored");
                }
            }
        }
    }
}

impl Cached {
    /// An empty cache in front of a model client. It lasts as long as this does.
    #[must_use]
    pub fn new(inner: Arc<dyn ModelClient>) -> Self {
        Self { inner, storage: CacheStorage::Memory(Arc::default()), world: Str::new() }
    }

    /// Keeps the answers in a store, for later runs too. `world` says what the answers depend on beside the request and
    /// the model's name: where it differs, answers are not shared.
    #[must_use]
    pub fn in_store(mut self, store: Arc<dyn Store>, world: impl Into<Str>) -> Self {
        self.storage = CacheStorage::Store(store);
        self.world = world.into();
        self
    }

    /// The cache key of a request, and its schema; nothing where the cache may not answer.
    fn key<'a>(&self, request: &'a Request) -> Option<(String, &'a Value)> {
        let Request::Model { role, system, prompt, messages, offer, schema, cache: true, .. } = request
        else {
            return None;
        };
        // A path says nothing of what is in the file by now.
        if messages.as_ref().is_some_and(ChatMessage::carry_files) {
            return None;
        }
        let mut asked = Map::new();
        asked.set("world", self.world.clone());
        asked.set("model", self.inner.model(role));
        asked.set("role", role.clone());
        asked.set("system", system.clone());
        asked.set("prompt", prompt.clone());
        asked.set("schema", schema.clone());
        if let Some(messages) = messages {
            asked.set("messages", messages.clone());
        }
        if let Some(offer) = offer {
            asked.set("offer", offer.clone());
        }
        Some((digest(&Value::Map(asked)).to_string(), schema))
    }
}

impl ModelClient for Cached {
    fn ask(&self, call: &Call, view: RunView<'_>) -> BoxFuture<'static, Outcome> {
        let Some((key, schema)) = self.key(&call.request) else { return self.inner.ask(call, view) };
        if call.attempt == 1
            && let Some(value) = self.storage.find(&key)
        {
            return ready(Outcome::answer(value)).boxed();
        }
        let (answer, storage, schema) = (self.inner.ask(call, view), self.storage.clone(), schema.clone());
        let at = view.snapshot.at;
        async move {
            let outcome = answer.await;
            if let Outcome::Answer { value, .. } = &outcome
                && value.as_str().map_or(schema.is_null(), |text| fits(&schema, text))
            {
                storage.keep(&key, value, at).await;
            }
            outcome
        }
        .boxed()
    }

    fn model(&self, role: &str) -> Str {
        self.inner.model(role)
    }

    fn provider(&self, role: &str) -> Option<Str> {
        self.inner.provider(role)
    }
}
