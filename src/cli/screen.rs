//! Printing: colour on a terminal only, and a closed pipe is no failure.

use std::io::{IsTerminal, Write};

use super::Exit;

/// Prints to standard output.
pub(super) fn print(text: &str) -> Exit {
    let mut out = anstream::stdout();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Exit::Ok,
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Exit::Ok,
        Err(_) => Exit::Usage,
    }
}

/// Prints to standard error; nothing can be done where that fails.
pub(super) fn say(text: &str) {
    let mut err = anstream::stderr();
    let _ = err.write_all(text.as_bytes());
    let _ = err.flush();
}

/// Says what is wrong with the command's use.
pub(super) fn refuse(message: &str) -> Exit {
    say(&format!("error: {message}\n"));
    Exit::Usage
}

/// Whether standard output is a terminal.
pub(super) fn stdout_is_terminal() -> bool {
    std::io::stdout().is_terminal()
}

/// Whether standard error is a terminal.
pub(super) fn stderr_is_terminal() -> bool {
    std::io::stderr().is_terminal()
}
