//! Grants: which commands of its configuration a graph may call.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;

use serde::{Deserialize, Serialize};

use super::configuration::Configuration;
use super::{digest, notes};
use crate::cli::run::agrees;
use crate::cli::state::{Kind, State};
use crate::cli::{Exit, screen};
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

/// The commands of a configuration as the question for a grant shows them.
pub(in crate::cli) struct Grants {
    commands: BTreeMap<Str, Shown>,
    /// The key of a yes in the notes: the configuration and the graph.
    about: Option<[OsString; 2]>,
    /// The words of the command line, each a name and the digest that was given with it.
    given: Vec<(String, Option<String>)>,
    /// The configuration.
    path: String,
    /// The command that allows it as a whole.
    trust: String,
}

struct Shown {
    description: String,
    command_line: String,
    digest: String,
    /// True if its name alone grants it.
    by_name: bool,
}

impl Grants {
    /// The grants of the command line for the graph in a file.
    pub(in crate::cli) fn of(
        flags: &[String],
        configuration: &Configuration,
        graph: &str,
    ) -> Result<Self, Exit> {
        let mut given = Vec::new();
        for flag in flags {
            let (name, pinned) = match flag.split_once('@') {
                None => (flag.as_str(), None),
                Some((name, text)) => {
                    let refuse = |why| screen::refuse(&format!("--grant {}: {why}", screen::line(flag)));
                    (name, Some(digest(text).map_err(refuse)?))
                }
            };
            given.push((name.to_owned(), pinned));
        }
        let (path, trust) = (String::new(), String::new());
        let mut grants = Self { commands: BTreeMap::new(), about: None, given, path, trust };
        let Some(file) = &configuration.file else { return Ok(grants) };
        grants.path = screen::path(&file.path);
        grants.trust = file.words();
        grants.about = fs::canonicalize(graph).ok().map(|graph| [file.real.clone().into(), graph.into()]);
        for command in &configuration.config.tools {
            let Some(sealed) = file.seal.commands.get(&command.name) else { continue };
            let shown = Shown {
                description: command.description.to_string(),
                command_line: configuration.command_line(file, command),
                digest: sealed.digest.clone(),
                by_name: configuration.trusted || sealed.bare && command.is_plain(&file.ground),
            };
            grants.commands.insert(command.name.clone(), shown);
        }
        Ok(grants)
    }

    /// The names that the command line grants something to.
    pub(in crate::cli) fn named(&self) -> impl Iterator<Item = &str> {
        self.given.iter().map(|(name, _)| name.as_str())
    }

    /// Returns true if a tool may be called: by its name, where that says it all; by its digest; by a yes that was noted.
    pub(in crate::cli) fn hold(&self, tool: &str) -> bool {
        let own = self.given.iter().filter(|(name, _)| name == tool);
        let Some(shown) = self.commands.get(tool) else { return own.count() > 0 };
        own.map(|(_, pinned)| pinned.as_ref())
            .any(|pinned| pinned.map_or(shown.by_name, |own| *own == shown.digest))
            || self.noted(tool).is_some_and(|note| note.digest == shown.digest)
    }

    /// Says what is run under a name that was granted, and who says so. With a digest it was seen before.
    pub(in crate::cli) fn say(&self, tool: &str) {
        let by_name = self.given.iter().any(|(name, pinned)| name == tool && pinned.is_none());
        if let Some(shown) = self.commands.get(tool).filter(|_| by_name) {
            screen::say(&format!("{tool} runs {} ({})\n", shown.command_line, self.path));
        }
    }

    /// Asks the person at the terminal, and notes a yes.
    pub(in crate::cli) fn asks(&self, tool: &str) -> bool {
        let Some(shown) = self.commands.get(tool) else { return false };
        let changed = self.noted(tool).map(|_| "it changed since it was granted\n").unwrap_or_default();
        // Its author's words are before the question and in quotes, so that they cannot be taken for it.
        let about = match &*shown.description {
            "" => String::new(),
            words => format!("its configuration says of it: \"{}\"\n", clipped(&screen::asked(words))),
        };
        let question = format!(
            "{tool} runs {}\n{about}{changed}May this graph run the command `{tool}` on this machine?",
            shown.command_line
        );
        if !agrees(&question) {
            return false;
        }
        if let (Some(notes), Some([configuration, graph])) = (notes(), &self.about) {
            let note = GrantNote {
                version: 1,
                configuration: configuration.to_string_lossy().into_owned(),
                graph: graph.to_string_lossy().into_owned(),
                tool: tool.to_owned(),
                digest: shown.digest.clone(),
            };
            if let Err(why) = notes.note(Kind::Grant, &[configuration, graph, tool.as_ref()], &note) {
                screen::say(&format!(
                    "warning: it is granted for this command alone: {}\n",
                    screen::line(&why)
                ));
            }
        }
        true
    }

    fn noted(&self, tool: &str) -> Option<GrantNote> {
        let [configuration, graph] = self.about.as_ref()?;
        notes()?.find(Kind::Grant, &[configuration, graph, tool.as_ref()])
    }

    /// Names the line that grants what is missing, and shows what that would run.
    pub(in crate::cli) fn missing(&self, command: &str, names: &[Str]) -> Exit {
        let list = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let mut text = format!("the graph may run these commands on this machine: {list}\n");
        let mut words = String::new();
        let mut more = Vec::new();
        for name in names {
            let Some(shown) = self.commands.get(name) else {
                let _ = write!(words, " --grant {name}");
                continue;
            };
            let _ = writeln!(text, "  {name} runs {}", shown.command_line);
            let _ = write!(words, " --grant {name}");
            if !shown.by_name {
                let _ = write!(words, "@{}", shown.digest);
                more.push(format!("`{name}`"));
            }
        }
        if !more.is_empty() {
            let _ = writeln!(
                text,
                "a name alone grants nothing that has variables, names files or reaches out of its folder ({}): a digest does, or \
                 allow all of it with `loopwright trust {}`",
                more.join(", "),
                screen::line(&self.trust)
            );
        }
        let _ = writeln!(text, "to allow it, run:\n  {command}{words}");
        screen::say(&text);
        Exit::Waiting
    }
}

/// The most characters of a description that a question shows.
const WORDS: usize = 200;

fn clipped(words: &str) -> String {
    let short: String = words.chars().take(WORDS).collect();
    if short.len() < words.len() { format!("{short}…") } else { short }
}

/// Forgets what was granted to the commands of a configuration; how many grants there were.
pub(super) fn take_back(state: &State, configuration: &str) -> Result<usize, String> {
    state.forget_all(Kind::Grant, |note: &GrantNote| note.configuration == configuration)
}
