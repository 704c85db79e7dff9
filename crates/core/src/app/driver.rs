//! The driver of runs that are stored.

use std::sync::Arc;
use std::time::Duration;

use crate::drive::{Driver, SystemClock};
use crate::port::{Clock, Store};
use crate::program::Program;
use crate::store::this_process;

/// The time for which a lease outlives a driver that crashed.
const LEASE: Duration = Duration::from_secs(10);

/// A driver of stored runs under leases.
pub(super) fn driver(program: &Arc<Program>, store: &Arc<dyn Store>) -> Driver {
    let clock = SystemClock::new();
    let owner = this_process()
        .map_or_else(|| format!("process {} ({:x})", std::process::id(), clock.now()), ToString::to_string);
    Driver::new(Arc::clone(program)).clock(Arc::new(clock)).store(Arc::clone(store)).owner(owner, LEASE)
}
