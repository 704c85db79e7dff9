//! The page about several machines: its commands are run against real servers.

#[cfg(feature = "postgres")]
mod database;
#[cfg(feature = "restate")]
mod engine;

const PAGE: &str = "docs/scale.md";
