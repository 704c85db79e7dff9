//! `tools`: the tools of a configuration, and how one answers.

mod call;
mod catalogue;
mod list;

use clap::Subcommand;

use super::args::{ConfigFlags, Format};
use super::{Exit, log, screen};

/// `tools`.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct ToolsArgs {
    /// Show what is granted to this graph, and which tools it calls.
    graph: Option<String>,
    #[command(flatten)]
    flags: ConfigFlags,
    /// Print in this format.
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
    #[command(subcommand)]
    command: Option<ToolsCommand>,
}

/// The work on them.
#[derive(Debug, Subcommand)]
enum ToolsCommand {
    /// Call one tool, and print its result as JSON.
    Call(call::CallArgs),
}

pub(super) fn run(args: &ToolsArgs) -> Exit {
    let level = match &args.command {
        Some(ToolsCommand::Call(call)) => call.flags.log,
        None => args.flags.log,
    };
    let traces = match log::start(level) {
        Ok(traces) => traces,
        Err(message) => return screen::refuse(&message),
    };
    let exit = match &args.command {
        Some(ToolsCommand::Call(call)) => call::call(call),
        None => list::list(args),
    };
    traces.end();
    exit.unwrap_or_else(|exit| exit)
}
