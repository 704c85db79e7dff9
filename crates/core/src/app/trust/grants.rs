//! Grants: which commands of its configuration a graph may call.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::configuration::Configuration;
use super::notes::Notes;
use super::state_folder::{NoteKind, StateFolder};
use crate::config::{covers, server_of};
use crate::value::Str;

/// A person's yes to one command, for one graph.
#[derive(Debug, Serialize, Deserialize)]
struct GrantNote {
    version: u32,
    configuration: String,
    graph: String,
    tool: String,
    digest: String,
}

/// An operator's yes to one command, for this run alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// The name of the command, or a pattern for tools of MCP servers: `fs.read_*`.
    pub tool: String,
    /// The digest that its declaration must have, if one is named.
    pub digest: Option<String>,
}

/// A tool of a configuration that needs a grant.
#[derive(Debug)]
pub struct GrantableTool {
    /// The words of its author about it.
    pub description: Str,
    /// Its effect: the command line, with where it runs and what it sees, or the folder that it writes in.
    pub work: String,
    /// The digest of its declaration and of the files that it names.
    pub digest: String,
    /// True if its name alone grants it.
    pub by_name: bool,
}

/// The tools of a configuration that a graph may call once they are granted.
#[derive(Debug)]
pub struct Grants {
    tools: BTreeMap<Str, GrantableTool>,
    /// The MCP servers by their names: what is granted of them are their tools.
    servers: BTreeMap<Str, GrantableTool>,
    /// The key of a yes in the notes: the configuration and the graph.
    about: Option<[OsString; 2]>,
    given: Vec<Grant>,
    /// The path of the configuration; none where there is none.
    configuration: Option<PathBuf>,
    notes: Notes,
}

impl Grant {
    /// Returns true if it is for a tool of this name. Only tools of servers are granted by patterns.
    fn covers(&self, tool: &str) -> bool {
        self.tool == tool || server_of(&self.tool).is_some() && covers(&self.tool, tool)
    }

    fn fits(&self, tool: &GrantableTool) -> bool {
        self.digest.as_ref().map_or(tool.by_name, |pinned| *pinned == tool.digest)
    }
}

impl Grants {
    /// The grants of an operator for the graph in a file, with those that were noted before.
    #[must_use]
    pub fn of(given: Vec<Grant>, configuration: &Configuration, graph: &str, notes: Notes) -> Self {
        let (tools, servers) = (BTreeMap::new(), BTreeMap::new());
        let mut grants = Self { tools, servers, about: None, given, configuration: None, notes };
        let Some(file) = &configuration.file else { return grants };
        grants.configuration = Some(file.path.clone());
        grants.about = fs::canonicalize(graph).ok().map(|graph| [file.real.clone().into(), graph.into()]);
        for command in &configuration.config.tools {
            let Some(sealed) = file.seal.commands.get(&command.name) else { continue };
            let grantable = GrantableTool {
                description: command.description.clone(),
                work: format!("runs {}", configuration.command_line(command)),
                digest: sealed.digest.clone(),
                by_name: configuration.trusted || sealed.bare && command.is_plain(&file.ground),
            };
            grants.tools.insert(command.name.clone(), grantable);
        }
        for config in &configuration.config.builtin.file_tools {
            let Some(digest) = file.seal.file_tools.get(&config.tool) else { continue };
            let work = configuration.file_work(config);
            // Its folder is inside, or all of the file was allowed: otherwise there is no such tool.
            let grantable =
                GrantableTool { description: Str::new(), work, digest: digest.clone(), by_name: true };
            grants.tools.insert(config.tool.name().into(), grantable);
        }
        for server in &configuration.config.mcp {
            let Some(sealed) = file.seal.servers.get(&server.name) else { continue };
            let bare = sealed.bare && server.is_plain(&file.ground);
            let grantable = GrantableTool {
                description: Str::new(),
                work: configuration.server_work(server),
                digest: sealed.digest.clone(),
                by_name: configuration.trusted && !server.by_flag || bare,
            };
            grants.servers.insert(server.name.clone(), grantable);
        }
        grants
    }

