//! Hooks: programs of the operator that are told what runs do.
//!
//! A hook is started once for each of its events, in order and one at a time, with the event as a line of JSON on standard
//! input. A run never waits for it, and nothing that a hook does changes the run: its output is thrown away, and what goes
//! wrong is in the log.
//!
//! # Why
//! - Hooks have a thread of their own, so that starting a process takes no time of the run.
//! - A queue is bounded by number and by bytes. What has no room is dropped and counted; the next event says how many.
//! - An event is told when it is stored: a hook never hears of what a crash could undo.

mod delivery;
mod message;
mod queue;

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use futures::future::join_all;
use tokio::runtime::Builder;
use tokio::sync::oneshot;

use self::delivery::deliver;
use self::message::message;
use self::queue::{HookQueue, QueueEnd, hook_queue};
use super::command::CommandContext;
use crate::config::{HookConfig, HookEvent};
use crate::machine::{Event, EventKind};
use crate::port::{Mask, Observer, RunView};

/// The time that queued events have at the end of a process.
pub const HOOK_GRACE: Duration = Duration::from_secs(5);

/// The hooks of a process, as an onlooker of its runs.
pub struct Hooks {
    mask: Mask,
    hooks: Vec<(HookConfig, HookQueue)>,
}

/// The end of the thread of hooks.
pub struct HooksEnd {
    /// Ends what is at work when it is dropped or sent.
    stop: oneshot::Sender<()>,
    ended: oneshot::Receiver<()>,
    queues: Vec<Arc<QueueEnd>>,
}

impl Hooks {
    /// Starts the thread of some hooks; nothing if there are none. Keys are hidden in what they are told.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub fn start(
        hooks: &[HookConfig],
        context: &CommandContext,
        mask: Mask,
    ) -> std::io::Result<Option<(Self, HooksEnd)>> {
        if hooks.is_empty() {
            return Ok(None);
        }
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let (stop, stopped) = oneshot::channel();
        let (ends, ended) = oneshot::channel();
        let (mut own, mut queues, mut work) = (Vec::new(), Vec::new(), Vec::new());
        for hook in hooks {
            let (queue, rest) = hook_queue(hook.command.name.clone());
            queues.push(rest.end());
            work.push(deliver(hook.command.clone(), context.clone(), rest));
            own.push((hook.clone(), queue));
        }
        thread::Builder::new().name("hooks".to_owned()).spawn(move || {
            runtime.block_on(async {
                tokio::select! {
                    _ = join_all(work) => {}
                    _ = stopped => {}
                }
            });
            // Whoever waits for it may have gone.
            let _gone = ends.send(());
        })?;
        Ok(Some((Self { mask, hooks: own }, HooksEnd { stop, ended, queues })))
    }
}

impl Observer for Hooks {
    fn recorded(&self, event: &Event, graph: u32, view: RunView<'_>) {
        let Some(kind) = kind(&event.kind) else { return };
        let mut hooks = self.hooks.iter().filter(|(hook, _)| hook.on.contains(&kind)).peekable();
        if hooks.peek().is_none() {
            return;
        }
        let notice = message(kind, event, graph, view);
        for (_, queue) in hooks {
            queue.push(&notice, &self.mask);
        }
    }
}

/// The event that hooks may be told of.
const fn kind(event: &EventKind) -> Option<HookEvent> {
    match event {
        EventKind::Started { .. } => Some(HookEvent::RunStarted),
        EventKind::Entered { .. } => Some(HookEvent::NodeEntered),
        EventKind::Resolved { .. } | EventKind::Late { .. } => Some(HookEvent::CallFinished),
        EventKind::Done(_) => Some(HookEvent::RunEnded),
        _ => None,
    }
}

impl HooksEnd {
    /// Takes no more events, and waits for those that are queued, but no longer than until `grace` is over; then what is at
    /// work is killed and the rest is dropped. The runs must have ended.
    pub async fn end(self, grace: impl Future<Output = ()>) {
        let Self { stop, mut ended, queues } = self;
        for queue in &queues {
            queue.close();
        }
        let is_over = tokio::select! {
            biased;
            // A thread that is gone has nothing at work.
            _ = &mut ended => true,
            () = grace => false,
        };
        if !is_over {
            drop(stop);
            // Killing takes no time.
            let _gone = ended.await;
        }
        for queue in &queues {
            queue.report();
        }
    }
}
