//! One call of a model, from the request to the outcome.

use std::sync::Arc;

use futures::future::{Either, select};

use super::Role;
use super::attempt_error::{AttemptError, short};
use super::opening::ReplyOpening;
use super::span;
use super::transport::{ConnectionError, HttpReply, HttpRequest, Transport};
use super::wait;
use crate::machine::{Call, Outcome, Request, Usage};
use crate::port::{Clock, Listener};
use crate::program::error::ErrorKind;
use crate::value::{List, Map, Str, Value};
use crate::wire::{Finish, FrameFault, Frames, ModelQuestion, PartialReply};

/// The most of a body that is read where it is no answer, in bytes.
const REFUSAL_BYTES: usize = 64 << 10;

/// One call in progress.
pub(super) struct ModelCall {
    pub(super) call: Call,
    pub(super) role: Arc<Role>,
    pub(super) question: ModelQuestion,
    pub(super) transport: Arc<dyn Transport>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) listener: Option<Arc<dyn Listener>>,
}

impl ModelCall {
    /// The outcome, with what all tries cost.
    pub(super) async fn answer(self) -> Outcome {
        span::asked(&self.role.config.target, &self.question);
        let mut usage = Usage::default();
        let mut tried = 0;
        loop {
            tried += 1;
            let failed_attempt = match self.once().await {
                Ok(reply) => {
                    add(&mut usage, self.usage(&reply));
                    span::answered(&reply);
                    return self.given(reply, usage);
                }
                Err(failed_attempt) => failed_attempt,
            };
            if let Some(reply) = &failed_attempt.reply {
                add(&mut usage, self.usage(reply));
            }
            let pause = failed_attempt.retry_after.unwrap_or_else(|| wait::backoff(tried, &self.call.id.0));
            if !failed_attempt.again || tried >= self.role.config.attempts || pause > wait::MAX_WAIT_NS {
                failed_attempt.reply.as_ref().inspect(|reply| span::answered(reply));
                return failed_attempt.outcome(usage);
            }
            let times = i64::try_from(tried).unwrap_or(i64::MAX);
            tracing::info!(
                error.r#type = failed_attempt.kind.name(),
                tried = times,
                pause_ms = pause / 1_000_000,
                "asks again"
            );
            self.clock.sleep_until(self.clock.now().saturating_add(pause)).await;
        }
    }

    /// Sends the request once.
    async fn once(&self) -> Result<PartialReply, AttemptError> {
        let prepared = self.role.config.target.prepare(self.role.key.as_ref(), &self.question);
        let body = serde_json::to_vec(&prepared.body).map_err(|error| {
            AttemptError::new(ErrorKind::Internal, format!("the request cannot be written: {error}"))
        })?;
        let (url, headers) = (prepared.url, prepared.headers);
        let request = HttpRequest { url, headers, body };
        let head = self.heard(self.transport.post(request)).await?;
        if (200..300).contains(&head.status) { self.read(head).await } else { Err(self.refusal(head).await) }
    }

    /// Something the provider sends, unless it is silent for too long.
    async fn heard<T>(
        &self,
        work: impl Future<Output = Result<T, ConnectionError>> + Send,
    ) -> Result<T, AttemptError> {
        let silence = self.role.config.silence;
        let until = self.clock.now().saturating_add(i64::try_from(silence.as_nanos()).unwrap_or(i64::MAX));
        match select(Box::pin(work), self.clock.sleep_until(until)).await {
            Either::Left((Ok(heard), _)) => Ok(heard),
            Either::Left((Err(ConnectionError(why)), _)) => {
                Err(AttemptError::unavailable(format!("the provider cannot be reached: {why}")))
            }
            Either::Right(_) => {
                let message = format!("the provider sent nothing for {} s", silence.as_secs_f64());
                Err(AttemptError::unavailable(message))
            }
        }
    }

    /// The error of a reply whose status is not one of success.
    async fn refusal(&self, mut head: HttpReply) -> AttemptError {
        let bytes = self.rest(&mut head).await;
        let asked = wait::asked(head.header("retry-after-ms"), head.header("retry-after"), self.clock.now());
        AttemptError::refused(&head, &String::from_utf8_lossy(&bytes), asked)
    }

