//! `mcp`: the Model Context Protocol.

mod lock;
mod serve;

use clap::Subcommand;

use super::Exit;

/// `mcp`.
#[derive(Debug, clap::Args)]
pub(super) struct McpArgs {
    /// What is to be done.
    #[command(subcommand)]
    command: McpCommand,
}

/// What is done with it.
#[derive(Debug, Subcommand)]
enum McpCommand {
    /// Pin the tools of MCP servers in `loopwright.lock`, so that a change of them is noticed.
    Lock(lock::LockArgs),
    /// Serve check, explain, render, diff, format and test to agents in other programs.
    Serve(serve::ServeArgs),
}

pub(super) fn run(args: &McpArgs) -> Exit {
    match &args.command {
        McpCommand::Lock(args) => lock::run(args),
        McpCommand::Serve(args) => serve::run(args),
    }
}
