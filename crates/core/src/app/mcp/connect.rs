//! Starts the servers of which a run may call tools, and holds their tools against the lock.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::lock_file::LockFile;
use crate::app::trust::Configuration;
use crate::config::{McpServerConfig, server_of};
use crate::diag::{did_you_mean, nearest};
use crate::port::ToolInfo;
use crate::tool::mcp::{
    LockedServer, McpCatalogue, McpLock, McpPorts, McpServer, McpTool, ToolFacts, UnstartedTool,
};
use crate::tool::{CommandContext, Tool};
use crate::value::Str;

/// The tools that a run may call.
#[derive(Debug, Clone, Default)]
pub struct WantedTools {
    /// Those that it names.
    pub named: BTreeSet<Str>,
    /// True if it may name any.
    pub any: bool,
}

/// The way in which servers are needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum McpMode {
    /// A run begins: they must be there.
    Begin,
    /// A run goes on: what is recorded needs none, so one that is not there is noted.
    Resume,
    /// They are started for their first call.
    Lazy,
}

/// All that decides about the servers of a run.
pub struct McpPlan<'a> {
    /// The configuration that declares them.
    pub configuration: &'a Configuration,
    /// The context of programs.
    pub context: CommandContext,
    /// The listener to calls and the person who answers questions.
    pub ports: McpPorts,
    /// The tools that the run may call.
    pub wanted: WantedTools,
    /// The way in which they are needed.
    pub mode: McpMode,
    /// True if the lock follows the servers.
    pub update_lock: bool,
}

/// Servers that were started, and the tools that are granted of them.
#[derive(Debug, Default)]
pub struct ConnectedServers {
    servers: Vec<Arc<McpServer>>,
    /// The tools.
    pub tools: Vec<McpTool>,
    /// The tools of servers that could not be reached.
    pub unstarted: Vec<UnstartedTool>,
    /// Lines that a person should read.
    pub notes: Vec<String>,
    /// The lines of what changed and was taken over into the lock.
    pub updated: Vec<String>,
}

/// The reasons for which a run does not begin.
#[derive(Debug, thiserror::Error)]
pub enum McpRefusal {
    /// A server cannot be reached.
    #[error("{0}")]
    Unreached(String),
    /// The lock cannot be read or written.
    #[error("{0}")]
    Lock(String),
    /// Tools are not what was locked. Each line says a difference.
    #[error("the tools of the MCP server {server} are not those in {file}")]
    Changed {
        /// The name of the server.
        server: Str,
        /// The lock file.
        file: String,
        /// The differences.
        lines: Vec<String>,
    },
}

impl WantedTools {
    /// Returns true if a tool of a server may be called.
    #[must_use]
    pub fn any_of(&self, server: &str) -> bool {
        self.any || self.named_of(server).next().is_some()
    }

    /// The tools of a server that are named, by their whole names.
    pub fn named_of(&self, server: &str) -> impl Iterator<Item = &Str> {
        self.named.iter().filter(move |tool| server_of(tool).is_some_and(|(own, _)| own == server))
    }
}

