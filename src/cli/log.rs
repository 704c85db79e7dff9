//! `--log`: spans and events of `tracing` on standard error.

use tracing_subscriber::fmt::format::FmtSpan;

use super::args::Level;

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
        .with_ansi(super::screen::stderr_is_terminal())
        .with_writer(std::io::stderr)
        .try_init()
        .map_err(|error| format!("--log: {error}"))
}
