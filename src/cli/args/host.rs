//! The flags of commands that drive runs which others begin.

use std::path::{Path, PathBuf};

use loopwright_core::store::StoreAddress;

use super::line::Line;
use super::{DB, Level, People, Ports, Reach, RunFormat};

/// The ports of runs that others begin.
#[derive(Debug, Clone, clap::Args)]
pub(in crate::cli) struct HostFlags {
    /// The configuration of runs; by default `loopwright.toml` next to the graph or in the working folder. Settings that reach
    /// beyond its folder need `loopwright trust`.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// A file of MCP servers in the shape of other programs (`mcpServers`), whose tools the graphs may call. They need grants.
    #[arg(long, value_name = "FILE")]
    mcp_config: Option<PathBuf>,
    /// A script that answers instead of models (and instead of tools, if it has answers for them), anew in each run.
    #[arg(long, value_name = "FILE")]
    script: Option<String>,
    /// Allow the graphs to use a declared tool, or tools of an MCP server: `fs.read_file`, or a pattern like `fs.read_*`. With a
    /// digest, only the one with that digest.
    #[arg(long, value_name = "TOOL[@DIGEST]")]
    grant: Vec<String>,
    /// Allow a configuration or a store with this digest, for this command only.
    #[arg(long, value_name = "DIGEST", value_parser = loopwright_core::app::trust::digest)]
    trust: Vec<String>,
    /// Log to standard error.
    #[arg(long, value_enum, default_value = "off")]
    pub(in crate::cli) log: Level,
    /// The folder of the graphs' files.
    #[command(flatten)]
    pub(in crate::cli) reach: Reach,
}

impl HostFlags {
    /// The digests of what is allowed for this command.
    pub(in crate::cli) fn trusted(&self) -> &[String] {
        &self.trust
    }

    /// A file that is named and is not there.
    pub(in crate::cli) fn absent(&self) -> Option<&Path> {
        let configs = [&self.config, &self.mcp_config].into_iter().flatten().map(PathBuf::as_path);
        configs.chain(self.script.as_deref().map(Path::new)).find(|file| !file.exists())
    }

    /// The ports of a run that is stored in `db`. Nobody is at a terminal for it, and nothing of it is printed.
    pub(in crate::cli) fn ports(&self, db: &StoreAddress) -> Ports {
        let Self { config, mcp_config, script, grant, trust, log, reach } = self.clone();
        Ports {
            config,
            mcp_config,
            update_lock: false,
            script,
            grant,
            trust,
            by: None,
            db: db.clone(),
            record: None,
            force: false,
            summary: false,
            format: RunFormat::Json,
            log,
            reach,
            people: People::Unattended,
        }
    }

    /// Adds the flags that another command line for the same runs needs.
    pub(in crate::cli) fn onto(&self, line: Line) -> Line {
        self.ports(&PathBuf::from(DB).into()).onto(line)
    }
}