impl McpPlan<'_> {
    /// Starts what is needed. `is_granted` says of the whole name of a tool whether it may be called.
    ///
    /// # Errors
    /// A server cannot be reached, or its tools are not those that were locked.
    pub async fn connect(
        self,
        is_granted: &(dyn Fn(&str) -> bool + Sync),
    ) -> Result<ConnectedServers, McpRefusal> {
        let mut connected = ConnectedServers::default();
        let all = self.configuration.config.mcp.iter();
        let wanted: Vec<_> = all.filter(|own| self.wanted.any_of(&own.name)).collect();
        if wanted.is_empty() {
            return Ok(connected);
        }
        let file = LockFile::beside(&self.configuration.folder);
        let mut lock = RunLock {
            lock: file.read().map_err(McpRefusal::Lock)?,
            file,
            unlocked: Vec::new(),
            is_updated: false,
        };
        for config in wanted {
            let server = McpServer::new(config.clone(), self.context.clone(), self.ports.clone());
            let granted = GrantedTools { server: &server, wanted: &self.wanted, allows: is_granted };
            self.one(&granted, &mut lock, &mut connected).await?;
            connected.servers.push(server);
        }
        if let (true, Some(text)) = (lock.is_updated, &lock.lock) {
            lock.file.write(text).map_err(McpRefusal::Lock)?;
        }
        if !lock.unlocked.is_empty() {
            connected.notes.push(unlocked_note(&lock.unlocked));
        }
        Ok(connected)
    }

    /// Adds the tools of one server.
    async fn one(
        &self,
        granted: &GrantedTools<'_>,
        lock: &mut RunLock,
        connected: &mut ConnectedServers,
    ) -> Result<(), McpRefusal> {
        let config = granted.server.config();
        let locked = lock.of(&config.name).cloned();
        if self.mode == McpMode::Lazy {
            granted.not_started(locked.as_ref(), connected);
            return Ok(());
        }
        let catalogue = match granted.server.catalogue().await {
            Ok(catalogue) => catalogue,
            Err(why) if self.mode == McpMode::Resume => {
                connected.notes.push(why);
                granted.not_started(locked.as_ref(), connected);
                return Ok(());
            }
            Err(why) => return Err(McpRefusal::Unreached(why)),
        };
        notes_of(config, &catalogue, &mut connected.notes);
        connected.notes.extend(granted.unknown(&catalogue));
        let now = catalogue.to_lock(config, self.configuration.server_place(config));
        let locked = if self.update_lock {
            connected.updated.extend(lock.update(&config.name, now));
            lock.of(&config.name)
        } else {
            lock.hold(granted, &now, &mut connected.notes)?;
            locked.as_ref()
        };
        let is_locked = |tool: &str| locked.is_none_or(|locked| locked.tools.contains_key(tool));
        let offered =
            catalogue.tools.values().filter(|facts| is_locked(&facts.name) && granted.offers(facts));
        connected.tools.extend(offered.map(|facts| McpTool::new(Arc::clone(granted.server), facts.clone())));
        Ok(())
    }
}

/// The lock as a run finds it.
struct RunLock {
    file: LockFile,
    lock: Option<McpLock>,
    /// The servers that it does not have.
    unlocked: Vec<Str>,
    is_updated: bool,
}

impl RunLock {
    fn of(&self, server: &str) -> Option<&LockedServer> {
        self.lock.as_ref()?.servers.get(server)
    }

    /// Takes a server over as it is now, and says what changed.
    fn update(&mut self, server: &str, now: LockedServer) -> Vec<String> {
        let lines = match self.of(server) {
            Some(before) => now.differences(before, server),
            None => vec![format!("{server} is new")],
        };
        self.is_updated |= self.of(server) != Some(&now);
        self.lock.get_or_insert_default().servers.insert(server.to_owned(), now);
        lines
    }

    /// Holds a server against the lock.
    fn hold(
        &mut self,
        granted: &GrantedTools<'_>,
        now: &LockedServer,
        notes: &mut Vec<String>,
    ) -> Result<(), McpRefusal> {
        let server = &granted.server.config().name;
        let Some(before) = self.of(server) else {
            self.unlocked.push(server.clone());
            return Ok(());
        };
        notes.extend(now.notes(before, server));
        let lines = granted.changes(now, before);
        if lines.is_empty() {
            return Ok(());
        }
        let file = self.file.path().display().to_string();
        Err(McpRefusal::Changed { server: server.clone(), file, lines })
    }
}

/// The tools of one server that a run may call.
struct GrantedTools<'a> {
    server: &'a Arc<McpServer>,
    wanted: &'a WantedTools,
    allows: &'a (dyn Fn(&str) -> bool + Sync),
}

