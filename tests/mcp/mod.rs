//! The Model Context Protocol.

mod server;
