//! `mcp`: the Model Context Protocol.

mod lock;
mod login;
mod serve;
mod servers;

use clap::Subcommand;

use super::Exit;

/// `mcp`.
#[derive(Debug, clap::Args)]
pub(super) struct McpArgs {
    /// The command.
    #[command(subcommand)]
    command: McpCommand,
}

/// The uses of the protocol.
#[derive(Debug, Subcommand)]
enum McpCommand {
    /// Pin the tools of MCP servers in `loopwright.lock`, so that a change of them is noticed.
    Lock(lock::LockArgs),
    /// Log in at an MCP server that asks for it, in the browser. Runs use the login from then on.
    Login(login::LoginArgs),
    /// Forget the login at an MCP server.
    Logout(login::LogoutArgs),
    /// Serve check, explain, render, diff, format and test to agents in other programs.
    Serve(serve::ServeArgs),
}

pub(super) fn run(args: &McpArgs) -> Exit {
    match &args.command {
        McpCommand::Lock(args) => lock::run(args),
        McpCommand::Login(args) => login::login(args),
        McpCommand::Logout(args) => login::logout(args),
        McpCommand::Serve(args) => serve::run(args),
    }
}
