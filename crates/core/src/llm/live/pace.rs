//! The pace at which an entry is asked: requests and tokens in any minute, requests at the same time.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;
use tokio::sync::{Mutex as Queue, OwnedSemaphorePermit, Semaphore};

use crate::config::{ModelConfig, Throttle};
use crate::machine::Time;
use crate::port::Clock;
use crate::value::Str;

const MINUTE_NS: Time = 60_000_000_000;

/// The paces of all entries of a process. Clients that share it keep one pace together, whatever run they ask for.
#[derive(Debug, Clone, Default)]
pub struct Paces(Arc<Mutex<FxHashMap<String, Arc<Pace>>>>);

impl Paces {
    /// The pace of an entry. Another model, address or limit is another pace.
    pub(super) fn of(&self, config: &ModelConfig) -> Arc<Pace> {
        let ModelConfig { role, target, key, throttle, .. } = config;
        let identity = format!(
            "{role}\n{:?}\n{}\n{}\n{key:?}\n{throttle:?}",
            target.provider, target.base_url, target.model
        );
        let mut paces = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        paces.entry(identity).or_insert_with(|| Arc::new(Pace::new(role.clone(), *throttle))).clone()
    }
}

/// The pace of one entry. Requests go in the order in which they came; one that is given up leaves its turn to the next.
#[derive(Debug)]
pub(super) struct Pace {
    entry: Str,
    throttle: Throttle,
    /// Held by the request that is next.
    queue: Queue<()>,
    /// The places for requests at the same time, if they are limited.
    places: Option<Arc<Semaphore>>,
    sent: Mutex<SentRequests>,
}

/// The requests of the last minute, in the order in which they were sent.
#[derive(Debug, Default)]
struct SentRequests {
    requests: VecDeque<SentRequest>,
    /// The number of the next one.
    next: u64,
}

#[derive(Debug)]
struct SentRequest {
    number: u64,
    at: Time,
    /// Estimated when it is sent, counted when its reply is there.
    tokens: u64,
}

/// The turn of one request, as long as it is in progress.
#[derive(Debug)]
pub(super) struct Turn {
    pace: Arc<Pace>,
    /// The number among the requests that are remembered.
    number: Option<u64>,
    /// The wait for it, in nanoseconds.
    pub(super) waited: i64,
    _place: Option<OwnedSemaphorePermit>,
}

impl Pace {
    fn new(entry: Str, throttle: Throttle) -> Self {
        let places = throttle.at_once.map(|count| Arc::new(Semaphore::new(count)));
        Self { entry, throttle, queue: Queue::default(), places, sent: Mutex::default() }
    }

    /// Waits until a request of about so many tokens may be sent. May be dropped at any time.
    pub(super) async fn turn(self: &Arc<Self>, tokens: u64, clock: &dyn Clock) -> Turn {
        if self.throttle.is_free() {
            return Turn { pace: self.clone(), number: None, waited: 0, _place: None };
        }
        let (begun, mut waits) = (clock.now(), false);
        let first = if let Ok(first) = self.queue.try_lock() {
            first
        } else {
            waits = true;
            self.say_wait("the requests before it");
            self.queue.lock().await
        };
        let place = self.place(&mut waits).await;
        let number = loop {
            let now = clock.now();
            let Some(due) = self.sent().due(self.throttle, tokens, now) else { break self.note(now, tokens) };
            let pause_ms = (due - now) / 1_000_000;
            tracing::info!(
                entry = self.entry.as_str(),
                pause_ms,
                "waits for its turn: the limit of a minute"
            );
            waits = true;
            clock.sleep_until(due).await;
        };
        drop(first);
        // Where nothing was waited for, the time between is that of the clock itself.
        let waited = if waits { clock.now().saturating_sub(begun).max(0) } else { 0 };
        Turn { pace: self.clone(), number, waited, _place: place }
    }

    /// A place among the requests at the same time. Sets `waits` if it is waited for.
    async fn place(&self, waits: &mut bool) -> Option<OwnedSemaphorePermit> {
        let places = self.places.as_ref()?;
        if let Ok(place) = places.clone().try_acquire_owned() {
            return Some(place);
        }
        *waits = true;
        self.say_wait("at_once");
        // The semaphore is never closed; were it, the request would be sent without its place.
        places.clone().acquire_owned().await.ok()
    }

    /// Remembers a request that is sent now.
    fn note(&self, now: Time, tokens: u64) -> Option<u64> {
        let Throttle { requests_per_minute, tokens_per_minute, at_once: _ } = self.throttle;
        (requests_per_minute.is_some() || tokens_per_minute.is_some()).then(|| self.sent().push(now, tokens))
    }

    fn say_wait(&self, what: &str) {
        tracing::info!(entry = self.entry.as_str(), "waits for its turn: {what}");
    }

    fn sent(&self) -> MutexGuard<'_, SentRequests> {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SentRequests {
    /// The time at which a further request may be sent; none for now.
    fn due(&mut self, throttle: Throttle, tokens: u64, now: Time) -> Option<Time> {
        while self.requests.front().is_some_and(|first| first.at.saturating_add(MINUTE_NS) <= now) {
            self.requests.pop_front();
        }
        let count = self.requests.len();
        let by_requests = throttle.requests_per_minute.filter(|most| count >= *most);
        let by_requests = by_requests.and_then(|most| self.requests.get(count - most));
        let by_tokens = throttle.tokens_per_minute.and_then(|most| self.before_room(most, tokens));
        let last = by_requests.into_iter().chain(by_tokens).map(|sent| sent.at).max()?;
        Some(last.saturating_add(MINUTE_NS))
    }

    /// The last request that has to be a minute ago before there is room for so many tokens. A request that is larger than
    /// the limit goes alone.
    fn before_room(&self, most: u64, tokens: u64) -> Option<&SentRequest> {
        let mut sum = self.requests.iter().fold(tokens, |sum, sent| sum.saturating_add(sent.tokens));
        let mut last = None;
        for sent in &self.requests {
            if sum <= most {
                break;
            }
            sum = sum.saturating_sub(sent.tokens);
            last = Some(sent);
        }
        last
    }

    fn push(&mut self, at: Time, tokens: u64) -> u64 {
        let number = self.next;
        self.next += 1;
        self.requests.push_back(SentRequest { number, at, tokens });
        number
    }
}

impl Turn {
    /// Counts the tokens of the request, in place of the estimate.
    pub(super) fn count(&self, tokens: u64) {
        let Some(number) = self.number else { return };
        if let Some(sent) = self.pace.sent().requests.iter_mut().find(|sent| sent.number == number) {
            sent.tokens = tokens;
        }
    }
}
