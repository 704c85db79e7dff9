//! The clock of a store: leases outlive processes, so it is that of the wall.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::machine::Time;
use crate::port::Lease;
use crate::store::process;

/// The clock by which leases run out.
#[derive(Clone)]
pub(super) struct LeaseClock(Arc<dyn Fn() -> Time + Send + Sync>);

impl LeaseClock {
    /// A clock of somebody's own, in nanoseconds since 1970.
    pub(super) fn new(now: impl Fn() -> Time + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// The clock of the system.
    pub(super) fn of_system() -> Self {
        Self::new(|| {
            let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
            Time::try_from(since.as_nanos()).unwrap_or(Time::MAX)
        })
    }

    /// Milliseconds since 1970.
    fn millis(&self) -> i64 {
        (self.0)() / 1_000_000
    }

    /// The end of a lease given now, in milliseconds since 1970. It is never 0, which is one that was given back.
    pub(super) fn end(&self, ttl: Duration) -> i64 {
        let ttl = ttl.min(Lease::MAX_DURATION);
        self.millis().saturating_add(i64::try_from(ttl.as_millis()).unwrap_or(i64::MAX)).max(1)
    }

    /// The time that a lease of that owner still lasts, which was to end then.
    pub(super) fn left(&self, until: i64, owner: &str) -> Duration {
        let left = u64::try_from(until.saturating_sub(self.millis())).unwrap_or_default();
        let left = Duration::from_millis(left);
        let is_over = left.is_zero() || left > Lease::MAX_DURATION || process::is_gone(owner);
        if is_over { Duration::ZERO } else { left }
    }
}

impl fmt::Debug for LeaseClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Watch").field(&self.millis()).finish()
    }
}
