//! `worker`: drives runs that others begin.

mod restate;

use clap::Subcommand;

use super::Exit;

/// `worker`.
#[derive(Debug, clap::Args)]
pub(super) struct WorkerArgs {
    /// The engine.
    #[command(subcommand)]
    command: WorkerCommand,
}

/// The engines that workers are for.
#[derive(Debug, Subcommand)]
enum WorkerCommand {
    /// Serve graphs to a Restate server, which calls this worker to drive their runs.
    Restate(restate::RestateArgs),
}

pub(super) fn run(args: &WorkerArgs) -> Exit {
    match &args.command {
        WorkerCommand::Restate(args) => restate::run(args),
    }
}
