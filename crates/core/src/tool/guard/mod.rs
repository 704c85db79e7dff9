//! Commands that do not outlive whoever called them.
//!
//! A driver that is killed cannot end what it started. So a command is started through a *guard*: a process of its own,
//! which ends the command with all it started when the driver asks for it, and when the driver is gone. The driver locks a
//! file named by the call, and all that is started for the call inherits the lock: as long as it is held, something of
//! the call is at work, whoever may have died. Whoever continues with the run looks at the lock first.
//!
//! The guard is a program that calls [`serve`] before anything else in `main`. The command line is one; a program that
//! embeds this library may be its own guard, or name another. It is started twice for a call: as the guard, and as what
//! becomes the command after it asked the system to be killed with the guard (Linux).

mod deadline;
mod holder;
mod lock;
mod start;
mod watch;

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use self::deadline::Deadline;
use crate::port::Claim;

pub(super) use self::lock::{LockRefusal, Locks};
pub(super) use self::watch::GuardReport;

/// The first word of a guard's command line.
const WATCH: &str = "_guard";

/// The first word of what becomes a command.
const START: &str = "_start";

/// The descriptors that a guard finds: the lock of the call, what its driver tells it, and what it tells its driver.
pub(super) const LOCK: i32 = 3;
pub(super) const ORDERS: i32 = 4;
pub(super) const REPORTS: i32 = 5;

/// The byte that the driver writes to have the command asked to end. A driver that has gone away means that it is killed.
pub(super) const END: u8 = b't';

/// The variable by which the processes of a call are known: its value is the name of the call's lock.
const MARK: &str = "LOOPWRIGHT_CALL";

/// Starts commands through a guard.
#[derive(Clone)]
pub struct Guard {
    program: PathBuf,
    locks: Arc<Locks>,
}

impl Guard {
    /// `program` guards; it must call [`serve`] first. In `folder` there is a file for each call in progress. It is
    /// made when it is needed, for its owner alone. All who may continue with a run must name the same one: beside the
    /// store is a good place.
    #[must_use]
    pub fn new(program: impl Into<PathBuf>, folder: impl Into<PathBuf>) -> Self {
        let locks = Locks::new(folder.into());
        locks.sweep();
        Self { program: program.into(), locks: Arc::new(locks) }
    }

    /// This program is its own guard: its `main` calls [`serve`] first. None where the system does not tell which it is.
    #[must_use]
    pub fn of_process(folder: impl Into<PathBuf>) -> Option<Self> {
        own_program().map(|program| Self::new(program, folder))
    }

    pub(super) fn locks(&self) -> &Arc<Locks> {
        &self.locks
    }

    /// The command line of a guard for the call with this lock, up to the program that is guarded. It does not begin after
    /// the end of `claim`, wherever this process was stopped until then.
    pub(super) fn command(&self, lock: &str, claim: Option<&Claim>) -> std::process::Command {
        let end = claim.and_then(Claim::left).map_or(Deadline::NEVER, Deadline::of_left);
        let mut command = std::process::Command::new(&self.program);
        command.arg(WATCH).arg(self.locks.folder()).arg(lock).arg(end.to_string());
        command
    }
}

impl fmt::Debug for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guard").field("program", &self.program).field("folder", &self.locks.folder()).finish()
    }
}

/// The program that runs here. On Linux it is found even if its file was replaced since.
#[must_use]
pub fn own_program() -> Option<PathBuf> {
    let link = PathBuf::from("/proc/self/exe");
    if cfg!(target_os = "linux") && link.exists() { Some(link) } else { std::env::current_exe().ok() }
}

/// Guards a command, if this process was started for that: then nothing else is to be done. To be called before
/// anything else in `main`: before a runtime, before other threads.
///
/// ```no_run
/// use std::process::ExitCode;
///
/// fn main() -> ExitCode {
///     if let Some(exit) = loopwright::tool::guard::serve() {
///         return exit;
///     }
///     // The program itself.
///     ExitCode::SUCCESS
/// }
/// ```
#[must_use]
pub fn serve() -> Option<ExitCode> {
    let mut words = std::env::args_os().skip(1);
    let first = words.next()?;
    if first == WATCH {
        return Some(watch::watch(words));
    }
    (first == START).then(|| start::start(words))
}

/// The guarded command as a command line: the lock of the call, the time after which it does not begin, the
/// program, and its arguments.
struct GuardLine {
    lock: OsString,
    end: Deadline,
    program: OsString,
    args: Vec<OsString>,
}

impl GuardLine {
    fn read(mut words: impl Iterator<Item = OsString>) -> Option<Self> {
        let lock = words.next()?;
        let end = words.next()?.to_str()?.parse().ok()?;
        Some(Self { lock, end, program: words.next()?, args: words.collect() })
    }
}

/// A descriptor that was handed to this process, as a file that is closed where another program is executed.
fn handed(descriptor: i32, options: &std::fs::OpenOptions) -> std::io::Result<std::fs::File> {
    options.open(format!("/dev/fd/{descriptor}"))
}

/// Closes a descriptor that was handed to this process.
fn close(descriptor: i32) {
    // One that is closed already is what is wanted.
    let _closed = nix::unistd::close(descriptor);
}
