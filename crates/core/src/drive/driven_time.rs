//! The time of a run, split by where it goes.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::machine::Time;
use crate::port::Clock;

/// The time a run was driven, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DrivenTime {
    /// In all.
    pub whole: i64,
    /// While no call and no question was in progress and nothing was waited for: the machine's own work, what was
    /// stored and synced, what onlookers did, and what passes between an outcome and the loop that waits for it. A port
    /// that is asked for a call, and puts a question together, is still outside; starting a program, sending a request
    /// and reading the reply are not.
    pub outside: i64,
}

/// Measures while something is in progress.
#[derive(Clone)]
pub(super) struct Gauge {
    clock: Arc<dyn Clock>,
    state: Arc<Mutex<GaugeState>>,
}

#[derive(Default)]
struct GaugeState {
    in_progress: usize,
    /// Since when something is.
    since: Time,
    /// The time something was in progress, in nanoseconds.
    sum: i64,
}

/// Something is in progress as long as this is there.
pub(super) struct GaugeGuard(Gauge);

impl Gauge {
    pub(super) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, state: Arc::default() }
    }

    /// Counts one more activity until the guard is dropped.
    pub(super) fn begin(&self) -> GaugeGuard {
        let now = self.clock.now();
        let mut state = self.state();
        if state.in_progress == 0 {
            state.since = now;
        }
        state.in_progress += 1;
        GaugeGuard(self.clone())
    }

    /// The time something was in progress, up to now.
    pub(super) fn sum(&self) -> i64 {
        let now = self.clock.now();
        let state = self.state();
        let open = if state.in_progress == 0 { 0 } else { now.saturating_sub(state.since).max(0) };
        state.sum.saturating_add(open)
    }

    fn state(&self) -> MutexGuard<'_, GaugeState> {
        // Whoever panicked in between changed nothing by halves.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for GaugeGuard {
    fn drop(&mut self) {
        let now = self.0.clock.now();
        let mut state = self.0.state();
        state.in_progress = state.in_progress.saturating_sub(1);
        if state.in_progress == 0 {
            state.sum = state.sum.saturating_add(now.saturating_sub(state.since).max(0));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicI64, Ordering};

    use super::Gauge;
    use crate::machine::Time;
    use crate::port::{BoxFuture, Clock};

    struct ManualClock(AtomicI64);

    impl Clock for ManualClock {
        fn now(&self) -> Time {
            self.0.load(Ordering::Relaxed)
        }

        fn sleep_until(&self, _: Time) -> BoxFuture<'static, ()> {
            Box::pin(async {})
        }
    }

    #[test]
    fn what_is_under_way_at_the_same_time_counts_once() {
        let hand = Arc::new(ManualClock(AtomicI64::new(100)));
        let gauge = Gauge::new(hand.clone());
        let pass = |nanos| hand.0.fetch_add(nanos, Ordering::Relaxed);
        pass(5);
        let one = gauge.begin();
        pass(10);
        let two = gauge.begin();
        pass(10);
        drop(one);
        pass(10);
        assert_eq!(gauge.sum(), 30);
        drop(two);
        pass(50);
        assert_eq!(gauge.sum(), 30);
        drop(gauge.begin());
        assert_eq!(gauge.sum(), 30);
    }
}
