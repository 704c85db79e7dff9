//! `--log`: spans and events of `tracing` on standard error.

use std::io::{self, Write};

use tracing_subscriber::fmt::format::FmtSpan;

use super::args::Level;
use super::screen;

/// Starts logging, once per process.
pub(super) fn start(level: Level) -> Result<(), String> {
    let level = match level {
        Level::Off => return Ok(()),
        Level::Error => tracing::Level::ERROR,
        Level::Warn => tracing::Level::WARN,
        Level::Info => tracing::Level::INFO,
        Level::Debug => tracing::Level::DEBUG,
        Level::Trace => tracing::Level::TRACE,
    };
    let filter = tracing_subscriber::EnvFilter::new(format!("off,loopwright={level}"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_span_events(FmtSpan::CLOSE)
        .with_ansi(screen::stderr_is_terminal())
        .with_writer(|| Hidden)
        .try_init()
        .map_err(|error| format!("--log: {error}"))
}

/// Standard error without what nobody may see. Each event comes in one piece.
struct Hidden;

impl Write for Hidden {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        io::stderr().write_all(screen::hidden(&String::from_utf8_lossy(bytes)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
