//! Models over HTTP.

mod attempt_error;
mod attempts;
mod fallback;
mod files;
#[cfg(feature = "models")]
mod http;
mod model_call;
mod opening;
mod pace;
mod span;
mod test_request;
mod transport;
mod wait;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use futures::FutureExt;
use futures::future::ready;
use rustc_hash::FxHashMap;

use self::fallback::FallbackCall;
use self::model_call::ModelCall;
use self::pace::Pace;
use crate::config::{ANY_ROLE, FallbackConfig, ModelConfig};
use crate::machine::{Call, Outcome, Request, run_id};
use crate::port::{BoxFuture, CallLedger, Clock, Listener, MessageFiles, ModelClient, RunView};
use crate::program::error::ErrorKind;
use crate::value::{List, Str};
use crate::wire::{ModelQuestion, Secret};

#[cfg(feature = "models")]
pub use http::Http;
pub use pace::Paces;
pub use transport::{ConnectionError, HttpReply, HttpRequest, ReplyBody, Transport};

/// An entry of `[models]` that is a model, with its key and its pace.
#[derive(Debug)]
struct ModelEntry {
    config: ModelConfig,
    key: Option<Secret>,
    pace: Arc<Pace>,
}

/// The entries that serve a role, in the order in which they are tried.
struct Serving<'a> {
    entries: Vec<&'a Arc<ModelEntry>>,
    list: Option<&'a Arc<FallbackConfig>>,
}

/// Real models: each role is served by what the operator's configuration binds it to.
///
/// Replies are streamed. One that is cut off, too long, or stopped for another reason than that the model was done, is a
/// failure and never an answer. Where nothing of a reply was seen, a call is tried again, at most
/// [`ModelConfig::attempts`] times; after that the next entry of a [list](FallbackConfig) is asked, if somebody saw nothing of
/// a reply. Every later failure is the graph's affair.
#[derive(Clone)]
pub struct Live {
    entries: FxHashMap<Str, Arc<ModelEntry>>,
    lists: FxHashMap<Str, Arc<FallbackConfig>>,
    paces: Paces,
    transport: Arc<dyn Transport>,
    clock: Arc<dyn Clock>,
    listener: Option<Arc<dyn Listener>>,
    ledger: Option<Arc<dyn CallLedger>>,
    files: FxHashMap<Str, Arc<dyn MessageFiles>>,
}

impl Live {
    /// No model yet.
    #[must_use]
    pub fn new(transport: Arc<dyn Transport>, clock: Arc<dyn Clock>) -> Self {
        Self {
            entries: FxHashMap::default(),
            lists: FxHashMap::default(),
            paces: Paces::default(),
            transport,
            clock,
            listener: None,
            ledger: None,
            files: FxHashMap::default(),
        }
    }

    /// Sets the paces that this client keeps together with others. Must be called before [`Live::bind`].
    #[must_use]
    pub fn paces(mut self, paces: Paces) -> Self {
        self.paces = paces;
        self
    }

    /// Binds a role, with the key that its provider wants.
    #[must_use]
    pub fn bind(mut self, config: ModelConfig, key: Option<Secret>) -> Self {
        let pace = self.paces.of(&config);
        self.entries.insert(config.role.clone(), Arc::new(ModelEntry { config, key, pace }));
        self
    }

    /// Lets entries serve a role one after another. A name that is bound to no model is passed over.
    #[must_use]
    pub fn fallback(mut self, list: FallbackConfig) -> Self {
        self.lists.insert(list.role.clone(), Arc::new(list));
        self
    }

    /// Sets who sees the text of answers as it arrives, where the graph allows it.
    #[must_use]
    pub fn listener(mut self, listener: Arc<dyn Listener>) -> Self {
        self.listener = Some(listener);
        self
    }

    /// Sets the ledger that holds attempts against the limits of their entries. The driver has to be given the same.
    #[must_use]
    pub fn ledger(mut self, ledger: Arc<dyn CallLedger>) -> Self {
        self.ledger = Some(ledger);
        self
    }

    /// Sets the files that messages may carry to an entry. Without them none is sent.
    #[must_use]
    pub fn files(mut self, entry: &str, files: Arc<dyn MessageFiles>) -> Self {
        self.files.insert(entry.into(), files);
        self
    }

    /// The entries that serve a role: at least one.
    fn serving(&self, role: &str) -> Option<Serving<'_>> {
        [role, ANY_ROLE].into_iter().find_map(|role| {
            let list = self.lists.get(role);
            let entries: Vec<_> = match list {
                Some(list) => list.entries.iter().filter_map(|entry| self.entries.get(entry)).collect(),
                None => self.entries.get(role).into_iter().collect(),
            };
            (!entries.is_empty()).then_some(Serving { entries, list })
        })
    }

    /// A call of one entry, in a run.
    fn call(&self, call: &Call, (run, tools): (&Str, &List), entry: &Arc<ModelEntry>) -> Option<ModelCall> {
        Some(ModelCall {
            call: call.clone(),
            run: run.clone(),
            ledger: self.ledger.clone(),
            question: ModelQuestion::of(&call.request, &entry.config.target, tools)?,
            entry: entry.clone(),
            transport: self.transport.clone(),
            clock: self.clock.clone(),
            listener: self.listener.clone(),
            files: self.files.get(&entry.config.role).cloned(),
            sent_files: Vec::new(),
            heard_part: AtomicBool::new(false),
        })
    }
}

impl ModelClient for Live {
    fn ask(&self, call: &Call, view: RunView<'_>) -> BoxFuture<'static, Outcome> {
        let Request::Model { role: name, .. } = &call.request else {
            return ready(Outcome::never_began(ErrorKind::Internal, "a model was asked for a tool")).boxed();
        };
        let Some(serving) = self.serving(name) else {
            let why = ecow::eco_format!("no model serves the role `{name}`");
            return ready(Outcome::never_began(ErrorKind::Denied, why)).boxed();
        };
        let run = run_id(view.snapshot);
        let of = (&run, &view.snapshot.tools);
        let calls = serving.entries.iter().filter_map(|entry| self.call(call, of, entry)).collect();
        FallbackCall { calls, list: serving.list.cloned() }.answer().boxed()
    }

    /// Of a list the first entry's: which one answers is not known before.
    fn model(&self, role: &str) -> Str {
        let serving = self.serving(role);
        serving.map_or_else(|| role.into(), |serving| serving.entries[0].config.target.model.clone())
    }

    /// Nothing of a list: which one answers is not known before, and is reported when it has.
    fn provider(&self, role: &str) -> Option<Str> {
        let serving = self.serving(role).filter(|serving| serving.list.is_none())?;
        Some(serving.entries[0].config.target.provider.telemetry().into())
    }
}
