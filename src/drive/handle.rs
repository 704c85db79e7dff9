//! The way into a run that is being driven.

use std::future::poll_fn;
use std::task::Poll;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc::UnboundedSender;

use crate::machine::AskId;
use crate::value::{Str, Value};

/// Reaches a run that is being driven.
#[derive(Debug, Clone)]
pub struct Handle(pub(super) UnboundedSender<Command>);

/// What a handle wants of its run.
#[derive(Debug)]
pub(super) enum Command {
    Cancel(Str),
    Answer(AskId, Value),
    Stop,
}

impl Handle {
    /// Ends the run: calls under way are dropped, the current node leaves by `error(cancelled)`.
    pub fn cancel(&self, reason: impl Into<Str>) {
        self.send(Command::Cancel(reason.into()));
    }

    /// Answers a question.
    pub fn answer(&self, ask: AskId, answer: Value) {
        self.send(Command::Answer(ask, answer));
    }

    /// Leaves the run as it is: calls under way are dropped and nothing more is recorded, as after a crash.
    pub fn stop(&self) {
        self.send(Command::Stop);
    }

    /// From now on the first Ctrl-C cancels the run and the second stops it. `SIGTERM` and `SIGHUP` (the terminal was
    /// closed) count as Ctrl-C: what the run started must not outlive it. Must be called inside a tokio runtime.
    pub fn cancel_on_ctrl_c(&self) {
        let handle = self.clone();
        let mut ends = Ends::listen();
        tokio::spawn(async move {
            let both = async {
                ends.next().await;
                handle.cancel("interrupted");
                ends.next().await;
                handle.stop();
            };
            tokio::select! {
                () = both => {}
                () = handle.0.closed() => {}
            }
        });
    }

    fn send(&self, command: Command) {
        // A run that is gone takes no commands, and needs none.
        let _gone = self.0.send(command);
    }
}

/// The signals that end a process.
struct Ends(Vec<Signal>);

impl Ends {
    /// From now on they no longer end this process by themselves.
    fn listen() -> Self {
        let mut kinds = vec![SignalKind::interrupt(), SignalKind::terminate()];
        if !ignores_hangup() {
            kinds.push(SignalKind::hangup());
        }
        Self(kinds.into_iter().filter_map(|kind| signal(kind).ok()).collect())
    }

    /// The next of them.
    async fn next(&mut self) {
        poll_fn(|context| {
            let came = |signal: &mut Signal| matches!(signal.poll_recv(context), Poll::Ready(Some(())));
            if self.0.iter_mut().any(came) { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }
}

/// Whether this process was started to outlive its terminal, as by `nohup`. Where the system does not tell, it was not.
fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // The first bit stands for the first signal, which is SIGHUP.
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}