    /// Reads the rest of a body that is no answer, as much of it as is worth reading.
    async fn rest(&self, head: &mut HttpReply) -> Vec<u8> {
        let mut bytes = Vec::new();
        while bytes.len() < REFUSAL_BYTES
            && let Ok(Some(piece)) = self.heard(head.body.next()).await
        {
            bytes.extend(piece);
        }
        bytes.truncate(REFUSAL_BYTES);
        bytes
    }

    async fn read(&self, mut head: HttpReply) -> Result<PartialReply, AttemptError> {
        let provider = self.role.config.target.provider;
        let mut reply = PartialReply::default();
        let mut frames = Frames::new(provider.framing());
        let mut opening = ReplyOpening::new();
        let (mut bytes, mut open) = (0, true);
        let mut feed = ListenerFeed::new(self);
        while open && !reply.ended {
            let piece = match self.heard(head.body.next()).await {
                Ok(piece) => piece,
                // The last event has arrived; that the connection then breaks changes nothing.
                Err(_) if reply.is_whole() => None,
                Err(failed_attempt) => return Err(feed.end(failed_attempt.after(reply))),
            };
            open = piece.is_some();
            let piece = piece.unwrap_or_default();
            bytes += piece.len();
            if bytes > self.role.config.max_reply {
                let most = self.role.config.max_reply;
                let failed_attempt = AttemptError::new(
                    ErrorKind::InvalidOutput,
                    format!("the reply is longer than {most} bytes"),
                );
                return Err(feed.end(failed_attempt.after(reply)));
            }
            opening.push(&piece);
            for frame in if open { frames.push(&piece) } else { frames.end() } {
                let before = reply.text.len();
                let read = provider.read(&frame.text, &mut reply);
                reply.garbled |= !frame.intact && reply.text.len() > before;
                if let Err(fault) = read {
                    let failed_attempt =
                        self.spoiled(fault, &frame.text, (&mut head, opening), &mut reply).await;
                    return Err(feed.end(failed_attempt.after(reply)));
                }
                opening.end();
            }
            feed.show(&reply.text);
        }
        if let Some(failed_attempt) = opening.failed_attempt(provider, &mut reply) {
            return Err(feed.end(failed_attempt.after(reply)));
        }
        judge(reply, self.question.tools.is_some()).map_err(|failed_attempt| feed.end(failed_attempt))
    }

    /// The error where a frame cannot be taken.
    async fn spoiled(
        &self,
        fault: FrameFault,
        frame: &str,
        (head, mut opening): (&mut HttpReply, ReplyOpening),
        reply: &mut PartialReply,
    ) -> AttemptError {
        let why = match fault {
            FrameFault::Failed(complaint) => return AttemptError::failed(&complaint),
            FrameFault::Garbage(why) => why,
        };
        // A line that was to be a frame may be one of a document.
        if opening.may_be_json() {
            opening.push(&self.rest(head).await);
            if opening.is_json()
                && let Some(failed_attempt) = opening.failed_attempt(self.role.config.target.provider, reply)
            {
                return failed_attempt;
            }
        }
        AttemptError::unavailable(format!("the provider sent no valid reply ({why}): {}", short(frame)))
    }

    /// The outcome of a whole reply: its text, or its text with the calls where tools were offered.
    fn given(&self, reply: PartialReply, usage: Usage) -> Outcome {
        if self.question.tools.is_none() {
            return Outcome::Answer { value: Value::Str(reply.text.into()), usage };
        }
        // That they can be read was judged before.
        let calls = reply.calls.values(|name| self.question.own_name(name)).unwrap_or_default();
        let mut value = Map::new();
        value.set("text", reply.text);
        value.set("tool_calls", calls.into_iter().collect::<List>());
        value.set("finish", if reply.finish == Some(Finish::Length) { "length" } else { "stop" });
        if !reply.reasoning.is_empty() {
            value.set("reasoning", reply.reasoning);
        }
        Outcome::Answer { value: Value::Map(value), usage }
    }

