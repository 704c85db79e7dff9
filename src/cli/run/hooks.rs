//! The end of hooks at the end of a command.

use std::time::Duration;

use loopwright_core::drive::Signals;
use loopwright_core::tool::{HOOK_GRACE, HooksEnd};

/// Gives what is queued a little time; a signal, or an end `at_once`, leaves it none.
pub(super) async fn end(hooks: HooksEnd, at_once: bool) {
    let grace = if at_once { Duration::ZERO } else { HOOK_GRACE };
    let mut signals = Signals::listen();
    hooks
        .end(async {
            tokio::select! {
                () = tokio::time::sleep(grace) => {}
                _ = signals.next() => {}
            }
        })
        .await;
}
