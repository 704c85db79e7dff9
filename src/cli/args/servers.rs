//! The flags of commands that look at tools without a run.

use std::path::PathBuf;

use super::{Level, Line};

/// The configuration that is meant, and what of it is allowed.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct ConfigFlags {
    /// The configuration; by default `loopwright.toml` next to the graph or in the working folder.
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) config: Option<PathBuf>,
    /// A file of MCP servers in the shape of other programs (`mcpServers`), read as it stands.
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) mcp_config: Option<PathBuf>,
    /// Allow a declared command, or tools of an MCP server: `fs.read_file`, `fs.read_*`. With a digest, only the command or
    /// the server with that digest.
    #[arg(long, value_name = "TOOL[@DIGEST]")]
    pub(in crate::cli) grant: Vec<String>,
    /// Allow a configuration with this digest, for this command only.
    #[arg(long, value_name = "DIGEST", value_parser = loopwright_core::app::trust::digest)]
    pub(in crate::cli) trust: Vec<String>,
    /// Log to standard error.
    #[arg(long, value_enum, default_value = "off")]
    pub(in crate::cli) log: Level,
}

impl ConfigFlags {
    /// Adds the flags that another command line for the same needs.
    pub(in crate::cli) fn onto(&self, line: Line) -> Line {
        line.flag("--config", self.config.iter().map(|path| path.to_string_lossy()))
            .flag("--mcp-config", self.mcp_config.iter().map(|path| path.to_string_lossy()))
            .flag("--grant", &self.grant)
            .flag("--trust", &self.trust)
    }
}
