//! Models over HTTP.

mod attempt_error;
#[cfg(feature = "models")]
mod http;
mod model_call;
mod opening;
mod span;
mod transport;
mod wait;

use std::sync::Arc;

use futures::FutureExt;
use futures::future::ready;
use rustc_hash::FxHashMap;

use self::model_call::ModelCall;
use crate::config::{ANY_ROLE, ModelConfig};
use crate::machine::{Call, Outcome, Request};
use crate::port::{BoxFuture, Clock, Listener, ModelClient, RunView};
use crate::program::error::ErrorKind;
use crate::value::Str;
use crate::wire::{ChatMessage, ModelQuestion, Secret};

#[cfg(feature = "models")]
pub use http::Http;
pub use transport::{ConnectionError, HttpReply, HttpRequest, ReplyBody, Transport};

/// A model that serves a role, with its key.
#[derive(Debug)]
struct Role {
    config: ModelConfig,
    key: Option<Secret>,
}

/// Real models: each role is served by what the operator's configuration binds it to.
///
/// Replies are streamed. One that is cut off, too long, or stopped for another reason than that the model was done, is a
/// failure and never an answer. Where nothing of a reply was seen, a call is tried again, at most
/// [`ModelConfig::attempts`] times; every later failure is the graph's affair.
#[derive(Clone)]
pub struct Live {
    roles: FxHashMap<Str, Arc<Role>>,
    transport: Arc<dyn Transport>,
    clock: Arc<dyn Clock>,
    listener: Option<Arc<dyn Listener>>,
}

impl Live {
    /// No model yet.
    #[must_use]
    pub fn new(transport: Arc<dyn Transport>, clock: Arc<dyn Clock>) -> Self {
        Self { roles: FxHashMap::default(), transport, clock, listener: None }
    }

    /// Binds a role, with the key that its provider wants.
    #[must_use]
    pub fn bind(mut self, config: ModelConfig, key: Option<Secret>) -> Self {
        self.roles.insert(config.role.clone(), Arc::new(Role { config, key }));
        self
    }

    /// Sets who sees the text of answers as it arrives, where the graph allows it.
    #[must_use]
    pub fn listener(mut self, listener: Arc<dyn Listener>) -> Self {
        self.listener = Some(listener);
        self
    }

    fn role(&self, role: &str) -> Option<&Arc<Role>> {
        self.roles.get(role).or_else(|| self.roles.get(ANY_ROLE))
    }
}

impl ModelClient for Live {
    fn ask(&self, call: &Call, view: RunView<'_>) -> BoxFuture<'static, Outcome> {
        let Request::Model { role: name, .. } = &call.request else {
            return ready(Outcome::never_began(ErrorKind::Internal, "a model was asked for a tool")).boxed();
        };
        let Some(role) = self.role(name) else {
            let why = ecow::eco_format!("no model serves the role `{name}`");
            return ready(Outcome::never_began(ErrorKind::Denied, why)).boxed();
        };
        let Some(question) = ModelQuestion::of(&call.request, &role.config.target, &view.snapshot.tools)
        else {
            return ready(Outcome::never_began(ErrorKind::Internal, "a model was asked for a tool")).boxed();
        };
        if let Request::Model { messages: Some(messages), .. } = &call.request
            && let Some(kind) = ChatMessage::media(messages)
        {
            let why = ecow::eco_format!("a message holds a part of the kind `{kind}`; only texts are sent");
            return ready(Outcome::never_began(ErrorKind::Denied, why)).boxed();
        }
        let asking = ModelCall {
            call: call.clone(),
            role: role.clone(),
            question,
            transport: self.transport.clone(),
            clock: self.clock.clone(),
            listener: self.listener.clone(),
        };
        asking.answer().boxed()
    }

    fn model(&self, role: &str) -> Str {
        self.role(role).map_or_else(|| role.into(), |role| role.config.target.model.clone())
    }

    fn provider(&self, role: &str) -> Option<Str> {
        self.role(role).map(|role| role.config.target.provider.telemetry().into())
    }
}
