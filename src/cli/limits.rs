//! Limits that the system sets for the process: what goes past one is reported, and nothing ends without a word.

use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use nix::errno::Errno;
use nix::sys::resource::{Resource, getrlimit, rlim_t, setrlimit};
use signal_hook::consts::SIGXFSZ;
use tokio::runtime::{Builder, Runtime};

use super::{Exit, screen};

/// The number of further files that a command opens at once to read or drive stored runs: its store, its runtime, the
/// pipes of a tool. The runtime panics where it gets none.
const FILES_TO_OPEN: usize = 16;

/// True once a file was to grow past the limit.
static GROWN: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// From now on a write past the limit of a file's size fails as other writes do, where the signal would end the process
/// without a word. It has a handler and is not ignored: commands that are started inherit what is ignored.
pub(super) fn watch() {
    let grown = Arc::clone(GROWN.get_or_init(Arc::default));
    // Where there is no such signal, there is nothing to watch.
    let _ = signal_hook::flag::register(SIGXFSZ, grown);
}

/// Says what helps where a command failed and the limit of a file's size was met.
pub(super) fn end(exit: Exit) {
    let grown = GROWN.get().is_some_and(|grown| grown.load(Ordering::Relaxed));
    if grown && exit != Exit::Ok {
        screen::say(
            "help: a file would have grown past the limit that is set for it (`ulimit -f`); raise the limit and continue\n",
        );
    }
}

/// A runtime on this thread: for all that a run needs, or for no more than the store.
pub(super) fn runtime(all: bool) -> Result<Runtime, Exit> {
    if is_short_of_files() {
        let limit = "this process may not open as many files at once as it needs (`ulimit -n`)";
        return Err(screen::refuse_with(limit, "allow it more, for example: ulimit -n 256"));
    }
    let mut builder = Builder::new_current_thread();
    if all {
        builder.enable_all();
    }
    builder.build().map_err(|error| screen::refuse(&format!("no thread can be started: {error}")))
}

/// Lets this process open so many files at once, or as many as the system allows. Gives how many these are.
pub(super) fn allow_files(wanted: usize) -> usize {
    let wanted = rlim_t::try_from(wanted).unwrap_or(rlim_t::MAX);
    let Ok((allowed, most)) = getrlimit(Resource::RLIMIT_NOFILE) else { return FILES_TO_OPEN };
    let raised = wanted.min(most);
    let allowed = if raised > allowed && setrlimit(Resource::RLIMIT_NOFILE, raised, most).is_ok() {
        raised
    } else {
        allowed
    };
    usize::try_from(allowed).unwrap_or(usize::MAX)
}

fn is_short_of_files() -> bool {
    let stdin = std::io::stdin();
    let more: Result<Vec<OwnedFd>, _> =
        (0..FILES_TO_OPEN).map(|_| stdin.as_fd().try_clone_to_owned()).collect();
    more.is_err_and(|error| {
        [Errno::EMFILE, Errno::ENFILE].map(|no| Some(no as i32)).contains(&error.raw_os_error())
    })
}
