//! Traces as a collector gets them.

#[cfg(feature = "otel")]
pub(crate) mod collector;
#[cfg(feature = "otel")]
mod memory;
mod page;
#[cfg(feature = "otel")]
mod sent;
mod settings;
#[cfg(feature = "otel")]
mod tree;
