//! Entries at providers that do what a test wants, and a loop that asks them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::FutureExt;
use loopwright::config::Config;
use loopwright::drive::{Driver, SystemClock};
use loopwright::llm::{ConnectionError, HttpReply, HttpRequest, Live, Paces, ReplyBody, Secret, Transport};
use loopwright::machine::{Call, EventKind, Outcome};
use loopwright::port::{BoxFuture, Listener, Store};
use loopwright::source::FileId;
use loopwright::store::Memory;
use serde_json::json;
use tokio::time::sleep;

use crate::played::compiled;

/// What a provider does with a request.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Step {
    /// An answer, for 1,000 tokens read and 100 written.
    Says(&'static str),
    /// The same after so many seconds.
    SaysAfter(u64, &'static str),
    /// A status with an error of this type.
    Status(u16, &'static str),
    /// A status that asks to wait so many seconds.
    Wait(u16, &'static str),
    /// A part of an answer; then the connection breaks.
    Cut(&'static str),
    /// An answer that ends for this reason.
    Ends(&'static str, &'static str),
    /// These bytes as a whole body.
    Body(&'static str),
    /// Nothing more comes.
    Silent,
    /// The connection fails.
    Down,
}

/// The model that is named in a loop's configuration: `[models.NAME]` at `http://NAME.test`, with a price of its own.
pub(crate) fn entry(name: &str, dollars: u32, more: &str) -> String {
    format!(
        "[models.{name}]\nprovider = \"openai\"\nmodel = \"{name}-1\"\nbase_url = \"http://{name}.test/v1\"\n\
         key = {{env = \"KEY\"}}\nprice = {{input = \"${dollars}\", output = \"${}\"}}\n{more}\n",
        2 * dollars
    )
}

/// Providers in memory.
#[derive(Default)]
pub(crate) struct Wire {
    plans: Mutex<BTreeMap<String, Vec<Step>>>,
    sent: Mutex<Vec<String>>,
}

impl Wire {
    /// What each entry does with its requests, in order; the last for all further ones.
    pub(crate) fn new(plans: &[(&str, &[Step])]) -> Arc<Self> {
        let plans = plans.iter().map(|(name, steps)| ((*name).to_owned(), steps.to_vec())).collect();
        Arc::new(Self { plans: Mutex::new(plans), sent: Mutex::default() })
    }

    /// The entries that were asked so far, in order.
    pub(crate) fn sent(&self) -> Vec<String> {
        self.sent.lock().expect("nobody panicked").clone()
    }

    fn next(&self, request: &HttpRequest) -> Step {
        let host = request.url.strip_prefix("http://").and_then(|rest| rest.split_once(".test"));
        let name = host.expect("a host of these tests").0.to_owned();
        let key = request.headers.iter().find(|(header, _)| *header == "authorization");
        let key = key.expect("a key").1.reveal();
        assert_eq!(key, format!("Bearer key-of-{name}"), "a key goes to its own entry");
        self.sent.lock().expect("nobody panicked").push(name.clone());
        let mut plans = self.plans.lock().expect("nobody panicked");
        let steps = plans.get_mut(&name).unwrap_or_else(|| panic!("{name} is not to be asked"));
        if steps.len() > 1 { steps.remove(0) } else { steps[0] }
    }
}

impl Transport for Wire {
    fn post(&self, request: HttpRequest) -> BoxFuture<'static, Result<HttpReply, ConnectionError>> {
        let step = self.next(&request);
        async move {
            if let Step::SaysAfter(seconds, _) = step {
                sleep(Duration::from_secs(seconds)).await;
            }
            reply(step)
        }
        .boxed()
    }
}

fn reply(step: Step) -> Result<HttpReply, ConnectionError> {
    let (mut status, mut headers, mut end) = (200, Vec::new(), End::Whole);
    let text = match step {
        Step::Says(text) | Step::SaysAfter(_, text) => stream(text, "stop"),
        Step::Ends(text, why) => stream(text, why),
        Step::Status(code, kind) => {
            status = code;
            json!({"error": {"message": "it said so", "type": kind}}).to_string()
        }
        Step::Wait(code, seconds) => {
            status = code;
            headers.push(("retry-after".to_owned(), seconds.to_owned()));
            json!({"error": {"message": "too many", "type": "rate_limit_exceeded"}}).to_string()
        }
        Step::Cut(text) => {
            end = End::Broken;
            frame(&json!({"choices": [{"delta": {"content": text}}]}))
        }
        Step::Body(text) => text.to_owned(),
        Step::Silent => {
            end = End::Silent;
            String::new()
        }
        Step::Down => return Err(ConnectionError("nobody is there".to_owned())),
    };
    Ok(HttpReply { status, headers, body: Box::new(Body { text: Some(text.into_bytes()), end }) })
}

fn frame(json: &serde_json::Value) -> String {
    format!("data: {json}\n\n")
}

fn stream(text: &str, why: &str) -> String {
    let usage = json!({"choices": [], "usage": {"prompt_tokens": 1000, "completion_tokens": 100}});
    let choice = json!({"choices": [{"delta": {"content": text}, "finish_reason": why}]});
    format!("{}{}data: [DONE]\n\n", frame(&choice), frame(&usage))
}

#[derive(Clone, Copy)]
enum End {
    Whole,
    Broken,
    Silent,
}

struct Body {
    text: Option<Vec<u8>>,
    end: End,
}

impl ReplyBody for Body {
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Vec<u8>>, ConnectionError>> {
        async move {
            match (self.text.take().filter(|text| !text.is_empty()), self.end) {
                (Some(text), _) => Ok(Some(text)),
                (None, End::Whole) => Ok(None),
                (None, End::Broken) => Err(ConnectionError("the connection was reset".to_owned())),
                (None, End::Silent) => std::future::pending().await,
            }
        }
        .boxed()
    }
}

/// Hears what streams.
#[derive(Default)]
pub(crate) struct Ears(Mutex<String>);

impl Ears {
    pub(crate) fn heard(&self) -> String {
        self.0.lock().expect("nobody panicked").clone()
    }
}

impl Listener for Ears {
    fn heard(&self, _: &Call, piece: &str) {
        self.0.lock().expect("nobody panicked").push_str(piece);
    }

    fn dropped(&self, _: &Call) {
        self.0.lock().expect("nobody panicked").push('!');
    }
}

/// The client of a configuration, at these providers.
pub(crate) fn live(config: &str, wire: &Arc<Wire>, ears: &Arc<Ears>, paces: &Paces) -> Live {
    live_at(config, wire, ears, paces, &SystemClock::new())
}

/// The same by a clock that others go by, too.
pub(crate) fn live_at(
    config: &str,
    wire: &Arc<Wire>,
    ears: &Arc<Ears>,
    paces: &Paces,
    clock: &SystemClock,
) -> Live {
    let config = Config::read(config, FileId(0)).unwrap_or_else(|faults| panic!("{faults:?}"));
    let live = Live::new(wire.clone(), Arc::new(clock.clone())).paces(paces.clone());
    let live = config.models.into_iter().fold(live, |live, model| {
        let key = format!("key-of-{}", model.role);
        live.bind(model, Some(Secret::new(key)))
    });
    config.fallbacks.into_iter().fold(live, Live::fallback).listener(ears.clone())
}

/// A driver of a graph whose state is built again at each step, and its store.
pub(crate) fn driver(graph: &str, live: Live) -> (Driver, Arc<Memory>) {
    let store = Arc::new(Memory::new());
    let driver = Driver::new(compiled(&[("graph.yaml", graph)])).model(Arc::new(live));
    (driver.store(store.clone()).rebuilding(true), store)
}

/// The attempts of each call that came back, as they are stored: `fast:unavailable fast:unavailable strong`.
pub(crate) async fn attempts(store: &Memory, run: &str) -> String {
    let events = store.events(run).await.expect("the journal can be read");
    let mut text = String::new();
    for event in events {
        if let EventKind::Resolved { outcome, .. } | EventKind::Late { outcome, .. } = &event.kind {
            let each = outcome.attempts().iter().map(|attempt| match &attempt.error {
                None => attempt.entry.to_string(),
                Some(fault) => format!("{}:{}", attempt.entry, fault.kind),
            });
            let separator = if text.is_empty() { "" } else { " | " };
            let _ = write!(text, "{separator}{}", each.collect::<Vec<_>>().join(" "));
        }
    }
    text
}

/// The outcomes of all calls that came back.
pub(crate) async fn outcomes(store: &Memory, run: &str) -> Vec<Outcome> {
    let events = store.events(run).await.expect("the journal can be read");
    let outcome = |kind: EventKind| match kind {
        EventKind::Resolved { outcome, .. } | EventKind::Late { outcome, .. } => Some(*outcome),
        _ => None,
    };
    events.into_iter().filter_map(|event| outcome(event.kind)).collect()
}
