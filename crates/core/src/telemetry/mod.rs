//! Traces for a collector: where they go ([`Settings`]), and with the feature `otel` the way there (`Telemetry`).
//!
//! What is exported are the spans of a run with their events, of level `info` and above: no prompt, answer or argument.

#[cfg(feature = "otel")]
mod client;
#[cfg(feature = "otel")]
mod export;
#[cfg(feature = "otel")]
mod exporter;
mod settings;
#[cfg(feature = "otel")]
mod tally;

#[cfg(feature = "otel")]
pub use export::Telemetry;
#[cfg(feature = "otel")]
pub use exporter::Hide;
pub use settings::{InvalidVariable, Protocol, Settings};
