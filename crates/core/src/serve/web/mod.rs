//! The API of a folder of graphs and a store of runs, over HTTP.
//!
//! [`WebApi`] is all of it without a socket, [`WebServer`] gives it an address. Everything is under `/api/v1` and described by
//! [`openapi_json`], which is made from the handlers in `resource`. `page` has the addresses of a page for browsers: it uses the API and nothing else.
//!
//! # Why
//! - One process serves and drives. What is stored of a run is the same as with the command line, so that killing the process loses
//!   nothing ([decision 0102](../../../../docs/decisions/0102-an-api-in-one-process.md)).
//! - Whoever reaches the address could approve calls: there is a token always, on the loopback address as well, and every act has the name
//!   behind the token ([decision 0103](../../../../docs/decisions/0103-who-acted.md)).
//! - Texts of graphs are read by a process of their own, as with `mcp serve`.

mod api;
mod connections;
mod door;
mod extract;
mod feed;
mod figures;
mod graph_files;
mod journal_reader;
mod known_costs;
mod known_graphs;
mod page;
mod person;
mod place;
mod places;
mod problem;
mod program_files;
mod resource;
mod routes;
mod runner;
mod server;
mod streamed;
mod web_graph;
mod webhook;

pub use self::api::{WebApi, WebListener, WebParts};
pub use self::connections::ServerBounds;
pub use self::door::Door;
pub use self::graph_files::GraphFiles;
pub use self::person::{Role, Tokens, new_token};
pub use self::routes::openapi_json;
pub use self::runner::RunNotes;
pub use self::server::{TlsIdentity, WebServer};
pub use self::web_graph::WebGraph;
pub use self::webhook::Webhook;