impl GrantedTools<'_> {
    fn full(&self, tool: &str) -> String {
        format!("{}.{tool}", self.server.config().name)
    }

    fn offers(&self, facts: &ToolFacts) -> bool {
        self.server.config().offers(&facts.name) && (self.allows)(&self.full(&facts.name))
    }

    /// The lines about tools that are named and that the server does not have.
    fn unknown(&self, catalogue: &McpCatalogue) -> Vec<String> {
        let server = self.server.config();
        let unknown = self.wanted.named_of(&server.name).filter_map(|name| {
            let (_, tool) = server_of(name)?;
            if catalogue.tools.contains_key(tool) {
                return None;
            }
            let near = nearest(tool, catalogue.tools.keys().map(String::as_str));
            let hint = near.map(|near| format!("; {}", did_you_mean(&format!("`{}`", self.full(near)))));
            Some(format!("the MCP server {} has no tool `{tool}`{}", server.name, hint.unwrap_or_default()))
        });
        unknown.collect()
    }

    /// The tools of a server that is not started: those that were locked, and those that are named.
    fn not_started(&self, locked: Option<&LockedServer>, connected: &mut ConnectedServers) {
        for tool in locked.into_iter().flat_map(|locked| locked.tools.values()) {
            if self.offers(&tool.facts) {
                connected.tools.push(McpTool::new(Arc::clone(self.server), tool.facts.clone()));
            }
        }
        let server = &self.server.config().name;
        for name in self.wanted.named_of(server).filter(|name| (self.allows)(name)) {
            if connected.tools.iter().all(|tool| tool.info().name != *name) {
                connected.unstarted.push(UnstartedTool::new(name.clone()));
            }
        }
    }

    /// The differences to the lock that matter for the run: of the way to the server, and of the tools that it may call.
    fn changes(&self, now: &LockedServer, before: &LockedServer) -> Vec<String> {
        let matters = |tool: &str| {
            let full = self.full(tool);
            (self.allows)(&full) && (self.wanted.any || self.wanted.named.contains(full.as_str()))
        };
        let known = before.tools.iter().filter(|(tool, _)| matters(tool));
        let mut before =
            LockedServer { tools: known.map(|(n, t)| (n.clone(), t.clone())).collect(), ..before.clone() };
        let mut now = now.clone();
        // A new tool is not offered. It matters where the graph names it.
        now.tools.retain(|tool, _| {
            before.tools.contains_key(tool) || self.wanted.named.contains(self.full(tool).as_str())
        });
        let server = self.server.config();
        before.tools.retain(|tool, _| server.offers(tool));
        now.differences(&before, &server.name)
    }
}

/// The lines about tools that are not on offer for what they are.
fn notes_of(server: &McpServerConfig, catalogue: &McpCatalogue, notes: &mut Vec<String>) {
    let name = &server.name;
    let offered = catalogue.passed_over.iter().filter(|(tool, _)| server.offers(tool));
    for (tool, why) in offered.take(8) {
        notes.push(format!("the tool `{tool}` of the MCP server {name} is not on offer: {why}"));
    }
    for pattern in catalogue.unfit(server) {
        notes.push(format!("[mcp.{name}] tools: the server has no tool `{pattern}`"));
    }
}

fn unlocked_note(servers: &[Str]) -> String {
    let names = servers.join(" ");
    format!(
        "nothing pins the tools of the MCP server {}: they may change from run to run; to pin them, run: loopwright mcp lock {names}",
        servers.join(", ")
    )
}

impl ConnectedServers {
    /// The facts known of the tools.
    pub fn infos(&self) -> impl Iterator<Item = &ToolInfo> {
        self.tools.iter().map(Tool::info)
    }

    /// Ends the servers, and waits for that.
    pub async fn close(&self) {
        futures::future::join_all(self.servers.iter().map(|server| server.close())).await;
    }

    /// The same, without the tools.
    #[must_use]
    pub fn into_servers(self) -> Self {
        Self { servers: self.servers, ..Self::default() }
    }
}
