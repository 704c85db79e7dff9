//! Tools of servers of the Model Context Protocol.
//!
//! [`McpServer`] is one server: it is started for the first call, or to be asked for its tools, and ends with the last
//! handle of it. [`McpTool`] is one tool of it, pinned to what the server said of it when the run began.
//!
//! # Why
//! - A server has the environment that its declaration names and nothing else, a process group of its own, and a guard: it
//!   does not outlive this process, however this ends.
//! - What a server says of its tools is a stranger's text: it is bounded, and hints count where the operator said so alone.
//! - A tool whose description changed is refused from then on: whoever granted it read another one.
//! - A call whose request was written and that has no answer may have been made. It is never made again here; what follows
//!   is the delivery's to say.
//! - A server that ended is started again for the next call, three times a run and after a pause: one that always falls
//!   over must not turn a loop of a graph into a loop of processes.
//! - A person is asked in the server's name and in words that are marked as the server's. A form is all that is filled in
//!   here: an address to be opened is a way to send somebody anywhere, and is declined.

mod call;
mod catalogue;
mod connection;
mod contents;
mod facts;
mod handler;
mod http;
mod lock;
mod login;
mod logins;
mod person_time;
mod pinned;
mod ports;
mod result;
mod server;
mod stdio;
mod stop;
mod text;
mod tool;

pub use catalogue::McpCatalogue;
pub use contents::ContentFolder;
pub use facts::ToolFacts;
pub use lock::{LOCK_NAME, LockFault, LockedServer, McpLock};
pub use login::McpLogin;
pub use logins::McpLogins;
pub use ports::McpPorts;
pub use server::McpServer;
pub use tool::{McpTool, UnstartedTool};
