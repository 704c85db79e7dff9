//! The way into a run that is being driven.

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

    /// From now on the first Ctrl-C cancels the run and the second stops it. Must be called inside a tokio runtime.
    pub fn cancel_on_ctrl_c(&self) {
        let handle = self.clone();
        tokio::spawn(async move {
            let pressed = async || tokio::signal::ctrl_c().await.is_ok();
            let both = async {
                if pressed().await {
                    handle.cancel("interrupted");
                }
                if pressed().await {
                    handle.stop();
                }
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
