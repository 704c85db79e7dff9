//! A process with all it starts, ended as a whole.

use std::io;
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::process::{Child, Command};

/// How long a group may take to end after it was asked to.
const GRACE: Duration = Duration::from_secs(2);

/// A process in a group of its own. When this is dropped, every process of the group is killed. (A process that
/// moves itself into another session leaves its group; nothing but a container holds that.)
pub(super) struct Group {
    pub(super) child: Child,
    id: Option<Pid>,
}

impl Group {
    /// Starts a program as the leader of a new group.
    ///
    /// # Errors
    /// The program cannot be started.
    pub(super) fn start(mut command: Command) -> io::Result<Self> {
        let child = command.process_group(0).kill_on_drop(true).spawn()?;
        let id = child.id().and_then(|id| i32::try_from(id).ok()).map(Pid::from_raw);
        Ok(Self { child, id })
    }

    /// Asks the group to end, waits a little, then kills it.
    pub(super) async fn end(&mut self) {
        self.signal(Signal::SIGTERM);
        let ended = tokio::time::timeout(GRACE, self.child.wait()).await.is_ok();
        self.kill();
        if !ended {
            // The leader is dead by now; this takes it off the system's list of processes.
            let _status = self.child.wait().await;
        }
    }

    /// Kills every process of the group, once: later the number may be another group's.
    pub(super) fn kill(&mut self) {
        self.signal(Signal::SIGKILL);
        self.id = None;
    }

    fn signal(&self, signal: Signal) {
        if let Some(id) = self.id {
            // The group may be gone already; then there is nothing to end.
            let _gone = killpg(id, signal);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}
