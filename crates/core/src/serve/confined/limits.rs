//! The process that sets its limits, and becomes the one that works under them.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use nix::sys::resource::{Resource, setrlimit};

use super::CARRY_OUT;
use crate::tool::guard::own_program;

/// Limits memory and processor time, has this process killed with its parent, and executes itself anew. The words are the
/// number of the parent, bytes of memory, and seconds.
pub(super) fn limit(words: &[OsString]) -> ExitCode {
    let number = |at: usize| words.get(at).and_then(|word| word.to_str()?.parse::<u64>().ok());
    let (Some(parent), Some(bytes), Some(seconds)) = (number(0), number(1), number(2)) else {
        return ExitCode::from(2);
    };
    #[cfg(target_os = "linux")]
    if nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGKILL).is_err() {
        return ExitCode::FAILURE;
    }
    // It may have died before that was asked for.
    if u64::try_from(nix::unistd::getppid().as_raw()) != Ok(parent) {
        return ExitCode::FAILURE;
    }
    let limits =
        [(Resource::RLIMIT_DATA, bytes), (Resource::RLIMIT_CPU, seconds), (Resource::RLIMIT_CORE, 0)];
    for (resource, limit) in limits {
        if setrlimit(resource, limit, limit).is_err() {
            return ExitCode::FAILURE;
        }
    }
    let Some(program) = own_program() else { return ExitCode::FAILURE };
    let _failed = Command::new(program).arg(CARRY_OUT).exec();
    ExitCode::FAILURE
}
