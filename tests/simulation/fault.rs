//! Faults that are planted to see that they are found.

/// A fault of a store, of a client of one, or of a tool host. None of them is in the code under test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The store takes commits under a lease that was lost.
    MissingFence,
    /// The store answers before what it wrote is synced.
    MissingSync,
    /// After a crash the store takes the half of a commit for a commit.
    TornCommit,
    /// After a crash the store has forgotten who drove its runs.
    ForgottenLease,
    /// The store reckons leases by the clocks of those who have them.
    LeaseByClientClock,
    /// The store stores the snapshot of another commit.
    OtherSnapshot,
    /// The store offers a run once when it becomes due, and never again.
    LostWakeUp,
    /// A message is gone as soon as it is read, before a commit takes it.
    MessageTakenOnRead,
    /// A client sends a commit again whose answer was lost, and the store takes it twice.
    RepeatedCommit,
    /// A client says that a commit is stored before it is.
    LateIntent,
    /// A client renews its leases without asking the store.
    MissingRenewal,
    /// A tool host makes a call again that may be made at most once.
    RepeatedCall,
}

impl Fault {
    /// All faults.
    pub(crate) const ALL: [Self; 12] = [
        Self::MissingFence,
        Self::MissingSync,
        Self::TornCommit,
        Self::ForgottenLease,
        Self::LeaseByClientClock,
        Self::OtherSnapshot,
        Self::LostWakeUp,
        Self::MessageTakenOnRead,
        Self::RepeatedCommit,
        Self::LateIntent,
        Self::MissingRenewal,
        Self::RepeatedCall,
    ];
}