    /// The cost of a reply: what the provider says, but no less than our own estimate.
    fn usage(&self, reply: &PartialReply) -> Usage {
        let ModelQuestion { system, messages, .. } = &self.question;
        let messages: u64 = messages.iter().map(|message| estimate(message.len())).sum();
        let least = estimate(system.as_ref().map_or(0, String::len)) + messages;
        let input_tokens = reply.input_tokens.unwrap_or_default().max(least);
        let written = estimate(reply.text.len() + reply.calls.len());
        let output_tokens = reply.output_tokens.unwrap_or_default().max(written);
        Usage { input_tokens, output_tokens, cost: self.role.config.price.of(input_tokens, output_tokens) }
    }
}

/// Gives a reply that has come to its end, if it is an answer. `calls`: it may hold calls of tools.
fn judge(reply: PartialReply, calls: bool) -> Result<PartialReply, AttemptError> {
    let failed_attempt = match reply.finish {
        None => AttemptError::unavailable("the reply was cut off"),
        Some(Finish::Length) if calls && !reply.calls.is_empty() => AttemptError::new(
            ErrorKind::InvalidOutput,
            "the reply was cut off at the limit of tokens, in the middle of its calls",
        ),
        Some(Finish::Length) if calls && reply.refusal.is_none() && !reply.garbled => return Ok(reply),
        Some(Finish::Length) => {
            AttemptError::new(ErrorKind::InvalidOutput, "the reply was cut off at the limit of tokens")
        }
        Some(Finish::Refused) => AttemptError::new(ErrorKind::InvalidOutput, "the model refused to answer"),
        Some(_) if reply.refusal.is_some() => {
            AttemptError::new(ErrorKind::InvalidOutput, "the model refused to answer")
        }
        Some(_) if reply.calls_others || (!calls && !reply.calls.is_empty()) => AttemptError::new(
            ErrorKind::InvalidOutput,
            if calls {
                "the model called a tool that the provider runs; none was offered"
            } else {
                "the model called a tool of its own; it was offered none"
            },
        ),
        Some(Finish::Other) => {
            let why = reply.why.as_deref().map(short).unwrap_or_default();
            AttemptError::new(
                ErrorKind::InvalidOutput,
                format!("the model stopped before it was done: `{why}`"),
            )
        }
        // Only now, since a reply that is reported as a whole costs what it costs.
        Some(Finish::Stop) if reply.garbled => AttemptError::new(
            ErrorKind::InvalidOutput,
            "the reply is not UTF-8: its invalid bytes are shown as \u{fffd} in `raw`",
        ),
        Some(Finish::Stop) => match reply.calls.values(str::to_owned) {
            Ok(_) => return Ok(reply),
            Err(why) => AttemptError::new(ErrorKind::InvalidOutput, why),
        },
    };
    Err(failed_attempt.after(reply))
}

/// A quarter of the bytes, as `tokens(x)` has it; nothing for no text.
fn estimate(bytes: usize) -> u64 {
    if bytes == 0 { 0 } else { (bytes as u64 / 4).max(1) }
}

fn add(sum: &mut Usage, more: Usage) {
    sum.input_tokens = sum.input_tokens.saturating_add(more.input_tokens);
    sum.output_tokens = sum.output_tokens.saturating_add(more.output_tokens);
    sum.cost = sum.cost.saturating_add(more.cost);
}

/// Shows a listener what arrives.
struct ListenerFeed<'a> {
    asking: &'a ModelCall,
    stream: Option<&'a Str>,
    /// So many bytes were looked at.
    seen: usize,
    any: bool,
}

impl<'a> ListenerFeed<'a> {
    fn new(asking: &'a ModelCall) -> Self {
        let stream = match &asking.call.request {
            Request::Model { stream, .. } => stream.as_ref(),
            Request::Tool { .. } => None,
        };
        Self { asking, stream, seen: 0, any: false }
    }

    /// Shows what is new of a text.
    fn show(&mut self, text: &str) {
        let (Some(_), Some(listener)) = (self.stream, &self.asking.listener) else { return };
        let Some(piece) = text.get(self.seen..).filter(|piece| !piece.is_empty()) else { return };
        self.seen = text.len();
        self.any = true;
        listener.heard(&self.asking.call, piece);
    }

    /// Says that what was shown is no answer.
    fn end(&self, failed_attempt: AttemptError) -> AttemptError {
        if let Some(listener) = self.asking.listener.as_ref().filter(|_| self.any) {
            listener.dropped(&self.asking.call);
        }
        failed_attempt
    }
}
