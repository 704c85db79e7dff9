//! The tools as they are listed.

use crate::cli::trust;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::cli::run::ToolWords;
use crate::cli::{Exit, screen};
use loopwright_core::app;
use loopwright_core::app::mcp::LockFile;
use loopwright_core::app::trust::{Configuration, Grants};
use loopwright_core::config::McpServerConfig;
use loopwright_core::drive::SystemClock;
use loopwright_core::port::{ToolHost, ToolInfo};
use loopwright_core::tool::Tool;
use loopwright_core::tool::mcp::{LockedServer, McpPorts, McpServer, McpTool, ToolFacts};
use loopwright_core::value::Str;

/// One tool of the list.
pub(super) struct ListedTool {
    pub(super) info: ToolInfo,
    /// The owner: `built in`, `command`, `MCP server fs`.
    pub(super) source: String,
    /// True or false where it needs a grant.
    pub(super) granted: Option<bool>,
    /// The state of the lock, for tools of servers.
    pub(super) lock: Option<LockState>,
}

/// The state of a tool beside the lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LockState {
    /// There is no lock for its server.
    Unlocked,
    /// It is what was locked.
    Locked,
    /// It is not what was locked.
    Changed,
    /// It came after the lock: it is not on offer.
    New,
    /// It was locked, and the server has it no more.
    Gone,
    /// It was locked, and its server was not asked.
    Unasked,
}

impl LockState {
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Unlocked => "not locked",
            Self::Locked => "locked",
            Self::Changed => "changed since it was locked",
            Self::New => "new since the lock",
            Self::Gone => "gone since the lock",
            Self::Unasked => "locked, not asked",
        }
    }
}

/// All tools, and lines about what is not known.
pub(super) struct Listed {
    pub(super) tools: Vec<ListedTool>,
    pub(super) notes: Vec<String>,
}

/// Lists the tools. Servers are started where that was allowed.
pub(super) async fn listed(configuration: &Configuration, grants: &Grants) -> Result<Listed, Exit> {
    let config = &configuration.config;
    let commands: BTreeSet<&Str> = config.tools.iter().map(|tool| &tool.name).collect();
    let mut tools =
        app::tools(config, configuration.folder.clone(), &app::unstored(), Arc::new(SystemClock::new()));
    for tool in configuration.file_tools() {
        tools = tools.with(tool);
    }
    let ungranted: BTreeSet<Str> = tools.ungranted().into_iter().collect();
    let own = tools.grant_all().catalogue().into_iter().map(|info| ListedTool {
        source: if commands.contains(&info.name) { "command" } else { "built in" }.to_owned(),
        granted: ungranted.contains(&info.name).then(|| grants.allow(&info.name)),
        lock: None,
        info,
    });
    let mut listed = Listed { tools: own.collect(), notes: Vec::new() };
    let file = LockFile::beside(&configuration.folder);
    let lock = file.read().map_err(|why| screen::refuse(&screen::line(&why)))?.unwrap_or_default();
    for server in &config.mcp {
        let locked = lock.servers.get(server.name.as_str());
        Of { configuration, grants, server, locked }.list(&mut listed).await;
    }
    Ok(listed)
}

/// The tools of one server.
struct Of<'a> {
    configuration: &'a Configuration,
    grants: &'a Grants,
    server: &'a McpServerConfig,
    locked: Option<&'a LockedServer>,
}

impl Of<'_> {
    async fn list(&self, listed: &mut Listed) {
        let name = &self.server.name;
        let context = app::command_context(self.configuration.folder.clone(), &app::unstored());
        let ports = McpPorts {
            listener: Some(Arc::new(ToolWords::default())),
            logins: trust::logins(),
            ..McpPorts::default()
        };
        let server = McpServer::new(self.server.clone(), context, ports);
        let mut states: BTreeMap<String, (ToolFacts, LockState)> = BTreeMap::new();
        let locked = || self.locked.into_iter().flat_map(|locked| locked.tools.values());
        if self.grants.allow_start(name, self.configuration.trusted) {
            match server.catalogue().await {
                Ok(catalogue) => {
                    let offered = |tool: &&(String, String)| self.server.offers(&tool.0);
                    for (tool, why) in catalogue.passed_over.iter().filter(offered) {
                        listed.notes.push(format!("the tool `{tool}` of {name} is not on offer: {why}"));
                    }
                    for pattern in catalogue.unfit(self.server) {
                        listed.notes.push(format!("[mcp.{name}] tools: the server has no tool `{pattern}`"));
                    }
                    for facts in catalogue.tools.values().filter(|facts| self.server.offers(&facts.name)) {
                        states.insert(facts.name.clone(), (facts.clone(), self.state(facts)));
                    }
                    for tool in locked().filter(|tool| !catalogue.tools.contains_key(&tool.facts.name)) {
                        states.insert(tool.facts.name.clone(), (tool.facts.clone(), LockState::Gone));
                    }
                }
                Err(why) => listed.notes.push(why),
            }
            server.close().await;
        } else {
            let work = self.configuration.server_work(self.server);
            let digest = self.grants.server(name).map(|own| own.digest.as_str()).unwrap_or_default();
            listed.notes.push(format!(
                "the MCP server {name} was not asked, since that was not allowed: it {work}; to allow it: --grant '{name}.*'@{digest}"
            ));
        }
        if states.is_empty() {
            for tool in locked() {
                states.insert(tool.facts.name.clone(), (tool.facts.clone(), LockState::Unasked));
            }
        }
        for (facts, state) in states.into_values() {
            let info = McpTool::new(Arc::clone(&server), facts).info().clone();
            let granted = Some(self.grants.allow(&info.name));
            listed.tools.push(ListedTool {
                info,
                source: format!("MCP server {name}"),
                granted,
                lock: Some(state),
            });
        }
    }

    fn state(&self, facts: &ToolFacts) -> LockState {
        let Some(locked) = self.locked else { return LockState::Unlocked };
        match locked.tools.get(&facts.name) {
            None => LockState::New,
            Some(before) if before.facts.digest() == facts.digest() => LockState::Locked,
            Some(_) => LockState::Changed,
        }
    }
}
