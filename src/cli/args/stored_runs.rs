//! The flags of commands that look at stored runs.

use std::path::PathBuf;

use super::{DB, Engine, Format, LogFormat};
use loopwright_core::store::StoreAddress;

/// The runs that a command names, and where they are stored.
pub(in crate::cli) struct RunReferences<'a> {
    /// An id each, the beginning of one, or `last`.
    pub(in crate::cli) words: Vec<&'a mut String>,
    /// The engine that drives them, if one does.
    pub(in crate::cli) engine: Option<&'a Engine>,
    /// The store.
    pub(in crate::cli) db: &'a StoreAddress,
}

impl<'a> RunReferences<'a> {
    /// One run.
    pub(in crate::cli) fn one(
        word: &'a mut String,
        engine: Option<&'a Engine>,
        db: &'a StoreAddress,
    ) -> Self {
        Self { words: vec![word], engine, db }
    }
}

/// `runs`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Runs {
    /// List the runs of this status alone: `running`, `interrupted`, `ready`, `waiting`, `ended`, `failed`, `cancelled`.
    #[arg(long, value_name = "STATUS", value_parser = ["running", "interrupted", "ready", "waiting", "ended", "failed", "cancelled"])]
    pub(in crate::cli) status: Option<String>,
    /// List the runs of this graph alone.
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) graph: Option<String>,
    /// List the N that began last.
    #[arg(long, value_name = "N")]
    pub(in crate::cli) last: Option<usize>,
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
    /// The run: its id, the beginning of it, or `last`.
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
    /// The run: its id, the beginning of it, or `last`.
    pub(in crate::cli) run: String,
    /// Print values whole; by default long ones are cut.
    #[arg(long)]
    pub(in crate::cli) full: bool,
    /// Print the events of this node alone.
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) node: Option<String>,
    /// Go on printing what is added, until the run has ended.
    #[arg(long)]
    pub(in crate::cli) follow: bool,
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
    /// Examine this store alone: a file, or a Postgres database (`postgres://HOST/DATABASE`). It is not changed.
    #[arg(long, value_name = "STORE", conflicts_with_all = ["config", "online", "trust"])]
    pub(in crate::cli) db: Option<StoreAddress>,
    /// The configuration; by default `loopwright.toml` in the working folder.
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) config: Option<PathBuf>,
    /// Ask each model for one token. Without it nothing is sent.
    #[arg(long)]
    pub(in crate::cli) online: bool,
    /// Allow a configuration with this digest, for this command only.
    #[arg(long, value_name = "DIGEST", value_parser = loopwright_core::app::trust::digest)]
    pub(in crate::cli) trust: Vec<String>,
    /// Print in this format.
    #[arg(long, value_enum, default_value = "human")]
    pub(in crate::cli) format: Format,
}
