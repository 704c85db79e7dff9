//! The clock of the system.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime};

use futures::FutureExt;
use tokio::time::Instant;

use crate::machine::Time;
use crate::port::{BoxFuture, Clock};

/// The longest sleep without a look at the clock: a computer that was suspended may have slept through the end.
const LOOK: Duration = Duration::from_secs(30);

/// The system's time, which never goes back while this clock lives.
#[derive(Debug, Clone)]
pub struct SystemClock(Arc<ClockOrigin>);

#[derive(Debug)]
struct ClockOrigin {
    wall: Time,
    steady: Instant,
    last: AtomicI64,
}

impl SystemClock {
    /// The clock.
    #[must_use]
    pub fn new() -> Self {
        Self(Arc::new(ClockOrigin { wall: wall(), steady: Instant::now(), last: AtomicI64::new(0) }))
    }

    /// The steady clock stands still while a computer is suspended, the wall clock may be set back: the later of the
    /// two counts.
    fn read(&self) -> Time {
        let steady = self.0.wall.saturating_add(nanos(self.0.steady.elapsed()));
        let now = steady.max(wall());
        self.0.last.fetch_max(now, Ordering::Relaxed).max(now)
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Time {
        self.read()
    }

    fn sleep_until(&self, until: Time) -> BoxFuture<'static, ()> {
        let clock = self.clone();
        async move {
            loop {
                let left = until.saturating_sub(clock.read());
                let Some(left) = u64::try_from(left).ok().filter(|left| *left > 0) else { return };
                tokio::time::sleep(Duration::from_nanos(left).min(LOOK)).await;
            }
        }
        .boxed()
    }
}

fn wall() -> Time {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, nanos)
}

fn nanos(duration: Duration) -> Time {
    Time::try_from(duration.as_nanos()).unwrap_or(Time::MAX)
}
