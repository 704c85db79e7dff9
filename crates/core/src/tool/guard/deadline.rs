//! The time after which a command does not begin.

use std::fmt;
use std::num::ParseIntError;
use std::str::FromStr;
use std::time::Duration;

use nix::time::{ClockId, clock_gettime};

/// The clock that continues while the machine sleeps, and that nobody sets.
#[cfg(any(target_os = "linux", target_os = "android"))]
const CLOCK: ClockId = ClockId::CLOCK_BOOTTIME;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const CLOCK: ClockId = ClockId::CLOCK_MONOTONIC;

/// A time that all processes of this machine read alike, in milliseconds since its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Deadline(u64);

impl Deadline {
    pub(super) const NEVER: Self = Self(u64::MAX);

    /// The end of something of which so much is left.
    pub(super) fn of_left(left: Duration) -> Self {
        Self(now().saturating_add(u64::try_from(left.as_millis()).unwrap_or(u64::MAX)))
    }

    pub(super) fn is_over(self) -> bool {
        self != Self::NEVER && self.0 <= now()
    }
}

/// On a system without such a clock, everything is over but what never ends.
fn now() -> u64 {
    let now = clock_gettime(CLOCK).map(Duration::from);
    now.map_or(u64::MAX, |now| u64::try_from(now.as_millis()).unwrap_or(u64::MAX))
}

impl fmt::Display for Deadline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Deadline {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_read_as_it_was_written_and_passes() {
        let (soon, now) = (Deadline::of_left(Duration::from_mins(1)), Deadline::of_left(Duration::ZERO));
        assert_eq!(soon.to_string().parse(), Ok(soon));
        assert_eq!(Deadline::NEVER.to_string().parse(), Ok(Deadline::NEVER));
        assert_eq!([soon, now, Deadline::NEVER].map(Deadline::is_over), [false, true, false]);
    }
}
