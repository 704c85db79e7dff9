//! An MCP server over whatever is offered. It knows nothing of graphs.
//!
//! An [`ServerOffer`] has tools, prompts and resources, each behind a small trait. [`serve_lines`] speaks over standard input and
//! output or any other pair of streams, [`http`] over HTTP; a [`Session`] is one client's conversation.
//!
//! The protocol is that of 2025-11-25 and the versions before it; clients of 2026-07-28, which has no handshake, are answered
//! as well.
//!
//! # Why
//! - Lines are read here and not by the library of the protocol: that one drops what it cannot read without a word, and a
//!   client would wait for ever.
//! - The messages are the library's types: they are the protocol's, and to repeat them would add nothing.

mod call;
pub mod http;
mod lines;
mod offer;
mod pages;
mod served;
mod session;

pub use rmcp::model;

pub use self::call::{CallLog, ClientCall};
pub use self::lines::{Lines, MAX_MESSAGE_BYTES, serve_lines};
pub use self::offer::ServerOffer;
pub use self::served::{ServedPrompt, ServedResource, ServedTemplate, ServedTool};
pub use self::session::Session;
