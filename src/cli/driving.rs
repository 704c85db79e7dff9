//! The runtime and the traces of commands that drive runs.

use std::time::Duration;

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
