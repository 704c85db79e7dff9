//! `mcp`: the Model Context Protocol.

mod serve;

use super::Exit;

/// `mcp`.
#[derive(Debug, clap::Args)]
pub(super) struct McpArgs {
    /// What is to be done.
    #[command(subcommand)]
    command: McpCommand,
}

/// The commands of `mcp`.
#[derive(Debug, clap::Subcommand)]
enum McpCommand {
    /// Serve check, explain, render, diff, format and test to agents in other programs.
    Serve(serve::ServeArgs),
}

pub(super) fn run(args: &McpArgs) -> Exit {
    match &args.command {
        McpCommand::Serve(args) => serve::run(args),
    }
}
