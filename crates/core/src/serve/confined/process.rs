//! The process that carries out one command.

use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{ExitCode, ExitStatus};

use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::Signal;

use super::ConfinedCall;
use crate::serve::commands::{CommandReply, TextCommand};

/// The number of files that are open: the three streams. No other can be opened.
const OPEN_FILES: u64 = 3;

/// Reads a call, carries it out, writes the reply.
pub(super) fn carry_out() -> ExitCode {
    for (resource, limit) in [(Resource::RLIMIT_NOFILE, OPEN_FILES), (Resource::RLIMIT_FSIZE, 0)] {
        if setrlimit(resource, limit, limit).is_err() {
            return ExitCode::FAILURE;
        }
    }
    let mut text = Vec::new();
    if std::io::stdin().lock().read_to_end(&mut text).is_err() {
        return ExitCode::FAILURE;
    }
    let reply = match serde_json::from_slice::<ConfinedCall>(&text) {
        Err(error) => CommandReply::refused(&format!("the call cannot be read: {error}")),
        Ok(call) => match TextCommand::named(&call.command) {
            None => CommandReply::refused("there is no such command"),
            Some(command) => command.run(call.arguments),
        },
    };
    let written = serde_json::to_vec(&reply).is_ok_and(|bytes| {
        let mut out = std::io::stdout().lock();
        out.write_all(&bytes).and_then(|()| out.flush()).is_ok()
    });
    if written { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Says why a process gave no reply.
pub(super) fn cause(status: ExitStatus, bytes: u64) -> String {
    let signal = status.signal().and_then(|number| Signal::try_from(number).ok());
    match signal {
        // That is how a program ends that gets no more memory.
        Some(Signal::SIGABRT | Signal::SIGSEGV | Signal::SIGBUS) => {
            format!("it needs more than {} MiB of memory, which is all that a call has", bytes >> 20)
        }
        Some(Signal::SIGXCPU | Signal::SIGKILL) => "it took longer than a call may take".to_owned(),
        _ => format!("its process gave no reply ({status})"),
    }
}
