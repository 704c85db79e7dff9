//! The deliveries that a configuration declares for tools, for who starts none of them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::config::{Config, McpServerConfig};
use crate::drive::SystemClock;
use crate::port::ToolHost;
use crate::program::Approval;
use crate::program::graph::Delivery;
use crate::tool::{CommandContext, Tools};
use crate::value::Str;

/// The deliveries of tools by their names.
pub type Deliveries = HashMap<Str, Delivery>;

/// The deliveries that a configuration gives: those of its commands, those of tools of servers that it names, and those that
/// built-in tools have.
#[must_use]
pub fn deliveries(config: &Config) -> Deliveries {
    let surroundings = CommandContext::of_process(".");
    let tools = Tools::of_config(config, &surroundings, Arc::new(SystemClock::new())).grant_all();
    let own = tools.catalogue().into_iter().map(|info| (info.name, info.delivery));
    let named = config.mcp.iter().flat_map(|server| {
        server.tool_settings.iter().filter_map(|(tool, settings)| {
            let delivery = settings.or(server.settings).delivery?;
            Some((ecow::eco_format!("{}.{tool}", server.name), delivery))
        })
    });
    own.chain(named).collect()
}

/// The tools of a configuration whose calls a person approves one by one.
#[derive(Debug, Default)]
pub struct ApprovedTools {
    names: HashSet<Str>,
    servers: Vec<McpServerConfig>,
}

impl ApprovedTools {
    /// Those of a configuration.
    #[must_use]
    pub fn of(config: &Config) -> Self {
        let commands = config.tools.iter().filter(|tool| tool.approval.is_needed());
        let over_files = config.builtin.file_tools.iter().filter(|tool| tool.approval.is_needed());
        let names = commands.map(|tool| tool.name.clone());
        let names = names.chain(over_files.map(|config| config.tool.name().into())).collect();
        Self { names, servers: config.mcp.clone() }
    }

    /// Returns true if a person approves each call of a tool.
    #[must_use]
    pub fn contain(&self, tool: &str) -> bool {
        let of_server = || {
            let (server, tool) = tool.split_once('.')?;
            let server = self.servers.iter().find(|own| own.name == server)?;
            server.settings_of(tool).approval
        };
        self.names.contains(tool) || of_server().is_some_and(Approval::is_needed)
    }
}
