//! Services as Restate sees them: their names, their handlers, and how they are called from each other.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use restate_sdk::context::RequestTarget;
use restate_sdk::discovery::Service as Description;
use restate_sdk::endpoint::{ContextInternal, Error};
use restate_sdk::errors::{HandlerError, HandlerResult, TerminalError};
use restate_sdk::prelude::{Json, Request};
use restate_sdk::serde::Deserialize as _;
use restate_sdk::service::{Service, ServiceDefinition, macro_support};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value as Json0, json};

use super::faults::Faults;

/// The virtual objects that hold runs; the key is the id of the run.
pub(super) const RUN: &str = "loopwright.run";

/// The virtual object that lists runs; its key is [`ALL`].
pub(super) const LIST: &str = "loopwright.runs";

/// The key of the one list of runs.
pub(super) const ALL: &str = "all";

/// The length to which a digest is cut in the name of a service.
const DIGEST_CHARS: usize = 16;

/// The longest input of a call, in bytes: as much as a Restate server passes on.
pub(super) const MAX_INPUT_BYTES: usize = 32 << 20;

/// The status of HTTP with which Restate ends what a person cancelled there.
pub(super) const CANCELLED: u16 = 409;

/// A day, in milliseconds.
const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// The name of the workflow that drives the runs of a program.
#[must_use]
pub fn segments_name(graph: &str, digest: &str) -> String {
    format!("loopwright.{graph}.{}", digest.get(..DIGEST_CHARS).unwrap_or(digest))
}

/// The key of a segment.
pub(super) fn segment_key(run: &str, number: u64) -> String {
    format!("{run}/{number}")
}

/// The run and the number in the key of a segment.
pub(super) fn split_key(key: &str) -> Option<(&str, u64)> {
    let (run, number) = key.rsplit_once('/')?;
    Some((run, number.parse().ok()?))
}

/// A handler of a service: what it is called by, and whether it may write.
pub(super) struct HandlerKind {
    pub(super) name: &'static str,
    pub(super) kind: &'static str,
    /// True if only other services call it.
    pub(super) private: bool,
}

impl HandlerKind {
    pub(super) const fn exclusive(name: &'static str) -> Self {
        Self { name, kind: "EXCLUSIVE", private: false }
    }

    pub(super) const fn shared(name: &'static str) -> Self {
        Self { name, kind: "SHARED", private: false }
    }

    pub(super) const fn workflow(name: &'static str) -> Self {
        Self { name, kind: "WORKFLOW", private: false }
    }

    pub(super) const fn private(self) -> Self {
        Self { private: true, ..self }
    }
}

/// Whatever answers the calls of a service.
pub(super) trait Handlers: Send + Sync + 'static {
    /// Answers a call of one of its handlers; false if there is no such handler.
    fn handle<'a>(&'a self, handler: &'a str, ctx: &'a ContextInternal) -> BoxFuture<'a, bool>;
}

struct Dispatcher<H>(Arc<H>);

impl<H: Handlers> Service for Dispatcher<H> {
    type Future = macro_support::ServiceBoxFuture;

    fn handle(&self, ctx: ContextInternal) -> Self::Future {
        let handlers = Arc::clone(&self.0);
        async move {
            if handlers.handle(ctx.handler_name(), &ctx).await {
                ctx.end();
                return Ok(());
            }
            Err(Error::unknown_handler(ctx.service_name(), ctx.handler_name()))
        }
        .boxed()
    }
}

