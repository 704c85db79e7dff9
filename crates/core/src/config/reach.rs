//! The requests of a configuration beyond its own folder. They count only where the operator allowed them.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

use super::arguments::{Argument, ArgumentPiece};
use super::{CommandConfig, Config, FileToolKind, HookConfig, Source};
use crate::program::Approval;
use crate::source::display::is_obeyed;
use crate::value::{Str, Value};

/// The one variable every command may see: programs are found by it.
const PATH: &str = "PATH";

/// The places to which the paths in a configuration lead on this machine.
pub trait PathResolver {
    /// Returns true if a path lies in the configuration's folder, wherever its links lead, and not in a hidden part of it.
    fn inside(&self, named: &str) -> bool;

    /// The place a path leads to, where that is another one than its name says.
    fn leads(&self, named: &str) -> Option<String>;
}

/// Something beyond the folder of a configuration. As a text it is one line, with the words of the file as they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExternalReach {
    /// An address that is sent what a graph asks its models.
    Address {
        /// The role that is served there.
        role: Str,
        /// The entry that serves the role, where the role is a list.
        entry: Option<Str>,
        /// The provider's name of the model.
        model: Str,
        /// The address.
        address: String,
    },
    /// A variable of the environment that is sent to an address as a key.
    Key {
        /// The role it is for.
        role: Str,
        /// The name of the environment variable.
        variable: String,
        /// The address it goes to.
        address: String,
    },
    /// A folder whose files may be sent to an address.
    Files {
        /// The role they are sent for.
        role: Str,
        /// The folder, as for [`ExternalReach::Root`].
        folder: String,
        /// The address.
        address: String,
    },
    /// A variable of the environment that becomes an input of the graph.
    Input {
        /// The name of the input.
        name: Str,
        /// The name of the environment variable.
        variable: String,
    },
    /// A folder outside that a tool over files works in.
    Root {
        /// The tool.
        tool: FileToolKind,
        /// The folder, as the file names it, and the place it leads to where that is another one.
        folder: String,
    },
    /// Calls that change files and of which nobody is asked.
    Unasked {
        /// The tool.
        tool: FileToolKind,
        /// The folder, as for [`ExternalReach::Root`].
        folder: String,
    },
    /// A command, with all it is given.
    Command {
        /// The name of the tool.
        tool: Str,
        /// The command line, as [`CommandConfig::command_line`] gives it.
        command_line: String,
    },
    /// An MCP server, with all it is given.
    Server {
        /// The name of the server.
        server: Str,
        /// The way to it, as [`McpServerConfig::work`](super::McpServerConfig::work) gives it.
        work: String,
    },
    /// A program that is told what runs do.
    Hook {
        /// The name of the hook.
        hook: Str,
        /// The names of its events.
        on: Vec<&'static str>,
        /// The command line, as [`CommandConfig::command_line`] gives it.
        command_line: String,
    },
}

impl fmt::Display for ExternalReach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address { role, entry, model, address } => {
                let entry = entry.as_ref().map(|entry| format!(", by [models.{entry}]")).unwrap_or_default();
                write!(f, "asks {address} for answers of the model {model} (role {role}{entry})")
            }
            Self::Key { role, variable, address } => {
                write!(f, "sends the variable {variable} to {address} as a key (role {role})")
            }
            Self::Files { role, folder, address } => {
                write!(f, "sends files below {folder} that a graph names to {address} (role {role})")
            }
            Self::Input { name, variable } => write!(f, "reads the variable {variable} (input {name})"),
            Self::Root { tool, folder } => {
                write!(f, "{} files below {folder} (tool {})", tool.does(), tool.name())
            }
            Self::Unasked { tool, folder } => {
                write!(
                    f,
                    "{} files below {folder} without asking a person (tool {})",
                    tool.does(),
                    tool.name()
                )
            }
            Self::Command { tool, command_line } => write!(f, "runs {command_line} (tool {tool})"),
            Self::Server { server, work } => write!(f, "{work} (MCP server {server})"),
            Self::Hook { hook, on, command_line } => {
                write!(f, "runs {command_line} on each {} (hook {hook})", on.join(", "))
            }
        }
    }
}

