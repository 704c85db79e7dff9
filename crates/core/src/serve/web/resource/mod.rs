//! The resources, a file for each kind.

pub(super) mod acts;
pub(super) mod events;
pub(super) mod graph_texts;
pub(super) mod graph_versions;
pub(super) mod graphs;
pub(super) mod hooks;
pub(super) mod metrics;
pub(super) mod questions;
pub(super) mod runs;
pub(super) mod session;
pub(super) mod states;
pub(super) mod texts;
pub(super) mod versions;
