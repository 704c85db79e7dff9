//! Signs of life of the process that drives a run, as far as the system tells.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::sync::OnceLock;

use nix::errno::Errno;
use nix::sys::signal::kill;
use nix::unistd::Pid;

use crate::port::ProcessSignature;
use crate::proc::{self, Stat};

/// This process, to sign leases with; nothing where the system does not tell what that takes, as without `/proc`.
#[must_use]
pub fn this_process() -> Option<&'static ProcessSignature> {
    static OWN: OnceLock<Option<ProcessSignature>> = OnceLock::new();
    OWN.get_or_init(look).as_ref()
}

fn look() -> Option<ProcessSignature> {
    let pid = std::process::id();
    // A `/proc` of another namespace counts processes otherwise.
    if fs::read_link("/proc/self").ok()?.to_str()? != pid.to_string() {
        return None;
    }
    let namespace = |name: &str| fs::metadata(format!("/proc/self/ns/{name}")).ok().map(|meta| meta.ino());
    // Old kernels have no namespaces of time.
    let namespaces = [namespace("pid")?, namespace("time").unwrap_or(0)];
    Some(ProcessSignature { pid, start: Stat::of(pid)?.start, boot: proc::boot()?.into(), namespaces })
}

/// Returns true if the process that signed as `owner` is known to have ended. Of one on another machine, in another
/// namespace, or without a signature nobody knows.
pub(super) fn is_gone(owner: &str) -> bool {
    match (ProcessSignature::of_owner(owner), this_process()) {
        (Some(theirs), Some(own)) => {
            theirs.boot == own.boot && theirs.namespaces == own.namespaces && !lives(&theirs)
        }
        _ => false,
    }
}

fn lives(process: &ProcessSignature) -> bool {
    let Some(pid) = i32::try_from(process.pid).ok().filter(|pid| *pid > 0) else { return false };
    // Where processes of others are hidden, `/proc` shows none; this tells them from none.
    if kill(Pid::from_raw(pid), None) == Err(Errno::ESRCH) {
        return false;
    }
    Stat::of(process.pid).is_none_or(|stat| stat.start == process.start && !stat.ended)
}

#[cfg(test)]
mod tests {
    use super::{is_gone, this_process};
    use crate::port::ProcessSignature;

    #[test]
    fn a_process_is_gone_only_where_that_is_known() {
        let Some(own) = this_process() else { return };
        let gone = |change: &dyn Fn(&mut ProcessSignature)| {
            let mut other = own.clone();
            change(&mut other);
            assert_eq!(ProcessSignature::of_owner(&format!("a worker, {other}")), Some(other.clone()));
            is_gone(&other.to_string())
        };
        assert!(!gone(&|_| {}), "this one lives");
        assert!(gone(&|other| other.start += 1), "its number was used again");
        assert!(gone(&|other| other.pid = 0x7FFF_FFFF), "there is none of that number");
        assert!(!gone(&|other| {
            other.start += 1;
            other.boot = "another".into();
        }));
        assert!(!gone(&|other| {
            other.start += 1;
            other.namespaces[0] += 1;
        }));
        assert!(!is_gone("process 4711 (18a5f)"), "as earlier versions signed");
        assert!(!is_gone("somebody"));
    }
}
