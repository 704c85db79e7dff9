//! Printing: colour on a terminal only, and a closed pipe is no failure.

use std::borrow::Cow;
use std::io::{IsTerminal, Write};
use std::sync::OnceLock;

use super::Exit;
use crate::port::Mask;
use crate::syntax::is_hidden;

/// What is never printed.
static HIDDEN: OnceLock<Mask> = OnceLock::new();

/// From now on nothing is printed of what the mask hides. What was set first stays.
pub(super) fn hide(mask: Mask) {
    let _ = HIDDEN.set(mask);
}

/// The text as it may be printed.
pub(super) fn hidden(text: &str) -> Cow<'_, str> {
    HIDDEN.get().map_or(Cow::Borrowed(text), |mask| mask.text(text))
}

/// Prints to standard output.
pub(super) fn print(text: &str) -> Exit {
    let mut out = anstream::stdout();
    match out.write_all(hidden(text).as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Exit::Ok,
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Exit::Ok,
        Err(_) => Exit::Usage,
    }
}

/// Prints to standard error; nothing can be done where that fails.
pub(super) fn say(text: &str) {
    let mut err = anstream::stderr();
    let _ = err.write_all(hidden(text).as_bytes());
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
