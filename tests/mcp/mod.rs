//! The Model Context Protocol: our client beside real servers and one that misbehaves, our server beside real clients.

mod client;
mod client_http;
mod client_import;
mod client_lock;
mod client_terminal;
mod conformance;
mod misbehaving;
mod part;
mod real;
mod server;
