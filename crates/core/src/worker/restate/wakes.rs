//! Wakes segments of this process, and tells them that it ends.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;
use tokio::sync::Notify;
use tokio::sync::watch;

/// The segments that this process drives, by their keys. A word may come to another process: nothing depends on a wake.
#[derive(Debug, Clone)]
pub(super) struct Wakes {
    places: Arc<Mutex<FxHashMap<String, Arc<Notify>>>>,
    stopped: watch::Sender<bool>,
}

/// The place of a segment among them, for as long as it is driven.
pub(super) struct WakePlace {
    wakes: Wakes,
    key: String,
    wake: Arc<Notify>,
    stopped: watch::Receiver<bool>,
}

impl Default for Wakes {
    fn default() -> Self {
        Self { places: Arc::default(), stopped: watch::Sender::new(false) }
    }
}

impl Wakes {
    fn lock(&self) -> MutexGuard<'_, FxHashMap<String, Arc<Notify>>> {
        // Nothing is done by halves there.
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the place of a segment, in place of an earlier attempt to drive it.
    pub(super) fn enter(&self, key: String) -> WakePlace {
        let wake = Arc::new(Notify::new());
        self.lock().insert(key.clone(), Arc::clone(&wake));
        WakePlace { wakes: self.clone(), key, wake, stopped: self.stopped.subscribe() }
    }

    /// Tells every segment that this process ends.
    pub(super) fn stop(&self) {
        self.stopped.send_replace(true);
    }

    /// Wakes a segment, if it is driven here.
    pub(super) fn wake(&self, key: &str) {
        if let Some(wake) = self.lock().get(key) {
            wake.notify_one();
        }
    }
}

impl WakePlace {
    /// Ends when the segment is woken.
    pub(super) async fn woken(&self) {
        self.wake.notified().await;
    }

    /// Returns true once this process ends.
    pub(super) fn is_stopped(&self) -> bool {
        *self.stopped.borrow()
    }

    /// Ends once this process ends.
    pub(super) async fn stopped(&self) {
        let mut stopped = self.stopped.clone();
        if stopped.wait_for(|is_stopped| *is_stopped).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

impl Drop for WakePlace {
    fn drop(&mut self) {
        let mut places = self.wakes.lock();
        if places.get(&self.key).is_some_and(|own| Arc::ptr_eq(own, &self.wake)) {
            places.remove(&self.key);
        }
    }
}
