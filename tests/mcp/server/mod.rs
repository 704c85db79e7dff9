//! Our server, driven by clients.

mod client;
mod conformance;
mod fixture;
mod graphs;
mod harmless;
mod hostile;
mod http;
mod inspector;
mod mending;
