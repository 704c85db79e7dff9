//! The runtime and the traces of commands that drive runs.

use std::time::Duration;

use loopwright_core::drive::Signals;
use tokio::sync::oneshot;

use super::args::Level;
use super::{Exit, limits, log, screen};

/// The time limit for open spans to close, if traces are sent.
const CLOSING: Duration = Duration::from_millis(200);

/// Drives something on this thread alone. A run mostly waits, and to hand a call to a thread that sleeps, and its
/// answer back, takes about as long as to keep them.
pub(super) fn within(level: Level, work: impl Future<Output = Result<Exit, Exit>>) -> Exit {
    let traces = match log::start(level) {
        Ok(traces) => traces,
        Err(message) => return screen::refuse(&message),
    };
    let runtime = match limits::runtime(true) {
        Ok(runtime) => runtime,
        Err(exit) => return exit,
    };
    let exit = runtime.block_on(work).unwrap_or_else(|exit| exit);
    // A person who was asked may still sit before the terminal, and a thread that reads standard input may wait for a line that
    // never comes; the process ends without them. A call that was given up has still to close its span.
    runtime.shutdown_timeout(if traces.are_sent() { CLOSING } else { Duration::ZERO });
    traces.end();
    exit
}

/// Carries out work that a first signal tells to stop. Gives nothing if a second one wants an end at once.
pub(super) async fn until_signals<W: Future>(
    mut signals: Signals,
    work: impl FnOnce(StopOrder) -> W,
) -> Option<W::Output> {
    let (stop, stopped) = oneshot::channel();
    let working = work(StopOrder(stopped));
    let twice = async {
        signals.next().await;
        let _gone = stop.send(());
        signals.next().await;
    };
    tokio::select! {
        biased;
        ended = working => Some(ended),
        () = twice => None,
    }
}

/// The order to stop.
pub(super) struct StopOrder(oneshot::Receiver<()>);

impl StopOrder {
    /// Ends when the order comes.
    pub(super) async fn given(self) {
        // Whoever sends it is there until the work has ended.
        let _stop = self.0.await;
    }
}
