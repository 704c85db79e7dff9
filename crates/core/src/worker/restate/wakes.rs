//! Wakes segments of this process.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;
use tokio::sync::Notify;

/// The segments that this process drives, by their keys. A word may come to another process: nothing depends on a wake.
#[derive(Debug, Clone, Default)]
pub(super) struct Wakes(Arc<Mutex<FxHashMap<String, Arc<Notify>>>>);

/// The place of a segment among them, for as long as it is driven.
pub(super) struct WakePlace {
    wakes: Wakes,
    key: String,
    pub(super) wake: Arc<Notify>,
}

impl Wakes {
    fn lock(&self) -> MutexGuard<'_, FxHashMap<String, Arc<Notify>>> {
        // Nothing is done by halves there.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the place of a segment, in place of an earlier attempt to drive it.
    pub(super) fn enter(&self, key: String) -> WakePlace {
        let wake = Arc::new(Notify::new());
        self.lock().insert(key.clone(), Arc::clone(&wake));
        WakePlace { wakes: self.clone(), key, wake }
    }

    /// Wakes a segment, if it is driven here.
    pub(super) fn wake(&self, key: &str) {
        if let Some(wake) = self.lock().get(key) {
            wake.notify_one();
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
