//! MCP servers of a run: which of them are started, and whether their tools are those that were locked.

mod connect;
mod lock_file;
mod logins;

pub use connect::{ConnectedServers, McpMode, McpPlan, McpRefusal, WantedTools};
pub use lock_file::LockFile;
pub use logins::UserLogins;
