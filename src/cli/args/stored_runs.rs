//! The flags of commands that look at stored runs.

use std::path::PathBuf;

use super::{DB, Engine, Format, LogFormat};

/// `runs`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Runs {
    /// The file in which runs are stored.
    #[arg(long, value_name = "PATH", default_value = DB)]
    pub(in crate::cli) db: PathBuf,
    /// Look at the runs that an engine drives instead: `restate=URL`.
    #[arg(long, value_name = "ENGINE=URL", value_parser = Engine::read, conflicts_with = "db")]
    pub(in crate::cli) engine: Option<Engine>,
    /// Print in this format.
    #[arg(long, value_enum, default_value = "human")]
    pub(in crate::cli) format: Format,
}

/// `show`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Show {
    /// The run's id.
    pub(in crate::cli) run: String,
    /// The step: the number of transitions that the graph had made; by default the current step.
    #[arg(long, value_name = "N")]
    pub(in crate::cli) at: Option<u64>,
    /// The file in which runs are stored.
    #[arg(long, value_name = "PATH", default_value = DB)]
    pub(in crate::cli) db: PathBuf,
    /// Look at the runs that an engine drives instead: `restate=URL`.
    #[arg(long, value_name = "ENGINE=URL", value_parser = Engine::read, conflicts_with = "db")]
    pub(in crate::cli) engine: Option<Engine>,
    /// Print in this format.
    #[arg(long, value_enum, default_value = "human")]
    pub(in crate::cli) format: Format,
}

/// `log`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Log {
    /// The run's id.
    pub(in crate::cli) run: String,
    /// The file in which runs are stored.
    #[arg(long, value_name = "PATH", default_value = DB)]
    pub(in crate::cli) db: PathBuf,
    /// Look at the runs that an engine drives instead: `restate=URL`.
    #[arg(long, value_name = "ENGINE=URL", value_parser = Engine::read, conflicts_with = "db")]
    pub(in crate::cli) engine: Option<Engine>,
    /// Print in this format.
    #[arg(long, value_enum, default_value = "human")]
    pub(in crate::cli) format: LogFormat,
}

/// `doctor`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Doctor {
    /// The file in which runs are stored. It is not changed.
    #[arg(long, value_name = "PATH", default_value = DB)]
    pub(in crate::cli) db: PathBuf,
    /// Print in this format.
    #[arg(long, value_enum, default_value = "human")]
    pub(in crate::cli) format: Format,
}
