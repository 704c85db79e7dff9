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

/// The difference from which on the wall clock has leapt, in nanoseconds: it was set, or the computer was suspended. It is less than
/// the time by which whoever has a lease stops before its end.
const LEAP_NS: Time = 500_000_000;

/// The system's time, which never goes back while this clock lives.
#[derive(Debug, Clone)]
pub struct SystemClock(Arc<ClockOrigin>);

#[derive(Debug)]
struct ClockOrigin {
    wall: Time,
    steady: Instant,
    /// How far the wall clock has been ahead of the steady one since this clock is there, in nanoseconds.
    ahead: AtomicI64,
}

impl SystemClock {
    /// The clock.
    #[must_use]
    pub fn new() -> Self {
        Self(Arc::new(ClockOrigin { wall: wall(), steady: Instant::now(), ahead: AtomicI64::new(0) }))
    }

    fn read(&self) -> Time {
        let steady = self.0.wall.saturating_add(nanos(self.0.steady.elapsed()));
        self.0.at(steady, wall())
    }
}

impl ClockOrigin {
    /// The time where the two clocks say so. The steady clock stands still while a computer is suspended, and the wall clock
    /// may be set back. So the time follows the wall clock where that leaps ahead, and goes on steadily from there: were it to
    /// wait until a clock that is set back has caught up, a lease would not seem to run out meanwhile.
    fn at(&self, steady: Time, wall: Time) -> Time {
        let (found, known) = (wall.saturating_sub(steady), self.ahead.load(Ordering::Relaxed));
        let ahead = if found.saturating_sub(known) > LEAP_NS {
            self.ahead.fetch_max(found, Ordering::Relaxed).max(found)
        } else {
            known
        };
        steady.saturating_add(ahead)
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicI64;

    use tokio::time::Instant;

    use super::ClockOrigin;

    #[test]
    fn a_clock_that_is_set_forward_and_back_goes_on() {
        const S: i64 = 1_000_000_000;
        let clock = ClockOrigin { wall: 0, steady: Instant::now(), ahead: AtomicI64::new(0) };
        assert_eq!(clock.at(10 * S, 10 * S), 10 * S);
        // The clocks go a little apart.
        assert_eq!(clock.at(11 * S, 11 * S + S / 4), 11 * S);
        // The computer was suspended, or somebody set the clock.
        assert_eq!(clock.at(20 * S, 3_600 * S), 3_600 * S);
        assert_eq!(clock.at(30 * S, 30 * S), 3_610 * S);
        assert_eq!(clock.at(40 * S, 5_000 * S), 5_000 * S);
        assert_eq!(clock.at(40 * S, 0), 5_000 * S);
    }
}
