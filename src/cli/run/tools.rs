//! The tools of a run, with what the operator grants.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use crate::cli::args::Ports;
use crate::cli::trust;
use crate::cli::{Exit, screen};
use loopwright_core::app;
use loopwright_core::app::mcp::{ConnectedServers, McpMode, McpPlan, McpRefusal, WantedTools};
use loopwright_core::app::trust::{Configuration, Grants};
use loopwright_core::config::{covers, server_of};
use loopwright_core::diag;
use loopwright_core::drive::{missing_grants, named_tools, names_any_tool};
use loopwright_core::port::{Clock, Human, ToolHost, ToolListener};
use loopwright_core::program::Program;
use loopwright_core::tool::Tools;
use loopwright_core::tool::mcp::{ContentFolder, McpPorts, UnstartedTool};
use loopwright_core::value::Str;

/// All that decides about the tools of a run.
pub(super) struct ToolPlan<'a> {
    pub(super) ports: &'a Ports,
    pub(super) configuration: &'a Configuration,
    pub(super) grants: &'a Grants,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) program: &'a Program,
    /// The way in which MCP servers are needed; none where none is.
    pub(super) mode: Option<McpMode>,
    pub(super) human: Arc<dyn Human>,
    pub(super) listener: Arc<dyn ToolListener>,
}

impl ToolPlan<'_> {
    /// The tools. On a terminal a missing grant is asked for. Servers are started once all is granted.
    pub(super) async fn tools(self) -> Result<(Tools, ConnectedServers), Exit> {
        let (configuration, grants, program) = (self.configuration, self.grants, self.program);
        let config = &configuration.config;
        let beside = app::beside(&self.ports.db);
        let mut tools = app::tools(config, configuration.folder.clone(), &beside, self.clock.clone());
        for tool in configuration.file_tools() {
            tools = tools.with(tool);
        }
        let wanted = WantedTools {
            named: named_tools(program).into_iter().map(Str::from).collect(),
            any: names_any_tool(program),
        };
        let placeholders = self.placeholders(&wanted);
        for name in &placeholders {
            tools = tools.with(UnstartedTool::new(name.clone()));
        }
        for name in grants.named() {
            if let Some(help) = self.unknown_grant(name, &tools) {
                let why = "the configuration declares no tool";
                return Err(screen::refuse_with(
                    &format!("--grant {name}: {why} `{name}`, and the graph calls none"),
                    &help,
                ));
            }
        }
        let mut granted: Vec<Str> = Vec::new();
        for name in tools.ungranted().into_iter().filter(|name| grants.allow(name)) {
            trust::say_granted(grants, &name);
            granted.push(name.clone());
            tools = tools.grant(name);
        }
        for name in missing_grants(program, &tools) {
            if trust::ask_grant(grants, &name) {
                granted.push(name.clone());
                tools = tools.grant(name);
            }
        }
        let Some(mode) = self.mode.filter(|_| missing_grants(program, &tools).is_empty()) else {
            return Ok((tools, ConnectedServers::default()));
        };
        let plan = McpPlan {
            configuration,
            context: app::command_context(configuration.folder.clone(), &beside),
            ports: McpPorts {
                human: Some(self.human),
                listener: Some(self.listener),
                contents: Some(ContentFolder::beside(&beside)),
                logins: trust::logins(),
            },
            wanted,
            mode,
            update_lock: self.ports.update_lock,
        };
        let is_granted = |tool: &str| grants.allow(tool) || granted.iter().any(|own| covers(own, tool));
        let connected = plan.connect(&is_granted).await.map_err(|refused| refuse(&refused))?;
        say(&connected);
        for name in &placeholders {
            tools = tools.without(name);
        }
        for tool in &connected.unstarted {
            tools = tools.with(tool.clone());
        }
        for tool in &connected.tools {
            tools = tools.with(tool.clone());
        }
        let names: Vec<Str> =
            tools.ungranted().into_iter().filter(|name| server_of(name).is_some()).collect();
        tools = names.into_iter().fold(tools, Tools::grant);
        Ok((tools, connected.into_servers()))
    }

    /// The tools of servers that are to be granted before their servers are started: those that the graph names, and all
    /// of a server where it may name any and nothing of the server is granted.
    fn placeholders(&self, wanted: &WantedTools) -> Vec<Str> {
        let mut all = Vec::new();
        if self.mode.is_none() {
            return all;
        }
        for server in &self.configuration.config.mcp {
            all.extend(wanted.named_of(&server.name).cloned());
            if wanted.any && !self.grants.allow_some_of(&server.name) {
                all.push(all_of(&server.name));
            }
        }
        all
    }

    /// The cure for a grant of a tool that is neither there nor called for.
    fn unknown_grant(&self, name: &str, tools: &Tools) -> Option<String> {
        let declared = &self.configuration.config.mcp;
        if server_of(name).is_some_and(|(server, _)| declared.iter().any(|own| covers(server, &own.name))) {
            return None;
        }
        let infos = tools.catalogue().into_iter().map(|info| info.name.to_string());
        let named = named_tools(self.program).into_iter().map(str::to_owned);
        let known: BTreeSet<String> =
            infos.chain(tools.ungranted().iter().map(ToString::to_string)).chain(named).collect();
        if known.contains(name) {
            return None;
        }
        Some(match diag::nearest(name, known.iter().map(String::as_str)) {
            Some(near) => diag::did_you_mean(&format!("`{near}`")),
            None if known.is_empty() => "there are no tools here".to_owned(),
            None => format!("the tools here are: {}", known.iter().cloned().collect::<Vec<_>>().join(", ")),
        })
    }
}

/// The name that stands for all tools of a server.
fn all_of(server: &str) -> Str {
    format!("{server}.*").into()
}

/// Says what a person should know of the servers.
fn say(connected: &ConnectedServers) {
    for line in &connected.updated {
        screen::say(&format!("locked: {}\n", screen::line(line)));
    }
    for note in &connected.notes {
        screen::say(&format!("note: {}\n", screen::line(note)));
    }
}

/// Says why a run does not begin for its servers.
pub(in crate::cli) fn refuse(refused: &McpRefusal) -> Exit {
    match refused {
        McpRefusal::Changed { server, lines, .. } => {
            let mut text = format!("error: {}:\n", screen::line(&refused.to_string()));
            for line in lines {
                let _ = writeln!(text, "  {}", screen::asked(line));
            }
            let _ = writeln!(
                text,
                "help: look at it as at a new program; to take it over, run: loopwright mcp lock --update {server}"
            );
            screen::say(&text);
            Exit::Waiting
        }
        other => screen::refuse(&screen::line(&other.to_string())),
    }
}
