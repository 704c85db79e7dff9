//! Servers: graphs and the harmless commands, for agents in other programs.
//!
//! - [`protocol`]: an MCP server over whatever is offered: [`ServedTool`](protocol::ServedTool)s, prompts and resources. It
//!   knows nothing of graphs.
//! - [`commands`]: `check`, `explain`, `render`, `diff`, `format` and `test` as functions from texts to a reply.
//! - [`confined`]: the same in a process of their own, which has neither files nor time nor memory to do harm with.
//! - [`graphs`]: graphs as tools, for operators who ask for that.
//! - [`web`]: an API over HTTP to begin runs, watch them and answer what they ask.
//! - [`callback`]: the address to which a browser is sent back after a login.
//! - [`prompts()`], [`language_resources`], [`rule_pages`]: what an agent needs to write a graph.
//!
//! # Why
//! - A command over texts is harmless by what it is: it takes a map of files, and what is not in the map is not there. The
//!   process around it is a second wall, and the only bound of time and memory that holds whatever a text makes of the
//!   program ([decision 0092](../../../docs/decisions/0092-harmless-commands-in-a-process.md)).

pub mod callback;
pub mod commands;
pub mod confined;
pub mod graphs;
mod harmless;
mod language;
mod listener;
mod prompts;
pub mod protocol;
mod text_resource;
pub mod web;

pub use self::harmless::harmless_tools;
pub use self::language::{language_resources, rule_pages};
pub use self::prompts::prompts;
