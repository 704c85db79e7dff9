//! Traces for a collector, as the environment asks for them.

use super::screen;
#[cfg(feature = "otel")]
use loopwright_core::telemetry::Telemetry;
use loopwright_core::telemetry::{InvalidVariable, Settings, Signal};

/// The time limit for sending the rest of a trace at the end of a command.
#[cfg(feature = "otel")]
const END: std::time::Duration = std::time::Duration::from_secs(5);

/// The traces of a command.
pub(super) struct Traces {
    #[cfg(feature = "otel")]
    sent: Option<(Telemetry, Settings)>,
}

/// The complaint where the environment asks for a signal.
#[cfg(not(feature = "otel"))]
pub(super) const WITHOUT: &str = "this program was built without the feature `otel`\nhelp: build it with `cargo install --locked --path . --features otel`, \
                       or set OTEL_SDK_DISABLED=true";

/// Reads the settings of the environment for a signal. A setting that cannot be met is reported, and the command still
/// runs.
pub(super) fn settings(signal: Signal) -> Option<Settings> {
    asked(signal).unwrap_or_else(|unfit| {
        warn(signal, &unfit.to_string());
        None
    })
}

fn asked(signal: Signal) -> Result<Option<Settings>, InvalidVariable> {
    Settings::of(signal, |name| std::env::var(name).ok())
}

/// Says why nothing of a signal is sent.
pub(super) fn warn(signal: Signal, why: &str) {
    let what = match signal {
        Signal::Traces => "traces",
        Signal::Metrics => "metrics",
    };
    screen::say(&format!("warning: no {what} are sent: {why}\n"));
}

/// Secrets for sending traces and metrics, to be hidden in all output.
pub(super) fn secrets() -> Vec<String> {
    let all = [Signal::Traces, Signal::Metrics].into_iter().filter_map(|signal| asked(signal).ok().flatten());
    all.flat_map(|settings| settings.secrets).collect()
}

#[cfg(feature = "otel")]
impl Traces {
    /// Begins what the environment asks for.
    pub(super) fn asked() -> Self {
        let sent =
            settings(Signal::Traces).and_then(|settings| match Telemetry::new(&settings, screen::hidden) {
                Ok(telemetry) => Some((telemetry, settings)),
                Err(why) => {
                    warn(Signal::Traces, &why);
                    None
                }
            });
        Self { sent }
    }

    /// True if traces are sent.
    pub(super) const fn are_sent(&self) -> bool {
        self.sent.is_some()
    }

    /// The layer that receives spans.
    pub(super) fn layer<S>(&self) -> Option<impl tracing_subscriber::Layer<S> + Send + Sync + use<S>>
    where
        S: tracing::Subscriber + for<'span> tracing_subscriber::registry::LookupSpan<'span> + Send + Sync,
    {
        self.sent.as_ref().map(|(telemetry, _)| telemetry.layer())
    }

    /// Sends the rest, and says so where that fails.
    pub(super) fn end(self) {
        let Some((telemetry, settings)) = self.sent else { return };
        if let Err(why) = telemetry.end(END) {
            let why = screen::line(&why);
            screen::say(&format!("warning: traces for {}: {why}\n", screen::line(settings.collector())));
        }
    }
}

#[cfg(not(feature = "otel"))]
impl Traces {
    /// Says what would be needed for what the environment asks for.
    pub(super) fn asked() -> Self {
        if settings(Signal::Traces).is_some() {
            warn(Signal::Traces, WITHOUT);
        }
        Self {}
    }

    /// True if traces are sent.
    #[expect(clippy::unused_self, reason = "with the feature `otel` it is asked")]
    pub(super) const fn are_sent(&self) -> bool {
        false
    }

    /// The layer that receives spans.
    #[expect(clippy::unused_self, reason = "with the feature `otel` it is asked")]
    pub(super) fn layer(&self) -> tracing_subscriber::layer::Identity {
        tracing_subscriber::layer::Identity::new()
    }

    /// Nothing is left.
    #[expect(clippy::unused_self, reason = "with the feature `otel` it is asked")]
    pub(super) const fn end(self) {}
}
