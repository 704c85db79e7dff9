//! The guard itself.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, ExitStatus};
use std::sync::{Arc, Mutex, PoisonError};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::{Pid, dup2_stderr, dup2_stdin, dup2_stdout};

use super::{END, GuardLine, LOCK, Locks, ORDERS, REPORTS, START, close, handed, own_program};

/// The reports on a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::tool) enum GuardReport {
    /// It ended so; everything of its group has ended with it.
    Ended(ExitStatus),
    /// It did not begin.
    NotBegun(String),
}

impl GuardReport {
    pub(super) fn not_begun(error: &io::Error) -> Self {
        Self::NotBegun(error.to_string())
    }

    /// The report as a line of text.
    pub(super) fn line(&self) -> String {
        match self {
            Self::Ended(status) => format!("e {}\n", status.into_raw()),
            Self::NotBegun(why) => format!("x {}\n", why.replace('\n', " ")),
        }
    }

    /// The first of the lines that were reported, once it is whole.
    pub(in crate::tool) fn read(bytes: &[u8]) -> Option<Self> {
        let end = bytes.iter().position(|byte| *byte == b'\n')?;
        let line = String::from_utf8_lossy(&bytes[..end]);
        match line.split_once(' ')? {
            ("e", status) => Some(Self::Ended(ExitStatus::from_raw(status.parse().ok()?))),
            ("x", why) => Some(Self::NotBegun(why.to_owned())),
            _ => None,
        }
    }
}

/// A command under guard.
struct GuardedCommand {
    group: Pid,
    /// True once its leader was taken off the system's list: from then on the number may be another group's.
    gone: Mutex<bool>,
}

impl GuardedCommand {
    fn signal(&self, signal: Signal) {
        let gone = self.gone.lock().unwrap_or_else(PoisonError::into_inner);
        if !*gone {
            // Where nothing of it is left there is nothing to end.
            let _none = killpg(self.group, signal);
        }
    }

    /// Waits for the end of the leader, then ends the rest.
    fn wait(&self, leader: &mut Child) -> io::Result<ExitStatus> {
        until_it_ends(self.group);
        self.signal(Signal::SIGKILL);
        let mut gone = self.gone.lock().unwrap_or_else(PoisonError::into_inner);
        let status = leader.wait();
        *gone = true;
        status
    }
}

/// Waits until a child has ended, and leaves it on the list of processes, so that its number stays its own.
fn until_it_ends(child: Pid) {
    #[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
    {
        use nix::errno::Errno;
        use nix::sys::wait::{Id, WaitPidFlag, waitid};
        while waitid(Id::Pid(child), WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT) == Err(Errno::EINTR) {}
    }
    #[cfg(not(any(target_os = "linux", target_os = "android", target_os = "freebsd")))]
    let _ = child;
}

/// Starts a command and watches over it until it has ended.
pub(super) fn watch(mut words: impl Iterator<Item = OsString>) -> ExitCode {
    let (Some(folder), Some(line)) = (words.next(), GuardLine::read(words)) else {
        return ExitCode::from(2);
    };
    let pipes = handed(ORDERS, OpenOptions::new().read(true))
        .and_then(|orders| Ok((orders, handed(REPORTS, OpenOptions::new().write(true))?)));
    // Started by hand it has no pipes.
    let Ok((orders, mut reports)) = pipes else { return ExitCode::from(2) };
    close(ORDERS);
    outlast_signals();
    let locks = Locks::new(PathBuf::from(folder));
    let lock = line.lock.to_string_lossy();
    let report = match spawn(&line) {
        Ok(mut leader) => {
            // What the command inherited is its own now: who reads its output hears when it has ended.
            let _ = let_go();
            let report = guard(&mut leader, orders);
            // Until here it was held even if the command closed what it inherited.
            close(LOCK);
            locks.end_rest(&lock);
            report
        }
        Err(error) => GuardReport::not_begun(&error),
    };
    // Where the command could not be executed, that was reported before.
    let _gone = reports.write_all(report.line().as_bytes());
    drop(reports);
    locks.remove(&lock);
    ExitCode::SUCCESS
}

fn spawn(line: &GuardLine) -> io::Result<Child> {
    let own = own_program().ok_or_else(|| io::Error::other("the guard does not find itself"))?;
    let id = std::process::id().to_string();
    let mut command = Command::new(own);
    command.arg(START).arg(id).arg(&line.lock).arg(line.end.to_string()).arg(&line.program).args(&line.args);
    command.process_group(0).spawn()
}

/// Has signals do nothing that are sent to every process of a machine or a service that stops: the driver says what is to
/// be done. The command is reached by them all the same.
fn outlast_signals() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    for signal in [SIGTERM, SIGINT, SIGHUP] {
        // Where that cannot be reported, the command ends with the guard.
        let _registered = signal_hook::flag::register(signal, Arc::default());
    }
}

/// Leaves the streams and the pipe to the command.
fn let_go() -> io::Result<()> {
    close(REPORTS);
    let null = File::options().read(true).write(true).open("/dev/null")?;
    dup2_stdin(&null)?;
    dup2_stdout(&null)?;
    dup2_stderr(&null)?;
    Ok(())
}

fn guard(leader: &mut Child, orders: File) -> GuardReport {
    let Ok(id) = i32::try_from(leader.id()) else { return GuardReport::NotBegun("no number".to_owned()) };
    let guarded = Arc::new(GuardedCommand { group: Pid::from_raw(id), gone: Mutex::new(false) });
    let hears = Arc::clone(&guarded);
    // This thread started the command and must last: the system kills the command when it ends.
    std::thread::spawn(move || obey(orders, &hears));
    match guarded.wait(leader) {
        Ok(status) => GuardReport::Ended(status),
        Err(_) => GuardReport::Ended(ExitStatus::from_raw(Signal::SIGKILL as i32)),
    }
}

/// Does what the driver says; that it says nothing more, since it let go or died, kills the command.
fn obey(mut orders: File, guarded: &GuardedCommand) {
    let mut byte = [0];
    loop {
        match orders.read(&mut byte) {
            Ok(1..) if byte[0] == END => guarded.signal(Signal::SIGTERM),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            _ => return guarded.signal(Signal::SIGKILL),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_read_as_it_was_told() {
        for report in
            [GuardReport::Ended(ExitStatus::from_raw(256)), GuardReport::NotBegun("no such file".to_owned())]
        {
            let line = report.line();
            assert_eq!(GuardReport::read(line.as_bytes()), Some(report));
            assert_eq!(GuardReport::read(&line.as_bytes()[..line.len() - 1]), None, "it is not whole");
        }
        assert_eq!(GuardReport::read(b"x no\ne 0\n"), Some(GuardReport::NotBegun("no".to_owned())));
    }
}
