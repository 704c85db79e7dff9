//! One call of a model, from the request to the outcome.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::future::{Either, select};

use super::ModelEntry;
use super::attempt_error::{AttemptError, short};
use super::attempts::Attempts;
use super::opening::ReplyOpening;
use super::transport::{ConnectionError, HttpReply, HttpRequest, Transport};
use super::wait;
use crate::machine::{AttemptFault, Call, ModelAttempt, Request, SentFile, Time, Usage};
use crate::port::{CallLedger, Clock, LimitRefusal, Listener, MessageFiles};
use crate::program::error::ErrorKind;
use crate::value::{List, Map, Str, Value};
use crate::wire::{Finish, FrameFault, Frames, ModelQuestion, PartialReply, TokenCounts};

/// The most of a body that is read where it is no answer, in bytes.
const REFUSAL_BYTES: usize = 64 << 10;

/// One call in progress, as one entry answers it.
pub(super) struct ModelCall {
    pub(super) call: Call,
    /// The id of the run.
    pub(super) run: Str,
    pub(super) ledger: Option<Arc<dyn CallLedger>>,
    pub(super) entry: Arc<ModelEntry>,
    pub(super) question: ModelQuestion,
    pub(super) transport: Arc<dyn Transport>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) listener: Option<Arc<dyn Listener>>,
    /// The files that its messages may carry.
    pub(super) files: Option<Arc<dyn MessageFiles>>,
    /// The files that they do carry, once they were read.
    pub(super) sent_files: Vec<SentFile>,
    /// True if the listener heard a part of a reply.
    pub(super) heard_part: AtomicBool,
}

impl ModelCall {
    /// Returns true if somebody saw a part of a reply.
    pub(super) fn was_heard(&self) -> bool {
        self.heard_part.load(Ordering::Relaxed)
    }

    /// The reply of the entry, after as many attempts as it may have. All of them are added to `attempts`.
    pub(super) async fn answer(&self, attempts: &mut Attempts) -> Result<PartialReply, AttemptError> {
        let mut tried = 0;
        loop {
            tried += 1;
            let answered = self.attempt(attempts).await;
            let Err(error) = &answered else { return answered };
            let pause = error.retry_after.unwrap_or_else(|| wait::backoff(tried, &self.call.id.0));
            if !error.again || tried >= self.entry.config.attempts || pause > wait::MAX_WAIT_NS {
                return answered;
            }
            let times = i64::try_from(tried).unwrap_or(i64::MAX);
            tracing::info!(
                error.r#type = error.kind.name(),
                entry = self.entry.config.role.as_str(),
                tried = times,
                pause_ms = pause / 1_000_000,
                "asks again"
            );
            self.clock.sleep_until(self.clock.now().saturating_add(pause)).await;
        }
    }

    /// One attempt, when it is its turn.
    async fn attempt(&self, attempts: &mut Attempts) -> Result<PartialReply, AttemptError> {
        let config = &self.entry.config;
        self.admit(attempts)?;
        let estimate = self.least_input().saturating_add(config.target.max_tokens.map_or(0, u64::from));
        let turn = self.entry.pace.turn(estimate, &*self.clock).await;
        let at = self.clock.now();
        let answered = self.once().await;
        let reply = match &answered {
            Ok(reply) => Some(reply),
            Err(error) => error.reply.as_deref(),
        };
        let usage = reply.map(|reply| self.usage(reply)).unwrap_or_default();
        turn.count(usage.input_tokens.saturating_add(usage.output_tokens));
        if let Some(ledger) = &self.ledger {
            ledger.settle_model(&self.run, &self.call.id, usage.cost);
        }
        let error = answered.as_ref().err().map(AttemptError::fault);
        attempts.push(self.recorded(at, turn.waited, error, usage));
        answered
    }

