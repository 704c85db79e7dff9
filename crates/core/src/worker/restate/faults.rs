//! Faults for which a segment cannot be driven now, as they are reported to the operator of a worker.

use std::sync::{Arc, Mutex, PoisonError};

use restate_sdk::errors::HandlerError;
use rustc_hash::FxHashMap;

use crate::machine::Time;
use crate::port::Clock;

/// The time after which a fault that stays is reported again, in nanoseconds.
const REPEATED_AFTER_NS: Time = 60_000_000_000;

/// The most keys whose faults are remembered.
const MAX_REPORTED_FAULTS: usize = 10_000;

/// Reports faults, each once a minute: Restate repeats what failed every few seconds.
#[derive(Clone)]
pub(super) struct Faults {
    clock: Arc<dyn Clock>,
    report: Arc<dyn Fn(&str) + Send + Sync>,
    reported: Arc<Mutex<FxHashMap<String, (String, Time)>>>,
}

impl Faults {
    pub(super) fn new(clock: Arc<dyn Clock>, report: Arc<dyn Fn(&str) + Send + Sync>) -> Self {
        Self { clock, report, reported: Arc::default() }
    }

    /// Reports what is wrong with something, which is named by a key.
    pub(super) fn report(&self, key: &str, why: &str) {
        tracing::error!(key, why, "a fault of a worker");
        let now = self.clock.now();
        let mut reported = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
        if reported
            .get(key)
            .is_some_and(|(last, at)| last == why && now < at.saturating_add(REPEATED_AFTER_NS))
        {
            return;
        }
        if reported.len() >= MAX_REPORTED_FAULTS {
            reported.clear();
        }
        reported.insert(key.to_owned(), (why.to_owned(), now));
        (self.report)(why);
    }

    /// A fault of a segment after which Restate tries again.
    pub(super) fn busy(&self, segment: &str, why: &str) -> HandlerError {
        self.report(segment, &format!("the segment {segment} cannot be driven now: {why}"));
        std::io::Error::other(why.to_owned()).into()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::Faults;
    use crate::drive::SystemClock;

    #[test]
    fn a_fault_that_stays_is_reported_once() {
        let reported: Arc<Mutex<Vec<String>>> = Arc::default();
        let into = Arc::clone(&reported);
        let report = move |why: &str| into.lock().expect("nobody panicked").push(why.to_owned());
        let faults = Faults::new(Arc::new(SystemClock::new()), Arc::new(report));
        for (key, why) in [("a/0", "one"), ("a/0", "one"), ("a/1", "one"), ("a/0", "two")] {
            faults.report(key, why);
        }
        assert_eq!(*reported.lock().expect("nobody panicked"), ["one", "one", "two"]);
    }
}
