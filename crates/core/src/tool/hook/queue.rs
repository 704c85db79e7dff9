//! The events that wait for a hook.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value as Json};
use tokio::sync::Notify;

use crate::port::Mask;
use crate::value::Str;

/// The most events that wait for one hook, and the most bytes of them.
const MAX_QUEUED_EVENTS: usize = 256;
const MAX_QUEUED_BYTES: usize = 4 << 20;

/// The end of a queue into which events are put.
pub(super) struct HookQueue(Arc<QueueEnd>);

/// The end of a queue from which they are taken.
pub(super) struct QueuedEvents(Arc<QueueEnd>);

/// Both ends.
pub(super) struct QueueEnd {
    hook: Str,
    queued: Mutex<Queued>,
    more: Notify,
}

#[derive(Default)]
struct Queued {
    lines: VecDeque<String>,
    bytes: usize,
    /// Dropped since the last event that had room.
    dropped: u64,
    /// Dropped in all.
    lost: u64,
    closed: bool,
}

/// A queue for a hook.
pub(super) fn hook_queue(hook: Str) -> (HookQueue, QueuedEvents) {
    let end = Arc::new(QueueEnd { hook, queued: Mutex::default(), more: Notify::new() });
    (HookQueue(end.clone()), QueuedEvents(end))
}

impl HookQueue {
    /// Puts an event at the end, or drops it where there is no room. Never waits.
    pub(super) fn push(&self, notice: &Map<String, Json>, mask: &Mask) {
        let mut queued = self.0.queued();
        let mut notice = notice.clone();
        if queued.dropped > 0 {
            notice.insert("dropped".to_owned(), queued.dropped.into());
        }
        let line = Json::Object(notice).to_string();
        let line = format!("{}\n", mask.text(&line));
        if queued.lines.len() >= MAX_QUEUED_EVENTS
            || queued.bytes.saturating_add(line.len()) > MAX_QUEUED_BYTES
        {
            queued.lost += 1;
            queued.dropped += 1;
            if queued.dropped == 1 {
                tracing::warn!(hook = self.0.hook.as_str(), "a hook is slow: events are dropped");
            }
            return;
        }
        queued.dropped = 0;
        queued.bytes += line.len();
        queued.lines.push_back(line);
        drop(queued);
        self.0.more.notify_one();
    }
}

impl Drop for HookQueue {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl QueuedEvents {
    /// The next event; none after the last one, when no more can come.
    pub(super) async fn next(&self) -> Option<String> {
        loop {
            {
                let mut queued = self.0.queued();
                if let Some(line) = queued.lines.pop_front() {
                    queued.bytes -= line.len();
                    return Some(line);
                }
                if queued.closed {
                    return None;
                }
            }
            self.0.more.notified().await;
        }
    }

    pub(super) fn end(&self) -> Arc<QueueEnd> {
        self.0.clone()
    }
}

impl QueueEnd {
    /// Takes no more events.
    pub(super) fn close(&self) {
        self.queued().closed = true;
        self.more.notify_one();
    }

    /// Says in the log how many events were dropped, with those that are still here.
    pub(super) fn report(&self) {
        let queued = self.queued();
        let lost = queued.lost.saturating_add(queued.lines.len() as u64);
        if lost > 0 {
            tracing::warn!(hook = self.hook.as_str(), dropped = lost, "a hook was not told of all events");
        }
    }

    fn queued(&self) -> MutexGuard<'_, Queued> {
        self.queued.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
