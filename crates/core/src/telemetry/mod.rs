//! What a collector is told: where it goes ([`Settings`]), and with the feature `otel` the way there: traces (`Telemetry`) and metrics
//! (`MetricSender`).
//!
//! What is exported of runs are their spans with their events, of level `info` and above: no prompt, answer or argument. Metrics are the
//! [figures](Figure) of a server, which it also shows as [`open_metrics`].

#[cfg(feature = "otel")]
mod client;
#[cfg(feature = "otel")]
mod export;
#[cfg(feature = "otel")]
mod exporter;
mod figure;
#[cfg(feature = "otel")]
mod metrics;
mod settings;
#[cfg(feature = "otel")]
mod tally;

#[cfg(feature = "otel")]
pub use export::Telemetry;
#[cfg(feature = "otel")]
pub use exporter::Hide;
pub use figure::{Durations, Figure, FigureValues, HearDuration, Labelled, open_metrics};
#[cfg(feature = "otel")]
pub use metrics::MetricSender;
pub use settings::{InvalidVariable, Protocol, Settings, Signal};
