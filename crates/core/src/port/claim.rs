//! The time for which a run is its driver's.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use super::Clock;
use crate::machine::Time;

/// The time for which a run is surely its driver's: the end of its lease, which moves as that is renewed. A call that
/// waits, for its turn or because the whole process was stopped, does not begin after it: somebody else may have taken
/// the run over.
#[derive(Clone)]
pub struct Claim {
    clock: Arc<dyn Clock>,
    /// In nanoseconds since 1970.
    until: Arc<AtomicI64>,
}

impl Claim {
    /// A claim without an end, as of a run without a lease.
    #[must_use]
    pub fn endless(clock: Arc<dyn Clock>) -> Self {
        Self { clock, until: Arc::new(AtomicI64::new(Time::MAX)) }
    }

    /// Moves its end.
    pub fn renew(&self, until: Time) {
        self.until.store(until, Ordering::Release);
    }

    /// The time that is left of it, zero after its end; none if it has no end.
    #[must_use]
    pub fn left(&self) -> Option<Duration> {
        let until = self.until.load(Ordering::Acquire);
        let left = || u64::try_from(until.saturating_sub(self.clock.now())).unwrap_or_default();
        (until != Time::MAX).then(|| Duration::from_nanos(left()))
    }

    /// Returns true after its end.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.left() == Some(Duration::ZERO)
    }
}

impl fmt::Debug for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Claim").field("left", &self.left()).finish_non_exhaustive()
    }
}