    /// Refuses the attempt if a limit of the run is reached. That is recorded, too.
    fn admit(&self, attempts: &mut Attempts) -> Result<(), AttemptError> {
        let Some(ledger) = &self.ledger else { return Ok(()) };
        let now = self.clock.now();
        let admitted = ledger.admit_model(&self.run, &self.call.id, &self.entry.config.role, now);
        admitted.map_err(|LimitRefusal { kind, message, retry_after }| {
            let error = AttemptError { retry_after, ..AttemptError::new(kind, message) };
            self.refuse(&error, attempts);
            error
        })
    }

    fn recorded(&self, at: Time, waited: i64, error: Option<AttemptFault>, usage: Usage) -> ModelAttempt {
        let config = &self.entry.config;
        ModelAttempt {
            entry: config.role.clone(),
            model: config.target.model.clone(),
            at,
            waited,
            error,
            usage,
            files: self.sent_files.clone(),
        }
    }

    /// Refuses the call before anything is sent.
    pub(super) fn refuse(&self, error: &AttemptError, attempts: &mut Attempts) {
        let fault = AttemptFault { refused: true, ..error.fault() };
        let refused = self.recorded(self.clock.now(), 0, Some(fault), Usage::default());
        attempts.push(ModelAttempt { files: Vec::new(), ..refused });
    }

    /// Sends the request once.
    pub(super) async fn once(&self) -> Result<PartialReply, AttemptError> {
        let prepared = self.entry.config.target.prepare(self.entry.key.as_ref(), &self.question);
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
        let silence = self.entry.config.silence;
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
        let provider = self.entry.config.target.provider;
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
            if bytes > self.entry.config.max_reply {
                let most = self.entry.config.max_reply;
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
                && let Some(failed_attempt) = opening.failed_attempt(self.entry.config.target.provider, reply)
            {
                return failed_attempt;
            }
        }
        AttemptError::unavailable(format!("the provider sent no valid reply ({why}): {}", short(frame)))
    }

    /// The answer that a whole reply is: its text, or its text with the calls where tools were offered.
    pub(super) fn value(&self, reply: PartialReply) -> Value {
        if self.question.tools.is_none() {
            return Value::Str(reply.text.into());
        }
        // That they can be read was judged before.
        let calls = reply.calls.values(|name| self.question.own_name(name)).unwrap_or_default();
        let mut value = Map::new();
        let signed = reply.parts.signed(&self.entry.config.target);
        value.set("text", reply.text);
        value.set("tool_calls", calls.into_iter().collect::<List>());
        value.set("finish", if reply.finish == Some(Finish::Length) { "length" } else { "stop" });
        if !reply.reasoning.is_empty() {
            value.set("reasoning", reply.reasoning);
        }
        if let Some(signed) = signed {
            value.set("signed", signed);
        }
        Value::Map(value)
    }

    /// Our own estimate of the tokens of the request.
    fn least_input(&self) -> u64 {
        let ModelQuestion { system, messages, .. } = &self.question;
        let messages: u64 = messages.iter().map(|message| estimate(message.len())).sum();
        estimate(system.as_ref().map_or(0, String::len)) + messages
    }

    /// The cost of a reply: what the provider says, but no less than our own estimate.
    fn usage(&self, reply: &PartialReply) -> Usage {
        let TokenCounts { input, cached, cache_write, output, reasoning } = reply.tokens;
        let input_tokens = input.unwrap_or_default().max(self.least_input());
        let written = estimate(reply.text.len() + reply.calls.len());
        let output_tokens = output.unwrap_or_default().max(written);
        // A kind is a part of the whole, whatever a provider says.
        let cached_tokens = cached.unwrap_or_default().min(input_tokens);
        let usage = Usage {
            input_tokens,
            cached_tokens,
            cache_write_tokens: cache_write.unwrap_or_default().min(input_tokens - cached_tokens),
            output_tokens,
            reasoning_tokens: reasoning.unwrap_or_default().min(output_tokens),
            cost: 0,
        };
        Usage { cost: self.entry.config.price.of(usage), ..usage }
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
        self.asking.heard_part.store(true, Ordering::Relaxed);
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
