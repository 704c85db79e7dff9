//! Leases as their driver has them.

use super::driver::{DriveError, Driver};
use super::rebuild::latest;
use crate::machine::Time;
use crate::port::{Claim, Lease, StoredRun};

/// A lease, and how long it surely lasts. What a store answers may have been long on its way, so it counts from when it was
/// asked for.
#[derive(Debug, Clone)]
pub(super) struct HeldLease {
    pub(super) lease: Lease,
    /// When it was asked for, by the driver's clock.
    asked: Time,
}

impl Driver {
    /// Takes a stored run of this driver's program, with the lease on it.
    pub(super) async fn take(&self, run: &str) -> Result<(StoredRun, Option<HeldLease>), DriveError> {
        let store = self.stored_in(run)?;
        // The lease comes first: after it nobody else changes what is read.
        let held = self.acquire(run).await?;
        if let (Some(held), Some(fence)) = (&held, self.fence)
            && held.lease.fence != fence
        {
            store.release(run, &held.lease).await?;
            return Err(DriveError::Taken(run.into()));
        }
        let stored = store.load(run, None).await?;
        self.fits_stored(run, latest(&stored)).await?;
        Ok((stored, held))
    }

    /// The same for a run that has begun.
    pub(super) async fn take_begun(&self, run: &str) -> Result<(StoredRun, Option<HeldLease>), DriveError> {
        let (stored, held) = self.take(run).await?;
        if stored.has_begun() {
            return Ok((stored, held));
        }
        if let Some(held) = held.filter(|_| !self.keeps_leases) {
            self.stored_in(run)?.release(run, &held.lease).await?;
        }
        Err(DriveError::NotBegun(run.into()))
    }

    /// Takes or renews the lease of a run, if runs are driven under leases.
    pub(super) async fn acquire(&self, run: &str) -> Result<Option<HeldLease>, DriveError> {
        let (Some(store), Some((owner, ttl))) = (&self.store, &self.owner) else { return Ok(None) };
        let asked = self.clock.now();
        let lease = store.acquire(run, owner, *ttl).await?;
        Ok(Some(HeldLease { lease, asked }))
    }

    /// Renews a lease.
    ///
    /// # Errors
    /// [`DriveError::Taken`] if it had run out, and somebody else had the run in between.
    pub(super) async fn renew(&self, run: &str, held: &mut HeldLease) -> Result<(), DriveError> {
        if let Some(renewed) = self.acquire(run).await? {
            if renewed.lease.fence != held.lease.fence {
                return Err(DriveError::Taken(run.into()));
            }
            *held = renewed;
        }
        Ok(())
    }

    /// The time to renew a lease: after a third of its time.
    pub(super) fn renewal(&self, held: &HeldLease) -> Time {
        self.after(held, 3)
    }

    /// The end of the time for which a run is surely this driver's: a little before the lease ends.
    pub(super) fn sure_end(&self, held: &HeldLease) -> Time {
        self.after(held, 9)
    }

    /// Moves the end of a claim to that of a lease.
    pub(super) fn claims(&self, claim: &Claim, held: &HeldLease) {
        claim.renew(self.sure_end(held));
    }

    /// The time at which so many tenths of a lease are over; a third counts as three.
    fn after(&self, held: &HeldLease, tenths: u32) -> Time {
        let ttl = self.owner.as_ref().map(|(_, ttl)| *ttl).unwrap_or_default();
        let part = Time::try_from((ttl * tenths / 10).as_nanos()).unwrap_or(Time::MAX);
        held.asked.saturating_add(part)
    }
}
