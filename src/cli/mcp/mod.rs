//! `mcp`: the Model Context Protocol.

mod lock;

use clap::Subcommand;

use super::Exit;

/// `mcp`.
#[derive(Debug, clap::Args)]
pub(super) struct McpArgs {
    #[command(subcommand)]
    command: McpCommand,
}

/// What is done with it.
#[derive(Debug, Subcommand)]
enum McpCommand {
    /// Pin the tools of MCP servers in `loopwright.lock`, so that a change of them is noticed.
    Lock(lock::LockArgs),
}

pub(super) fn run(args: &McpArgs) -> Exit {
    match &args.command {
        McpCommand::Lock(args) => lock::run(args),
    }
}
