//! The driver of runs that are stored.

use std::sync::Arc;
use std::time::Duration;

use crate::drive::{Driver, SystemClock};
use crate::port::{Clock, Store};
use crate::program::Program;
use crate::store::this_process;
use crate::value::Str;

/// The time for which a lease outlives a driver that crashed.
const LEASE: Duration = Duration::from_secs(10);

/// The owner of the leases of this process, and the time they last.
#[must_use]
pub fn driver_owner() -> (Str, Duration) {
    let named = || format!("process {} ({:x})", std::process::id(), SystemClock::new().now());
    (this_process().map_or_else(named, ToString::to_string).into(), LEASE)
}

/// A driver of stored runs under leases.
pub(super) fn driver(program: &Arc<Program>, store: &Arc<dyn Store>) -> Driver {
    let (owner, ttl) = driver_owner();
    let clock = SystemClock::new();
    Driver::new(Arc::clone(program)).clock(Arc::new(clock)).store(Arc::clone(store)).owner(owner, ttl)
}
