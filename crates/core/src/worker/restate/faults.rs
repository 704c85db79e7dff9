//! Faults for which a segment cannot be driven now, as the operator of a worker is told.

use std::sync::{Arc, Mutex, PoisonError};

use restate_sdk::errors::HandlerError;
use rustc_hash::FxHashMap;

use crate::machine::Time;
use crate::port::Clock;

/// The time after which a fault that stays is told again, in nanoseconds.
const TOLD_AGAIN_NS: Time = 60_000_000_000;

/// The most keys whose faults are remembered.
const MAX_TOLD: usize = 10_000;

/// Tells faults, each once a minute: Restate repeats what failed every few seconds.
#[derive(Clone)]
pub(super) struct Faults {
    clock: Arc<dyn Clock>,
    tell: Arc<dyn Fn(&str) + Send + Sync>,
    told: Arc<Mutex<FxHashMap<String, (String, Time)>>>,
}

impl Faults {
    pub(super) fn new(clock: Arc<dyn Clock>, tell: Arc<dyn Fn(&str) + Send + Sync>) -> Self {
        Self { clock, tell, told: Arc::default() }
    }

    /// Tells what is wrong with something, which is named by a key.
    pub(super) fn tell(&self, key: &str, why: &str) {
        tracing::error!(key, why, "a fault of a worker");
        let now = self.clock.now();
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.get(key).is_some_and(|(last, at)| last == why && now < at.saturating_add(TOLD_AGAIN_NS)) {
            return;
        }
        if told.len() >= MAX_TOLD {
            told.clear();
        }
        told.insert(key.to_owned(), (why.to_owned(), now));
        (self.tell)(why);
    }

    /// A fault of a segment after which Restate tries again.
    pub(super) fn busy(&self, segment: &str, why: &str) -> HandlerError {
        self.tell(segment, &format!("the segment {segment} cannot be driven now: {why}"));
        std::io::Error::other(why.to_owned()).into()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::Faults;
    use crate::drive::SystemClock;

    #[test]
    fn a_fault_that_stays_is_told_once() {
        let told: Arc<Mutex<Vec<String>>> = Arc::default();
        let into = Arc::clone(&told);
        let tell = move |why: &str| into.lock().expect("nobody panicked").push(why.to_owned());
        let faults = Faults::new(Arc::new(SystemClock::new()), Arc::new(tell));
        for (key, why) in [("a/0", "one"), ("a/0", "one"), ("a/1", "one"), ("a/0", "two")] {
            faults.tell(key, why);
        }
        assert_eq!(*told.lock().expect("nobody panicked"), ["one", "one", "two"]);
    }
}
