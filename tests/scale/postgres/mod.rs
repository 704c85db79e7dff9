//! Runs in a Postgres database: a real server, killed and stopped while runs are stored.

mod conformance;
pub(crate) mod server;
