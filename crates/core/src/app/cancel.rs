//! A run that is ended from outside.

use std::convert::Infallible;

use crate::drive::{DriveError, Finished, Run};
use crate::machine::Time;
use crate::port::Clock;
use crate::value::Str;

/// The longest time that the graph's own answer to `error(cancelled)` may take, in nanoseconds.
const MAX_ANSWER_NS: Time = 60_000_000_000;

/// Drives a run that [`Driver::cancel`](crate::drive::Driver::cancel) took until it has ended. The graph may answer, as
/// long as that needs no person and at most a minute; then it is ended at its node. Gives how it ended, and the node at
/// which it had to be ended.
///
/// # Errors
/// As [`Run::drive`].
pub async fn end_cancelled(
    run: &mut Run,
    reason: &str,
    clock: &dyn Clock,
) -> Result<(Finished, Option<Str>), DriveError> {
    let handle = run.handle();
    let end = clock.sleep_until(clock.now().saturating_add(MAX_ANSWER_NS));
    // It is not dropped in the middle of what it stores.
    let stops = async move {
        end.await;
        handle.stop();
        std::future::pending::<Infallible>().await
    };
    let answered = tokio::select! {
        biased;
        answered = run.drive() => answered,
        never = stops => match never {},
    };
    match answered? {
        Finished::Waiting { .. } | Finished::Stopped => {
            let node = current_node(run);
            run.end(reason);
            Ok((run.drive().await?, Some(node)))
        }
        finished => Ok((finished, None)),
    }
}

/// The node that the root graph of a run is at.
#[must_use]
pub fn current_node(run: &Run) -> Str {
    let view = run.view();
    let Some(root) = view.snapshot.root() else { return Str::new() };
    view.program.graphs[root.frame.graph as usize].nodes[root.frame.node as usize].name.clone()
}
