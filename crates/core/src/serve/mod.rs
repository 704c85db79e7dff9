//! What serves: graphs and the harmless commands, for agents in other programs.
//!
//! - [`protocol`]: an MCP server over whatever is offered: [`ServedTool`](protocol::ServedTool)s, prompts and resources. It
//!   knows nothing of graphs.
//! - [`commands`]: `check`, `explain`, `render`, `diff`, `format` and `test` as functions from texts to a reply.
//! - [`confined`]: the same in a process of their own, which has neither files nor time nor memory to do harm with.
//!
//! # Why
//! - A command over texts is harmless by what it is: it takes a map of files, and what is not in the map is not there. The
//!   process around it is a second wall, and the only bound of time and memory that holds whatever a text makes of the
//!   program ([decision 0092](../../../docs/decisions/0092-harmless-commands-in-a-process.md)).

pub mod commands;
pub mod confined;
mod harmless;
pub mod protocol;

pub use self::harmless::harmless_tools;
