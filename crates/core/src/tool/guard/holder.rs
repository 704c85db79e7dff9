//! The holder of the lock of a call.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use serde::{Deserialize, Serialize};

use super::MARK;
use crate::proc::{self, Stat};

/// A file by its device and its number.
pub(super) type Inode = (u64, u64);

/// The lock of a call, as its processes know it.
pub(super) struct Lock<'a> {
    pub(super) name: &'a str,
    pub(super) inode: Inode,
}

impl Lock<'_> {
    /// The processes that carry its mark.
    fn marked(&self) -> impl Iterator<Item = Process> {
        Process::all().filter(|one| one.id != own_id() && one.carries(self.name))
    }

    /// Kills everything that holds it, and says how many that were.
    pub(super) fn end(&self) -> usize {
        self.holders().filter(Process::kill).count()
    }

    /// The processes that carry its mark and have its file open.
    pub(super) fn holders(&self) -> impl Iterator<Item = Process> {
        self.marked().filter(|one| one.has(self.inode))
    }
}

/// The text in the file of a lock on what is at work: a group of processes, and where it is. What the system does not tell
/// is empty.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Holder {
    /// The host name of the machine.
    machine: String,
    /// This start of the machine.
    boot: String,
    /// The namespace of its processes.
    namespace: String,
    /// The group: the number of its leader.
    group: i32,
    /// The start of the leader, in ticks since the machine's start; 0 if unknown.
    began: u64,
}

impl Holder {
    /// This process, as the leader of its group.
    pub(super) fn of_process() -> Self {
        let (machine, boot, namespace) = place();
        let group = i32::try_from(std::process::id()).unwrap_or_default();
        Self { machine, boot, namespace, group, began: Process::of(group).map_or(0, |own| own.stat.start) }
    }

    pub(super) fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    pub(super) fn read(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// The place where it is, if nothing can be done about it from here.
    pub(super) fn elsewhere(&self) -> Option<String> {
        let (_, boot, namespace) = place();
        if boot != self.boot {
            return Some(format!("on another machine, {}", self.machine));
        }
        (namespace != self.namespace).then(|| "in another container of this machine".to_owned())
    }

    /// Kills the group, if it is the one that was meant: its leader began when this says. Then whatever else belongs to the
    /// call, see [`Holder::rest`]. False if there is nothing.
    pub(super) fn end(&self, lock: &Lock<'_>) -> bool {
        let leads = |leader: Process| leader.stat.group == self.group && leader.stat.start == self.began;
        let own = self.group > 1 && Process::of(self.group).is_some_and(leads);
        let killed = own && killpg(Pid::from_raw(self.group), Signal::SIGKILL).is_ok();
        let rest = self.rest(lock).filter(Process::kill).count();
        killed || rest > 0
    }

    /// The processes that carry the mark of the call and are of its group or have its lock. What has only one of these
    /// may be somebody else's: a number that was used again, or a process that looks at the lock.
    pub(super) fn rest(&self, lock: &Lock<'_>) -> impl Iterator<Item = Process> {
        lock.marked().filter(|one| one.stat.group == self.group || one.has(lock.inode))
    }

    pub(super) fn description(&self) -> String {
        format!("process {} and what it started", self.group)
    }

    /// The processes that hold the lock now, as far as they can be seen.
    pub(super) fn description_now(&self, file: &File) -> String {
        if let Some(place) = self.elsewhere() {
            return format!(" {place}");
        }
        let Ok(metadata) = file.metadata() else { return String::new() };
        let lock = (metadata.dev(), metadata.ino());
        let mut description = String::new();
        for one in Process::all().filter(|one| one.id != own_id() && one.has(lock)).take(8) {
            let _ = write!(
                description,
                "{} process {} ({})",
                if description.is_empty() { ":" } else { "," },
                one.id,
                one.stat.name
            );
        }
        description
    }
}

fn own_id() -> i32 {
    i32::try_from(std::process::id()).unwrap_or_default()
}

/// The machine's name, its start, and the namespace of processes.
fn place() -> (String, String, String) {
    let machine = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let namespace = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    (machine.trim().to_owned(), proc::boot().unwrap_or_default(), namespace.to_string_lossy().into_owned())
}

/// A process of this machine.
pub(super) struct Process {
    id: i32,
    pub(super) stat: Stat,
}

impl Process {
    fn of(id: i32) -> Option<Self> {
        Some(Self { id, stat: Stat::of(u32::try_from(id).ok()?)? })
    }

    fn all() -> impl Iterator<Item = Self> {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        entries.filter_map(|entry| Self::of(entry.file_name().to_str()?.parse().ok()?))
    }

    /// Returns true if it has inherited the mark of the call with this lock.
    fn carries(&self, lock: &str) -> bool {
        let mark = format!("{MARK}={lock}");
        let variables = fs::read(format!("/proc/{}/environ", self.id)).unwrap_or_default();
        variables.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
    }

    pub(super) fn kill(&self) -> bool {
        kill(Pid::from_raw(self.id), Signal::SIGKILL).is_ok()
    }

    /// Returns true if it has a file open.
    fn has(&self, file: Inode) -> bool {
        let open = fs::read_dir(format!("/proc/{}/fd", self.id)).into_iter().flatten().flatten();
        let inodes = open.filter_map(|entry| fs::metadata(entry.path()).ok());
        inodes.into_iter().any(|found| (found.dev(), found.ino()) == file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_holder_is_read_as_it_was_written() {
        let own = Holder::of_process();
        assert_eq!(Holder::read(&own.text()), Some(own.clone()));
        assert_eq!(own.elsewhere(), None);
        assert!(cfg!(not(target_os = "linux")) || own.began > 0);
        let other = Holder { boot: "another".to_owned(), machine: "far".to_owned(), ..own.clone() };
        assert_eq!(other.elsewhere().as_deref(), Some("on another machine, far"));
        let inner = Holder { namespace: "pid:[1]".to_owned(), ..own };
        assert_eq!(inner.elsewhere().as_deref(), Some("in another container of this machine"));
    }

    #[test]
    fn a_number_that_was_used_again_is_nobodys() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().expect("it starts");
        let group = i32::try_from(child.id()).expect("a number");
        let holder = Holder { group, began: 1, ..Holder::of_process() };
        assert!(
            !holder.end(&Lock { name: "", inode: (0, 0) }),
            "its group has another number, and it began at another time"
        );
        assert!(child.try_wait().expect("it was started here").is_none(), "it goes on");
        child.kill().expect("it can be ended");
        child.wait().expect("it was started here");
    }
}
