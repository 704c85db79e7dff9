//! The flags that say what a run is driven with.

use std::path::PathBuf;

use super::line::Line;
use super::{DB, Level, Reach, RunFormat};
use loopwright_core::store::StoreAddress;
use loopwright_core::value::Str;

/// The ports that a run is driven with.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Ports {
    /// The configuration; by default `loopwright.toml` next to the graph or in the working folder. Settings that reach
    /// beyond its folder need `loopwright trust`.
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) config: Option<PathBuf>,
    /// A file of MCP servers in the shape of other programs (`mcpServers`), read as it stands. Its servers need grants.
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) mcp_config: Option<PathBuf>,
    /// Take what the MCP servers say of their tools now into `loopwright.lock`, and show what changed.
    #[arg(long)]
    pub(in crate::cli) update_lock: bool,
    /// A script that answers instead of models (and instead of tools and people, if it has answers for them).
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) script: Option<String>,
    /// Allow the graph to run a declared command, or to call tools of an MCP server: `fs.read_file`, or a pattern like
    /// `fs.read_*`. With a digest, only the command or the server with that digest.
    #[arg(long, value_name = "TOOL[@DIGEST]")]
    pub(in crate::cli) grant: Vec<String>,
    /// Allow a configuration or a store with this digest, for this command only; the variable `LOOPWRIGHT_TRUST` does the
    /// same.
    #[arg(long, value_name = "DIGEST", value_parser = loopwright_core::app::trust::digest)]
    pub(in crate::cli) trust: Vec<String>,
    /// The name of the person who does this, for the journal: it stands with the beginning, the answers and the other acts.
    #[arg(long, value_name = "NAME", value_parser = loopwright_core::app::person_name)]
    pub(in crate::cli) by: Option<Str>,
    /// The store of the run: a file, or a Postgres database (`postgres://HOST/DATABASE`); `run` creates it if it does not exist.
    #[arg(long, value_name = "STORE", default_value = DB)]
    pub(in crate::cli) db: StoreAddress,
    /// Write the run as a scenario file when it ends or waits, with its answers as a script next to it.
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) record: Option<PathBuf>,
    /// Let `--record` overwrite files that it did not write, or that were changed since.
    #[arg(long, requires = "record")]
    pub(in crate::cli) force: bool,
    /// Print a summary on standard error at the end: time, calls, tokens, cost, budgets. At a terminal, a run with a real
    /// model always prints it.
    #[arg(long)]
    pub(in crate::cli) summary: bool,
    /// Print in this format.
    #[arg(long, value_enum, default_value = "human")]
    pub(in crate::cli) format: RunFormat,
    /// Log to standard error.
    #[arg(long, value_enum, default_value = "off")]
    pub(in crate::cli) log: Level,
    /// The folder of its files.
    #[command(flatten)]
    pub(in crate::cli) reach: Reach,
    /// The people who are asked.
    #[arg(skip)]
    pub(in crate::cli) people: People,
}

/// The people who answer the questions of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::cli) enum People {
    /// Whoever is at the terminal.
    #[default]
    Terminal,
    /// Nobody: the run waits.
    Unattended,
}

impl Ports {
    /// Adds the flags that another command line for the same run needs.
    pub(in crate::cli) fn onto(&self, line: Line) -> Line {
        line.flag("--config", self.config.iter().map(|path| path.to_string_lossy()))
            .flag("--mcp-config", self.mcp_config.iter().map(|path| path.to_string_lossy()))
            .flag("--script", &self.script)
            .db(&self.db)
            .flag("--grant", &self.grant)
            .flag("--trust", &self.trust)
            .flag("--root", self.reach.root.iter().map(|path| path.to_string_lossy()))
            .flag("--by", &self.by)
            .flag("--record", self.record.iter().map(|path| path.to_string_lossy()))
    }

    /// The command line that resumes a run, with further words after it.
    pub(in crate::cli) fn resume(&self, run: &str, more: &[&str]) -> String {
        let line = self.onto(Line::of("resume").word(run));
        more.iter().fold(line, |line, word| line.word(word)).text()
    }
}
