//! The system's records of processes in `/proc`. On a system without it nothing is known of any.

use std::fs;

/// A process.
pub(crate) struct Stat {
    pub(crate) name: String,
    /// The number of its group.
    pub(crate) group: i32,
    /// The number of its session.
    pub(crate) session: i32,
    /// The start of the process, in clock ticks since the machine was started.
    pub(crate) start: u64,
    /// True if all that is left of it is for its parent to read.
    pub(crate) ended: bool,
}

impl Stat {
    /// The record of a process by its number; see `man 5 proc_pid_stat`.
    pub(crate) fn of(pid: u32) -> Option<Self> {
        let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name may hold anything, brackets too.
        let (head, rest) = text.rsplit_once(") ")?;
        let (_, name) = head.split_once(" (")?;
        let words: Vec<&str> = rest.split_whitespace().collect();
        let dead = matches!(*words.first()?, "Z" | "X");
        let threads: u64 = words.get(17)?.parse().ok()?;
        Some(Self {
            name: name.to_owned(),
            group: words.get(2)?.parse().ok()?,
            session: words.get(3)?.parse().ok()?,
            start: words.get(19)?.parse().ok()?,
            ended: dead && threads <= 1,
        })
    }
}

/// The id of this start of the machine.
pub(crate) fn boot() -> Option<String> {
    let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(id.trim().to_owned())
}
