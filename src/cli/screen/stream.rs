//! The two streams, and what becomes of what cannot be written. Texts come here as they may be printed.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use super::super::files::reason;
use super::{Exit, hidden, line};

/// Standard output took no more. What came after the gap would be taken for what was to be there.
static LOST: AtomicBool = AtomicBool::new(false);

/// Writes to standard output. Nobody has to read what is printed; but where the rest of it is lost, that is reported.
pub(super) fn out(text: &str) -> Exit {
    write(&mut anstream::stdout(), hidden(text).as_bytes())
}

/// Writes bytes that are no text to standard output.
pub(super) fn raw(bytes: &[u8]) -> Exit {
    write(&mut io::stdout(), bytes)
}

fn write(out: &mut impl Write, bytes: &[u8]) -> Exit {
    if LOST.load(Ordering::Relaxed) {
        return Exit::Usage;
    }
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Ok(()) => Exit::Ok,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Ok,
        Err(error) => {
            LOST.store(true, Ordering::Relaxed);
            // Where this cannot be reported either, the exit code tells.
            let _ = err(&format!("error: standard output: {}: the output is incomplete\n", reason(&error)));
            Exit::Usage
        }
    }
}

/// Standard input and output for messages of a protocol, in place of all that is printed there.
pub(in crate::cli) fn messages() -> (tokio::io::Stdin, tokio::io::Stdout) {
    (tokio::io::stdin(), tokio::io::stdout())
}

/// The same for who reads and writes on threads of its own.
pub(in crate::cli) fn blocking_messages() -> (io::Stdin, io::Stdout) {
    (io::stdin(), io::stdout())
}

/// Writes to standard error.
pub(super) fn err(text: &str) -> io::Result<()> {
    let mut err = anstream::stderr();
    err.write_all(hidden(text).as_bytes()).and_then(|()| err.flush())
}

/// The end of a command as far as its output goes, with what helps. What it `did` beside printing is not to be done twice.
pub(in crate::cli) fn end(did: bool) -> Exit {
    if !LOST.load(Ordering::Relaxed) {
        return Exit::Ok;
    }
    let help = if did {
        "make room; the work of the command is done and stored: `loopwright runs` lists runs, and `loopwright show RUN` prints one"
    } else {
        "make room, or print elsewhere, and repeat the command"
    };
    let _ = err(&format!("help: {help}\n"));
    Exit::Usage
}

/// Returns true if standard output is a terminal.
pub(super) fn stdout_is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// The columns of the terminal that standard output is; none where it is none.
pub(in crate::cli) fn width() -> Option<usize> {
    let (width, _) = terminal_size::terminal_size_of(io::stdout())?;
    Some(usize::from(width.0))
}

/// Returns true if standard error is a terminal.
pub(in crate::cli) fn stderr_is_terminal() -> bool {
    io::stderr().is_terminal()
}

/// Returns true if colours are wanted on standard output.
pub(super) fn stdout_is_coloured() -> bool {
    stdout_is_terminal() && anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never
}

/// Returns true if colours are wanted on standard error.
pub(super) fn stderr_is_coloured() -> bool {
    stderr_is_terminal() && anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never
}

/// Standard error for lines of a log. Each comes in one piece, and stays one line whatever is in it.
pub(in crate::cli) struct Log;

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        err(&format!("{}\n", line(text.strip_suffix('\n').unwrap_or(&text))))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
