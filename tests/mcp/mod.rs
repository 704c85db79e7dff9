//! The Model Context Protocol: our client beside real servers and one that misbehaves, our server beside real clients.

mod client;
mod misbehaving;
mod part;
mod real;
mod server;
