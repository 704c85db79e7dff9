//! The flags of commands that look at kept runs.

use std::path::PathBuf;

use super::{DB, Format, LogFormat};

/// `runs`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Runs {
    /// The file in which runs are kept.
    #[arg(long, value_name = "PATH", default_value = DB)]
    pub(in crate::cli) db: PathBuf,
    /// Print in this format.
    #[arg(long, value_enum, default_value = "human")]
    pub(in crate::cli) format: Format,
}

/// `show`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Show {
    /// The run's id.
    pub(in crate::cli) run: String,
    /// The step: how many transitions the graph had made. Otherwise where the run stands now.
    #[arg(long, value_name = "N")]
    pub(in crate::cli) at: Option<u64>,
    /// The file in which runs are kept.
    #[arg(long, value_name = "PATH", default_value = DB)]
    pub(in crate::cli) db: PathBuf,
    /// Print in this format.
    #[arg(long, value_enum, default_value = "human")]
    pub(in crate::cli) format: Format,
}

/// `log`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Log {
    /// The run's id.
    pub(in crate::cli) run: String,
    /// The file in which runs are kept.
    #[arg(long, value_name = "PATH", default_value = DB)]
    pub(in crate::cli) db: PathBuf,
    /// Print in this format.
    #[arg(long, value_enum, default_value = "human")]
    pub(in crate::cli) format: LogFormat,
}

/// `doctor`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Doctor {
    /// The file in which runs are kept. Nothing in it is changed.
    #[arg(long, value_name = "PATH", default_value = DB)]
    pub(in crate::cli) db: PathBuf,
    /// Print in this format.
    #[arg(long, value_enum, default_value = "human")]
    pub(in crate::cli) format: Format,
}
