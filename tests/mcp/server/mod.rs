//! Our server, driven by clients.

mod client;
mod harmless;
mod hostile;
mod mending;
