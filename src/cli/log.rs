//! Spans and events of `tracing`: on standard error with `--log`, and to a collector where the environment names one.

use tracing_subscriber::Layer;
use tracing_subscriber::filter::EnvFilter;
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use super::args::Level;
use super::screen;
use super::traces::Traces;

/// Starts both, once per process.
pub(super) fn start(level: Level) -> Result<Traces, String> {
    let traces = Traces::asked();
    let filter = filter(level);
    // Where nobody looks, no span is made at all.
    if filter.is_none() && !traces.are_sent() {
        return Ok(traces);
    }
    let shown = filter.map(|filter| {
        tracing_subscriber::fmt::layer()
            .with_span_events(FmtSpan::CLOSE)
            // Logged texts come from everywhere; if they had colours, nobody could tell whose they are.
            .with_ansi(false)
            .with_writer(|| screen::Log)
            .with_filter(filter)
    });
    let subscriber = tracing_subscriber::registry().with(shown).with(traces.layer());
    subscriber.try_init().map_err(|error| format!("--log: {error}"))?;
    Ok(traces)
}

fn filter(level: Level) -> Option<EnvFilter> {
    let level = match level {
        Level::Off => return None,
        Level::Error => tracing::Level::ERROR,
        Level::Warn => tracing::Level::WARN,
        Level::Info => tracing::Level::INFO,
        Level::Debug => tracing::Level::DEBUG,
        Level::Trace => tracing::Level::TRACE,
    };
    Some(EnvFilter::new(format!("off,loopwright={level}")))
}