impl Config {
    /// All it asks for, in the order of the file's tables.
    #[must_use]
    pub fn reaches(&self, places: &dyn PathResolver) -> Vec<ExternalReach> {
        let mut all = Vec::new();
        for model in &self.models {
            let (role, address) = (model.role.clone(), model.target.base_url.clone());
            all.push(ExternalReach::Address {
                role: role.clone(),
                entry: None,
                model: model.target.model.clone(),
                address: address.clone(),
            });
            if let Some(files) = &model.files {
                let folder = led(&files.root, places.leads(&files.root));
                all.push(ExternalReach::Files { role: role.clone(), folder, address: address.clone() });
            }
            all.extend(model.key.clone().map(|variable| ExternalReach::Key { role, variable, address }));
        }
        for list in &self.fallbacks {
            let served = self.models.iter().filter(|model| list.entries.contains(&model.role));
            all.extend(served.map(|model| ExternalReach::Address {
                role: list.role.clone(),
                entry: Some(model.role.clone()),
                model: model.target.model.clone(),
                address: model.target.base_url.clone(),
            }));
        }
        all.extend(self.inputs.iter().filter_map(|origin| match &origin.source {
            Source::Env { variable, .. } => {
                Some(ExternalReach::Input { name: origin.name.clone(), variable: variable.clone() })
            }
            Source::Value(_) => None,
        }));
        for config in &self.builtin.file_tools {
            let (tool, root) = (config.tool, &config.root);
            let folder = || led(root, places.leads(root));
            if !places.inside(root) {
                all.push(ExternalReach::Root { tool, folder: folder() });
            }
            if tool.changes_files() && !config.approval.is_needed() {
                all.push(ExternalReach::Unasked { tool, folder: folder() });
            }
        }
        all.extend(self.tools.iter().map(|command| {
            let command_line = command.command_line(command.folder.as_deref().unwrap_or("."), places);
            ExternalReach::Command { tool: command.name.clone(), command_line }
        }));
        all.extend(self.mcp.iter().map(|server| {
            let folder = server.command().and_then(|command| command.folder.as_deref()).unwrap_or(".");
            ExternalReach::Server { server: server.name.clone(), work: server.work(folder, places) }
        }));
        all.extend(self.hooks.iter().map(|HookConfig { on, command }| {
            let command_line = command.command_line(command.folder.as_deref().unwrap_or("."), places);
            let on = on.iter().map(|event| event.name()).collect();
            ExternalReach::Hook { hook: command.name.clone(), on, command_line }
        }));
        all
    }

    /// The configuration that counts where nothing was allowed: without models, hooks and a folder outside, and no
    /// file is changed before a person was asked. Commands need grants in any case, and variables of the environment are read by whoever [gathers](super::gather) inputs.
    #[must_use]
    pub fn confined(mut self, places: &dyn PathResolver) -> Self {
        self.clear_models();
        self.hooks.clear();
        self.builtin.file_tools.retain(|config| places.inside(&config.root));
        for config in &mut self.builtin.file_tools {
            if config.tool.changes_files() && !config.approval.is_needed() {
                config.approval = Approval::Needed;
            }
        }
        self
    }
}

impl CommandConfig {
    /// The command line with all it is given, in one line: where it runs, which variables of the environment it sees and
    /// which have values of their own. `folder` is the name under which its folder is shown.
    #[must_use]
    pub fn command_line(&self, folder: &str, places: &dyn PathResolver) -> String {
        let place = self.folder.as_deref().and_then(|folder| places.leads(folder));
        let mut command_line = format!("`{}` in {}", self.words(), led(folder, place));
        let program = self.program().filter(|program| program.contains('/'));
        if let Some((program, place)) = program.and_then(|program| Some((program, places.leads(program)?))) {
            let _ = write!(command_line, ", where {program} leads to {place}");
        }
        let seen: Vec<&str> = self.env.iter().map(String::as_str).filter(|name| *name != PATH).collect();
        if !seen.is_empty() {
            let _ = write!(command_line, ", which sees {}", seen.join(", "));
        }
        let set: Vec<String> =
            self.set_env.iter().map(|(name, value)| format!("{name}={}", quoted(value))).collect();
        if !set.is_empty() {
            let _ = write!(command_line, ", with {}", set.join(" "));
        }
        command_line
    }

