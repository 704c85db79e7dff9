//! The way into a run that is being driven, and the signals that take it.

use std::future::poll_fn;
use std::task::Poll;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;

use crate::machine::QuestionId;
use crate::port::PostedMessage;
use crate::value::{Str, Value};

/// Reaches a run that is being driven.
#[derive(Debug, Clone)]
pub struct Handle(pub(super) UnboundedSender<RunCommand>);

/// A request of a handle to its run.
#[derive(Debug)]
pub(super) enum RunCommand {
    Cancel { reason: Str, by: Option<Str>, heard: Option<AnswerHeard> },
    Answer(GivenAnswer),
    Posted(PostedMessage),
    Interrupt(Str),
    Stop,
}

/// An answer, on its way to its run.
#[derive(Debug)]
pub(super) struct GivenAnswer {
    pub(super) ask: QuestionId,
    pub(super) answer: Value,
    /// The name of the person, if one is named.
    pub(super) by: Option<Str>,
    /// Hears what became of it, if somebody wants to.
    pub(super) heard: Option<AnswerHeard>,
}

/// Hears whether an answer, or an end, was taken and stored, or why it does not fit.
pub(super) type AnswerHeard = oneshot::Sender<Result<(), String>>;

impl Handle {
    /// Ends the run: calls in progress are dropped, the current node leaves by `error(cancelled)`.
    pub fn cancel(&self, reason: impl Into<Str>) {
        self.cancel_by(reason, None);
    }

    /// The same in the name of a person.
    pub fn cancel_by(&self, reason: impl Into<Str>, by: Option<Str>) {
        self.send(RunCommand::Cancel { reason: reason.into(), by, heard: None });
    }

    /// The same, and hears of it: true once it is stored, false if the run is not driven any more. Then nothing was stored.
    pub async fn cancelled_by(&self, reason: impl Into<Str>, by: Option<Str>) -> bool {
        let (heard, hear) = oneshot::channel();
        self.send(RunCommand::Cancel { reason: reason.into(), by, heard: Some(heard) });
        hear.await.is_ok()
    }

    /// Answers a question.
    pub fn answer(&self, ask: QuestionId, answer: Value) {
        self.send(RunCommand::Answer(GivenAnswer { ask, answer, by: None, heard: None }));
    }

    /// Answers a question in the name of a person, and hears what becomes of it: once the answer is stored, nothing, or why it does
    /// not fit. An answer that does not fit changes nothing. [`None`] if the run is not driven any more; then nothing was stored.
    pub async fn answer_by(
        &self,
        ask: QuestionId,
        answer: Value,
        by: Option<Str>,
    ) -> Option<Result<(), String>> {
        let (heard, hear) = oneshot::channel();
        self.send(RunCommand::Answer(GivenAnswer { ask, answer, by, heard: Some(heard) }));
        hear.await.ok()
    }

    /// Hands a message to the run; see [`Run::take_posted`](super::Run::take_posted).
    pub fn post(&self, message: PostedMessage) {
        self.send(RunCommand::Posted(message));
    }

    /// Interrupts the run: what has come back is stored, calls in progress are dropped, which ends what they started,
    /// and the journal says by which signal. Nothing is settled: whoever resumes the run deals with each call as its
    /// delivery says.
    pub fn interrupt(&self, signal: impl Into<Str>) {
        self.send(RunCommand::Interrupt(signal.into()));
    }

    /// Leaves the run as it is: calls in progress are dropped and nothing more is recorded, as after a crash.
    pub fn stop(&self) {
        self.send(RunCommand::Stop);
    }

    fn send(&self, command: RunCommand) {
        // A run that is gone takes no commands, and needs none.
        let _gone = self.0.send(command);
    }
}

/// The signals that ask a process to end: `SIGINT` (Ctrl-C), `SIGTERM`, and `SIGHUP` (the terminal was closed) unless
/// this process was started to outlive that. As long as this is there they no longer end the process by themselves;
/// those that came before they were looked for are not lost.
#[derive(Debug)]
pub struct Signals(Vec<(Signal, &'static str)>);

impl Signals {
    /// Listens from now on. Must be called inside a tokio runtime.
    #[must_use]
    pub fn listen() -> Self {
        let mut kinds = vec![(SignalKind::interrupt(), "SIGINT"), (SignalKind::terminate(), "SIGTERM")];
        if !ignores_hangup() {
            kinds.push((SignalKind::hangup(), "SIGHUP"));
        }
        Self(kinds.into_iter().filter_map(|(kind, name)| Some((signal(kind).ok()?, name))).collect())
    }

    /// Interrupts a run at the first of them, and is over at the second: whoever waits for this beside
    /// [`Run::drive`](crate::drive::Run::drive) then drops that, and everything ends at once.
    pub async fn interrupt(mut self, run: Handle) {
        let first = self.next().await;
        run.interrupt(first);
        self.next().await;
    }

    /// Does something that the first of them does not interrupt; gives nothing if a second one came before its end.
    pub async fn insist<T>(mut self, work: impl Future<Output = T>) -> Option<T> {
        tokio::pin!(work);
        tokio::select! {
            biased;
            done = &mut work => return Some(done),
            _ = self.next() => {}
        }
        tokio::select! {
            biased;
            done = work => Some(done),
            _ = self.next() => None,
        }
    }

    /// The next of them, by its name.
    pub async fn next(&mut self) -> &'static str {
        poll_fn(|context| {
            let arrived = self.0.iter_mut().find_map(|(signal, name)| {
                matches!(signal.poll_recv(context), Poll::Ready(Some(()))).then_some(*name)
            });
            arrived.map_or(Poll::Pending, Poll::Ready)
        })
        .await
    }
}

/// Returns true if this process was started to outlive its terminal, as by `nohup`. Where the system does not tell, it
/// was not.
fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // The first bit stands for the first signal, which is SIGHUP.
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}
