//! The process that a lease belongs to, so that others can tell if it still lives.

use std::fmt;

use crate::value::Str;

/// A process, as it signs the leases it takes.
///
/// Its text is `process 4711 (start 88123, boot 0b1c…, namespaces 4026531836 4026531834)`. Whoever reads it on the same
/// machine, since the same start of it and in the same namespaces can look whether that very process is still there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessSignature {
    /// Its number.
    pub pid: u32,
    /// The start, in ticks since the machine was started: numbers of processes are used again.
    pub start: u64,
    /// The id of the start of the machine it belongs to.
    pub boot: Str,
    /// The namespaces in which its number and its start are counted: those of processes and of time.
    pub namespaces: [u64; 2],
}

impl fmt::Display for ProcessSignature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pid, start, boot, namespaces: [pids, times] } = self;
        write!(f, "process {pid} (start {start}, boot {boot}, namespaces {pids} {times})")
    }
}

impl ProcessSignature {
    /// The process that an owner of a lease names, if it is signed by one. A name may be before.
    #[must_use]
    pub fn of_owner(owner: &str) -> Option<Self> {
        let (_, text) = owner.rsplit_once("process ")?;
        let (pid, text) = text.split_once(" (start ")?;
        let (start, text) = text.split_once(", boot ")?;
        let (boot, text) = text.split_once(", namespaces ")?;
        let (pids, times) = text.strip_suffix(')')?.split_once(' ')?;
        Some(Self {
            pid: pid.parse().ok()?,
            start: start.parse().ok()?,
            boot: boot.into(),
            namespaces: [pids.parse().ok()?, times.parse().ok()?],
        })
    }

    /// The name of an owner for people: without the part that only processes read.
    pub(super) fn named(owner: &str) -> &str {
        match Self::of_owner(owner) {
            Some(_) => owner.rsplit_once(" (start ").map_or(owner, |(name, _)| name),
            None => owner,
        }
    }
}