    /// The program and its arguments, as a shell would read them; `{name}` stands for an argument of the call.
    #[must_use]
    pub fn words(&self) -> String {
        self.list.iter().map(word).collect::<Vec<_>>().join(" ")
    }

    /// Returns true if there is no more to it than its command line says: it runs in the folder of the file, is given
    /// no variable of the environment but `PATH`, by which its program is found, and none with a value of its own.
    #[must_use]
    pub fn is_plain(&self, places: &dyn PathResolver) -> bool {
        self.env.iter().all(|name| name == PATH)
            && self.set_env.is_empty()
            && self.folder.as_deref().is_none_or(|folder| places.inside(folder))
            && self.program().is_some_and(|program| !program.contains('/'))
    }

    /// All texts of the declaration that reach the program and may name a file: its arguments, as they are where a call
    /// leaves its own out; the defaults of those; the values of its variables.
    #[must_use]
    pub fn texts<'c>(&'c self) -> Vec<Cow<'c, str>> {
        let fixed = self.list.iter().skip(1).filter_map(|argument| match argument {
            Argument::Fixed(text) => Some(Cow::Borrowed(text.as_str())),
            Argument::Whole(_) => None,
            Argument::Mixed(pieces) => {
                let text = |piece: &'c ArgumentPiece| {
                    if let ArgumentPiece::Text(text) = piece { Some(text.as_str()) } else { None }
                };
                Some(Cow::Owned(pieces.iter().filter_map(text).collect()))
            }
        });
        let properties = self.schema.as_map().and_then(|schema| schema.get("properties"));
        let properties = properties.and_then(Value::as_map).into_iter().flatten();
        let defaults = properties.filter_map(|(_, property)| property.as_map()?.get("default"));
        let defaults = defaults.flat_map(|default| match default {
            Value::List(items) => items.iter().filter_map(Value::as_str).collect(),
            other => Vec::from_iter(other.as_str()),
        });
        let values = self.set_env.iter().map(|(_, value)| value.as_str());
        fixed.chain(defaults.chain(values).map(Cow::Borrowed)).collect()
    }

    /// The program, as the file names it.
    #[must_use]
    pub fn program(&self) -> Option<&str> {
        match self.list.first() {
            Some(Argument::Fixed(text)) => Some(text),
            _ => None,
        }
    }
}

/// A path with the place it leads to.
pub(crate) fn led(named: &str, place: Option<String>) -> String {
    place.map_or_else(|| named.to_owned(), |place| format!("{named}, which leads to {place}"))
}

/// An element of a command line as people read it.
fn word(argument: &Argument) -> String {
    match argument {
        Argument::Fixed(text) => quoted(text),
        Argument::Whole(name) => format!("{{{name}}}"),
        Argument::Mixed(pieces) => pieces
            .iter()
            .map(|piece| match piece {
                ArgumentPiece::Text(text) => quoted(text),
                ArgumentPiece::Field(name) => format!("{{{name}}}"),
            })
            .collect(),
    }
}

/// A word as a shell reads it.
pub fn quoted(word: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_./=@:,+".contains(&b);
    if !word.is_empty() && word.bytes().all(plain) {
        return word.to_owned();
    }
    // Whoever copies the line shall give the very word, and a terminal that shows it obeys nothing of it.
    if word.contains(is_obeyed) {
        return spelt(word);
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// A word between `$'` and `'`.
fn spelt(word: &str) -> String {
    let mut out = "$'".to_owned();
    for c in word.chars() {
        match c {
            '\'' | '\\' => out.extend(['\\', c]),
            c if is_obeyed(c) => {
                for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                    let _ = write!(out, "\\x{byte:02x}");
                }
            }
            c => out.push(c),
        }
    }
    out + "'"
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn words_are_quoted_where_a_shell_or_a_terminal_would_obey_them() {
        let words = ["a=b", "", "it's $x", "a\n'\\\u{1b}[2J\u{202e}"].map(quoted);
        assert_eq!(words, ["a=b", "''", r"'it'\''s $x'", r"$'a\x0a\'\\\x1b[2J\xe2\x80\xae'"]);
    }
}