/// A service under a name, ready to be served. `kind` is that of its keys.
pub(super) fn definition(
    name: &str,
    kind: &str,
    kinds: &[HandlerKind],
    handlers: Arc<impl Handlers>,
) -> Option<ServiceDefinition> {
    let described = kinds.iter().map(|handler| {
        let mut described =
            json!({"name": handler.name, "ty": handler.kind, "ingressPrivate": handler.private});
        if handler.kind == "WORKFLOW" {
            described["workflowCompletionRetention"] = DAY_MS.into();
        }
        described
    });
    let description = json!({
        "name": name,
        "ty": kind,
        "handlers": described.collect::<Vec<Json0>>(),
        // Loading all of a long run with each call would cost the more the longer it is.
        "enableLazyState": true,
        "journalRetention": if kind == "WORKFLOW" { DAY_MS } else { 0 },
        // A worker may be away for long, and nothing is given up for that.
        "retryPolicyInitialInterval": 50,
        "retryPolicyExponentiationFactor": 2.0,
        "retryPolicyMaxInterval": 5000,
        "retryPolicyMaxAttempts": u32::MAX,
    });
    let description: Description = serde_json::from_value(description).ok()?;
    Some(macro_support::service_definition(Dispatcher(handlers), description))
}

/// Reads the input of a call, and gives it with the key that is called.
///
/// # Errors
/// It does not fit.
pub(super) async fn input<T: DeserializeOwned>(ctx: &ContextInternal) -> Result<(T, String), HandlerError> {
    let (raw, key) = raw(ctx).await;
    if raw.len() > MAX_INPUT_BYTES {
        return Err(refused(413, &format!("an input of more than {MAX_INPUT_BYTES} bytes")));
    }
    let Json(input) =
        Json::<T>::deserialize(&mut raw.into()).map_err(|error| refused(400, &error.to_string()))?;
    Ok((input, key))
}

/// The same for a message of another service of ours, to which nobody listens: one that this worker cannot read is repeated until
/// one comes that can.
///
/// # Errors
/// It cannot be read.
pub(super) async fn message<T: DeserializeOwned>(
    ctx: &ContextInternal,
    faults: &Faults,
) -> Result<(T, String), HandlerError> {
    let (raw, key) = raw(ctx).await;
    let input = Json::<T>::deserialize(&mut raw.into());
    let Json(input) = input.map_err(|error| {
        let what = format!("{}/{key}/{}", ctx.service_name(), ctx.handler_name());
        let why = format!("a message that this worker cannot read came to {what}: {error}");
        faults.report(&what, &why);
        HandlerError::from(std::io::Error::other(why))
    })?;
    Ok((input, key))
}

async fn raw(ctx: &ContextInternal) -> (Vec<u8>, String) {
    let (raw, metadata) = ctx.input::<Vec<u8>>().await;
    (if raw.is_empty() { b"null".to_vec() } else { raw }, metadata.key)
}

/// A number that no other attempt has.
pub(super) fn fresh_number() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(std::process::id())
}

/// Answers a call.
pub(super) fn reply<T: Serialize + 'static>(ctx: &ContextInternal, result: HandlerResult<T>) -> bool {
    ctx.handle_handler_result(result.map(Json));
    true
}

/// A refusal that is no use to repeat, with a status of HTTP.
pub(super) fn refused(status: u16, why: &str) -> HandlerError {
    TerminalError::new_with_code(status, why).into()
}

/// A call of a handler of a run's object.
pub(super) fn of_run<'a, T>(
    ctx: &'a ContextInternal,
    run: &str,
    handler: &str,
    input: T,
) -> Request<'a, Json<T>, Json<Json0>> {
    ctx.request(RequestTarget::object(RUN, run, handler), Json(input))
}

/// A call of a handler of the list of runs.
pub(super) fn of_list<'a, T>(ctx: &'a ContextInternal, handler: &str, input: T) -> Request<'a, Json<T>, ()> {
    ctx.request(RequestTarget::object(LIST, ALL, handler), Json(input))
}

/// A call of a handler of a segment.
pub(super) fn of_segment<'a, T>(
    ctx: &'a ContextInternal,
    segments: &str,
    (run, number): (&str, u64),
    handler: &str,
    input: T,
) -> Request<'a, Json<T>, ()> {
    ctx.request(RequestTarget::workflow(segments, segment_key(run, number), handler), Json(input))
}
