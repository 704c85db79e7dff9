//! Servers of the Model Context Protocol as tools of graphs.

mod client;