    /// The path of the configuration whose commands these are; none where there is none.
    #[must_use]
    pub fn configuration(&self) -> Option<&PathBuf> {
        self.configuration.as_ref()
    }

    /// The names that the operator grants something to.
    pub fn named(&self) -> impl Iterator<Item = &str> {
        self.given.iter().map(|grant| grant.tool.as_str())
    }

    /// The tool of that name, if the configuration declares it and it needs a grant.
    #[must_use]
    pub fn tool(&self, tool: &str) -> Option<&GrantableTool> {
        self.tools.get(tool).or_else(|| self.servers.get(server_of(tool)?.0))
    }

    /// The MCP server of that name, if the configuration declares it.
    #[must_use]
    pub fn server(&self, server: &str) -> Option<&GrantableTool> {
        self.servers.get(server)
    }

    /// Returns true if some tool of an MCP server is granted, or its name is covered by a pattern.
    #[must_use]
    pub fn allow_some_of(&self, server: &str) -> bool {
        let of_it = |grant: &&Grant| server_of(&grant.tool).is_some_and(|(own, _)| covers(own, server));
        let Some(declared) = self.servers.get(server) else { return false };
        self.given.iter().filter(of_it).any(|grant| grant.fits(declared))
    }

    /// Returns true if a server may be started outside of a run: its configuration is allowed, or one of its tools granted.
    #[must_use]
    pub fn allow_start(&self, server: &str, trusted: bool) -> bool {
        trusted && self.servers.get(server).is_some_and(|server| server.by_name)
            || self.allow_some_of(server)
            || self.allow(&format!("{server}.*"))
    }

    /// Returns true if a tool may be called: by its name, where that says it all; by its digest; by a yes that was noted.
    #[must_use]
    pub fn allow(&self, tool: &str) -> bool {
        let mut own = self.given.iter().filter(|grant| grant.covers(tool));
        let Some(command) = self.tool(tool) else { return own.count() > 0 };
        own.any(|grant| grant.fits(command)) || self.is_noted(tool, command)
    }

    /// Returns true if a yes to a tool was noted, or to all tools of its server.
    fn is_noted(&self, tool: &str, command: &GrantableTool) -> bool {
        let stands = |tool: &str| self.noted(tool).is_some_and(|note| note.digest == command.digest);
        stands(tool) || server_of(tool).is_some_and(|(server, _)| stands(&format!("{server}.*")))
    }

    /// Returns true if the operator granted a command by its name alone. With a digest it was seen before.
    #[must_use]
    pub fn allow_by_name(&self, tool: &str) -> bool {
        self.given.iter().any(|grant| grant.covers(tool) && grant.digest.is_none())
    }

    /// Returns true if a yes to the command was noted before, though it may have been to another content.
    #[must_use]
    pub fn was_granted(&self, tool: &str) -> bool {
        self.noted(tool).is_some()
    }

    /// Notes a person's yes to a command as it is now. Nothing is noted where there is no place for it.
    ///
    /// # Errors
    /// The note cannot be written.
    pub fn note(&self, tool: &str) -> Result<(), String> {
        let (Some(command), Some(notes), Some([configuration, graph])) =
            (self.tool(tool), self.notes.folder(), &self.about)
        else {
            return Ok(());
        };
        let note = GrantNote {
            version: 1,
            configuration: configuration.to_string_lossy().into_owned(),
            graph: graph.to_string_lossy().into_owned(),
            tool: tool.to_owned(),
            digest: command.digest.clone(),
        };
        notes.note(NoteKind::Grant, &[configuration, graph, tool.as_ref()], &note)
    }

    fn noted(&self, tool: &str) -> Option<GrantNote> {
        let [configuration, graph] = self.about.as_ref()?;
        self.notes.folder()?.find(NoteKind::Grant, &[configuration, graph, tool.as_ref()])
    }
}

/// Withdraws what was granted to the commands of a configuration, and gives the number of grants.
///
/// # Errors
/// A note cannot be removed.
pub fn withdraw_grants(state: &StateFolder, configuration: &str) -> Result<usize, String> {
    state.forget_all(NoteKind::Grant, |note: &GrantNote| note.configuration == configuration)
}
