//! The process that becomes a command.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use super::holder::Holder;
use super::watch::GuardReport;
use super::{GuardLine, LOCK, MARK, REPORTS, close, handed};

/// Says in the file of the lock who is at work, has itself killed with its guard, and executes the command. What keeps it
/// from that is reported over the pipe of the guard, which the command does not inherit.
pub(super) fn start(mut words: impl Iterator<Item = OsString>) -> ExitCode {
    let guard = words.next().and_then(|id| id.to_str()?.parse::<i32>().ok());
    let (Some(guard), Some(line)) = (guard, GuardLine::read(words)) else { return ExitCode::from(2) };
    let Ok(mut reports) = handed(REPORTS, OpenOptions::new().write(true)) else { return ExitCode::from(2) };
    close(REPORTS);
    let why = match become_it(guard, &line) {
        Some(error) => GuardReport::not_begun(&error),
        // Nobody hears it any more.
        None => return ExitCode::FAILURE,
    };
    let _unread = reports.write_all(why.line().as_bytes());
    ExitCode::FAILURE
}

/// Gives why the command was not executed; nothing if the guard is gone.
fn become_it(guard: i32, line: &GuardLine) -> Option<std::io::Error> {
    let noted = handed(LOCK, OpenOptions::new().write(true).truncate(true))
        .and_then(|mut file| file.write_all(Holder::of_process().text().as_bytes()));
    if let Err(error) = noted {
        return Some(error);
    }
    #[cfg(target_os = "linux")]
    if let Err(error) = nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGKILL) {
        return Some(error.into());
    }
    // It may have died before that was asked for.
    if nix::unistd::getppid().as_raw() != guard {
        return None;
    }
    if line.end.is_over() {
        return Some(std::io::Error::other("the run may be another driver's by now"));
    }
    Some(Command::new(&line.program).args(&line.args).env(MARK, &line.lock).exec())
}
