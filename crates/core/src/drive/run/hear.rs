//! Messages for a run that a command drives.

use std::convert::Infallible;
use std::future::pending;

use rustc_hash::FxHashSet;

use super::Run;
use crate::machine::Time;
use crate::port::{Message, Store};

/// The longest time between two looks, in nanoseconds: a wake-up may be lost.
const MAX_PAUSE_NS: Time = 5_000_000_000;

impl Run {
    /// Hands the run the messages that are left for it in its store, where that is a [queue](crate::port::Queue) and the run is
    /// driven under a lease. It never ends, and is to be awaited beside [`Run::drive`]. [`Message::Cancel`] ends the run as
    /// [`Handle::cancel`](crate::drive::Handle::cancel) does, and stays for whoever drives it next, until it has ended.
    pub fn hear(&self) -> impl Future<Output = Infallible> + Send + use<> {
        let (driver, run, handle) = (self.driver.clone(), self.id.clone(), self.handle());
        async move {
            let queue = driver.store.clone().and_then(Store::as_queue);
            let (Some(queue), Some((owner, _))) = (queue, &driver.owner) else { return pending().await };
            let mut heard = FxHashSet::default();
            loop {
                // What comes from here on is noticed.
                let changed = queue.changed();
                // A store that does not answer is heard of where the run is stored.
                let posted = queue.messages(owner).await.unwrap_or_default();
                for message in posted.messages {
                    if message.run != run || !heard.insert(message.number) {
                        continue;
                    }
                    match message.message {
                        Message::Cancel { reason, by } => handle.cancel_by(reason, by),
                        _ => handle.post(message),
                    }
                }
                let pause = driver.clock.sleep_until(driver.clock.now().saturating_add(MAX_PAUSE_NS));
                tokio::select! {
                    biased;
                    () = changed => {}
                    () = pause => {}
                }
            }
        }
    }
}
