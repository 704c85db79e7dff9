//! Servers of the Model Context Protocol as tools of graphs.

mod client;
mod client_http;
mod client_import;
mod client_lock;
mod client_terminal;
