//! The flags that say what a run is driven with.

use std::path::PathBuf;

use super::line::Line;
use super::{DB, Level, Reach, RunFormat};

/// The ports that a run is driven with.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Ports {
    /// The configuration; otherwise `loopwright.toml` beside the graph or in the working folder. What it asks for beyond its
    /// folder holds once `loopwright trust` allowed it.
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) config: Option<PathBuf>,
    /// Answers of a scripted model (and of tools and people, where the file has them).
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) script: Option<String>,
    /// Let the graph use a declared command. With a digest it is only the command that has it.
    #[arg(long, value_name = "TOOL[@DIGEST]")]
    pub(in crate::cli) grant: Vec<String>,
    /// Allow a configuration or a store of this digest, for this command alone; so does the variable `LOOPWRIGHT_TRUST`.
    #[arg(long, value_name = "DIGEST", value_parser = crate::cli::trust::digest)]
    pub(in crate::cli) trust: Vec<String>,
    /// The file in which the run is kept; `run` makes it if it is not there.
    #[arg(long, value_name = "PATH", default_value = DB)]
    pub(in crate::cli) db: PathBuf,
    /// Write the run as a scenario file when it ends or waits, and its answers as a script beside it.
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) record: Option<PathBuf>,
    /// Let `--record` write over files that it did not write, or that were changed since.
    #[arg(long, requires = "record")]
    pub(in crate::cli) force: bool,
    /// Say at the end on standard error what it took: time, calls, tokens, cost, budgets. At a terminal that is said anyway where a
    /// real model answered.
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
}

impl Ports {
    /// Adds the flags that another command line for the same run needs.
    pub(super) fn onto(&self, line: Line) -> Line {
        line.flag("--config", self.config.iter().map(|path| path.to_string_lossy()))
            .flag("--script", &self.script)
            .db(&self.db)
            .flag("--grant", &self.grant)
            .flag("--trust", &self.trust)
            .flag("--root", self.reach.root.iter().map(|path| path.to_string_lossy()))
            .flag("--record", self.record.iter().map(|path| path.to_string_lossy()))
    }

    /// The command line that goes on with a run, with further words behind it.
    pub(in crate::cli) fn resume(&self, run: &str, more: &[&str]) -> String {
        let line = self.onto(Line::of("resume").word(run));
        more.iter().fold(line, |line, word| line.word(word)).text()
    }
}
