//! A process with all it starts, ended as a whole.

use std::io::{self, PipeWriter, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use command_fds::{CommandFdExt, FdMapping};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep, timeout};

use super::guard::{END, Guard, GuardReport, LOCK, LockRefusal, Locks, ORDERS, REPORTS};

/// The time a group may take to end after it was asked to.
const GRACE: Duration = Duration::from_secs(2);

/// The time that the lock of a call is waited for before it is made: whoever ended the call before is about to give it back.
const PATIENCE: Duration = Duration::from_secs(2);

/// The pause between two looks at a lock.
const PAUSE: Duration = Duration::from_millis(5);

/// A process in a group of its own. When this is dropped, every process of the group is killed. (A process that
/// moves itself into another session leaves its group; nothing but a container prevents that.)
pub(super) struct Group {
    /// The leader, or its guard.
    pub(super) child: Child,
    hold: GroupHold,
}

/// The means to end a group.
enum GroupHold {
    /// From here, by its number.
    Number(Option<Pid>),
    /// By a guard. It ends when this is dropped.
    Guard(GuardPipe),
}

/// The way to a guard and back.
struct GuardPipe {
    orders: Option<PipeWriter>,
    reports: Receiver,
    /// The part of its reports that was read until now.
    report_bytes: Vec<u8>,
    locks: Arc<Locks>,
    lock: String,
}

/// The end of the leader of a group.
pub(super) enum LeaderEnd {
    Exited(ExitStatus),
    /// It never began, and why.
    NotBegun(String),
}

impl Group {
    /// Starts a program as the leader of a new group.
    ///
    /// # Errors
    /// The program cannot be started, and why.
    pub(super) fn start(mut command: Command) -> Result<Self, String> {
        let child = command.process_group(0).kill_on_drop(true).spawn().map_err(|error| error.to_string())?;
        let id = child.id().and_then(|id| i32::try_from(id).ok()).map(Pid::from_raw);
        Ok(Self { child, hold: GroupHold::Number(id) })
    }

    /// Starts a guard, which starts a program as the leader of a new group. All of it has the lock of the call.
    ///
    /// # Errors
    /// Something of the call is at work, or the guard cannot be started, and why: then nothing of the call began.
    pub(super) async fn guarded(
        mut command: Command,
        guard: &Guard,
        lock: String,
    ) -> Result<Self, LockRefusal> {
        let end = Instant::now() + PATIENCE;
        let file = loop {
            match guard.locks().take(&lock) {
                Ok(file) => break file,
                Err(LockRefusal::Held(_)) if Instant::now() < end => sleep(PAUSE).await,
                Err(refused) => return Err(refused),
            }
        };
        let start = || -> io::Result<Self> {
            let (hears, orders) = io::pipe()?;
            let (reports, tells) = io::pipe()?;
            // They are closed here with the command; until then no other child inherits them.
            let handed = [(file.into(), LOCK), (hears.into(), ORDERS), (tells.into(), REPORTS)];
            let handed = handed.map(|(parent_fd, child_fd)| FdMapping { parent_fd, child_fd });
            command.as_std_mut().fd_mappings(handed.into()).map_err(io::Error::other)?;
            // Signals of a terminal are for this process, not for the guard.
            let child = command.process_group(0).spawn()?;
            drop(command);
            let reports = Receiver::from_owned_fd(reports.into())?;
            let locks = Arc::clone(guard.locks());
            let hold = GuardPipe { orders: Some(orders), reports, report_bytes: Vec::new(), locks, lock };
            Ok(Self { child, hold: GroupHold::Guard(hold) })
        };
        start().map_err(|error| LockRefusal::Failed(format!("its guard: {error}")))
    }

    /// Waits for the end of the leader. Of a guarded group nothing is left then. May be dropped and called again.
    pub(super) async fn wait(&mut self) -> LeaderEnd {
        match &mut self.hold {
            GroupHold::Number(_) => match self.child.wait().await {
                Ok(status) => LeaderEnd::Exited(status),
                Err(_) => LeaderEnd::Exited(killed()),
            },
            GroupHold::Guard(guarded) => guarded.wait().await,
        }
    }

    /// Asks the group to end, waits a little, then kills it.
    pub(super) async fn end(&mut self) {
        match &mut self.hold {
            GroupHold::Number(_) => self.signal(Signal::SIGTERM),
            GroupHold::Guard(guarded) => guarded.ask_to_end(),
        }
        let ended = timeout(GRACE, self.wait()).await.is_ok();
        self.kill();
        if !ended {
            // The leader is dead by now; this takes it off the system's list of processes.
            let _late = timeout(GRACE, self.wait()).await;
        }
    }

    /// Kills every process of the group, once: later the number may be another group's.
    pub(super) fn kill(&mut self) {
        self.signal(Signal::SIGKILL);
        match &mut self.hold {
            GroupHold::Number(id) => *id = None,
            GroupHold::Guard(guarded) => guarded.orders = None,
        }
    }

    fn signal(&self, signal: Signal) {
        if let GroupHold::Number(Some(id)) = self.hold {
            // The group may be gone already; then there is nothing to end.
            let _gone = killpg(id, signal);
        }
    }
}

impl GuardPipe {
    fn ask_to_end(&mut self) {
        if let Some(orders) = &mut self.orders {
            // A guard that is gone has ended the command.
            let _gone = orders.write_all(&[END]);
        }
    }

    async fn wait(&mut self) -> LeaderEnd {
        loop {
            match GuardReport::read(&self.report_bytes) {
                Some(GuardReport::Ended(status)) => return LeaderEnd::Exited(status),
                Some(GuardReport::NotBegun(why)) => return LeaderEnd::NotBegun(why),
                None => {}
            }
            if !matches!(self.reports.read_buf(&mut self.report_bytes).await, Ok(1..)) {
                // The guard is gone without a word, and the program with it; what else it started is ended here.
                let (locks, lock) = (Arc::clone(&self.locks), self.lock.clone());
                let _ended = tokio::task::spawn_blocking(move || locks.clear(&lock)).await;
                return LeaderEnd::Exited(killed());
            }
        }
    }
}

/// The status of a process that was killed.
fn killed() -> ExitStatus {
    ExitStatus::from_raw(Signal::SIGKILL as i32)
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}
