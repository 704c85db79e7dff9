//! The tools of a server as it lists them.

use std::collections::BTreeMap;

use super::facts::ToolFacts;
use super::lock::LockedServer;
use crate::config::{McpServerConfig, covers};

/// A server's description of itself and its tools.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct McpCatalogue {
    /// Its own name.
    pub name: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// Its words on how to use it.
    pub instructions: Option<String>,
    /// Its tools, by their names.
    pub tools: BTreeMap<String, ToolFacts>,
    /// The tools that cannot be on offer, and why.
    pub passed_over: Vec<(String, String)>,
}

impl McpCatalogue {
    /// The server as it is locked: with the tools that are on offer.
    #[must_use]
    pub fn to_lock(&self, server: &McpServerConfig, work: String) -> LockedServer {
        let offered = self.tools.iter().filter(|(name, _)| server.offers(name));
        LockedServer {
            server: work,
            name: self.name.clone(),
            version: self.version.clone(),
            instructions: self.instructions.clone(),
            tools: offered.map(|(name, facts)| (name.clone(), facts.clone().into())).collect(),
        }
    }

    /// The patterns of an allow list that fit no tool.
    pub fn unfit<'s>(&self, server: &'s McpServerConfig) -> impl Iterator<Item = &'s str> {
        let patterns = server.tools.iter().flatten();
        patterns
            .map(crate::value::Str::as_str)
            .filter(|pattern| !self.tools.keys().any(|tool| covers(pattern, tool)))
    }
}
