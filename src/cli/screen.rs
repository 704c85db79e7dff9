//! Printing: colour on a terminal only, and a closed pipe is no failure.

use std::io::{IsTerminal, Write};

use super::Exit;
use crate::syntax::is_hidden;

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

/// A text that comes from elsewhere, on one line: what a terminal would obey or not show is written out.
pub(super) fn line(text: &str) -> String {
    escaped(text, char::is_control)
}

/// The same with the breaks of its lines.
pub(super) fn lines(text: &str) -> String {
    escaped(text, |c| c.is_control() && c != '\n' && c != '\t')
}

fn escaped(text: &str, obeyed: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if obeyed(c) || is_hidden(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

/// Whether standard output is a terminal.
pub(super) fn stdout_is_terminal() -> bool {
    std::io::stdout().is_terminal()
}

/// Whether standard error is a terminal.
pub(super) fn stderr_is_terminal() -> bool {
    std::io::stderr().is_terminal()
}
