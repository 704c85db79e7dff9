//! Time.

use super::BoxFuture;
use crate::machine::Time;

/// The clock of a run.
pub trait Clock: Send + Sync {
    /// Now, in nanoseconds since 1970.
    fn now(&self) -> Time;

    /// Ends when [`Clock::now`] has reached `until`.
    fn sleep_until(&self, until: Time) -> BoxFuture<'static, ()>;
}
