//! The flags of commands that look at stored runs.

use super::{DB, Engine, Format, LogFormat};
use loopwright_core::store::StoreAddress;

/// `runs`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Runs {
    /// The store of the runs: a file, or a Postgres database (`postgres://HOST/DATABASE`).
    #[arg(long, value_name = "STORE", default_value = DB)]
    pub(in crate::cli) db: StoreAddress,
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
    /// The store of the runs: a file, or a Postgres database (`postgres://HOST/DATABASE`).
    #[arg(long, value_name = "STORE", default_value = DB)]
    pub(in crate::cli) db: StoreAddress,
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
    /// The store of the runs: a file, or a Postgres database (`postgres://HOST/DATABASE`).
    #[arg(long, value_name = "STORE", default_value = DB)]
    pub(in crate::cli) db: StoreAddress,
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
    /// The store of the runs: a file, or a Postgres database (`postgres://HOST/DATABASE`). It is not changed.
    #[arg(long, value_name = "STORE", default_value = DB)]
    pub(in crate::cli) db: StoreAddress,
    /// Print in this format.
    #[arg(long, value_enum, default_value = "human")]
    pub(in crate::cli) format: Format,
}
