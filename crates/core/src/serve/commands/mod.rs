//! The commands that only read texts: each is a function from a map of files to a reply. Nothing here touches a disk.

mod check;
mod diff;
mod explain;
mod files;
mod format;
mod render;
mod reply;
mod test;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json};

pub(in crate::serve) use self::files::is_scenarios;
pub use self::files::{MAX_FILE_NAME_BYTES, MAX_FILES, MAX_TEXT_BYTES};
pub use self::reply::CommandReply;

/// A command that only reads texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextCommand {
    /// All that is found in graphs without running them.
    Check,
    /// The page of a rule or a kind of error.
    Explain,
    /// A drawing of a graph.
    Render,
    /// The changes in meaning between two versions of a graph.
    Diff,
    /// Graph files written anew in their usual layout.
    Format,
    /// Scenarios, played in their scripted worlds.
    Test,
}

/// The description of a command for a client.
#[derive(Debug)]
pub struct CommandInfo {
    /// The title for people.
    pub title: &'static str,
    /// The purpose, for a model.
    pub description: &'static str,
    /// The JSON schema of its arguments.
    pub input: Json,
    /// The JSON schema of its structured reply.
    pub output: Json,
}

impl TextCommand {
    /// Every command.
    pub const ALL: [Self; 6] =
        [Self::Check, Self::Explain, Self::Render, Self::Diff, Self::Format, Self::Test];

    /// The name, as the command line has it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Check => "check",
            Self::Explain => "explain",
            Self::Render => "render",
            Self::Diff => "diff",
            Self::Format => "format",
            Self::Test => "test",
        }
    }

    /// The command of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|command| command.name() == name)
    }

    /// The description for a client.
    #[must_use]
    pub fn info(self) -> CommandInfo {
        match self {
            Self::Check => check::info(),
            Self::Explain => explain::info(),
            Self::Render => render::info(),
            Self::Diff => diff::info(),
            Self::Format => format::info(),
            Self::Test => test::info(),
        }
    }

    /// Runs it here and now. The arguments are a stranger's: whatever is wrong with them is in the reply.
    #[must_use]
    pub fn run(self, arguments: Map<String, Json>) -> CommandReply {
        let reply = match self {
            Self::Check => read(arguments).and_then(|arguments| check::run(&arguments)),
            Self::Explain => read(arguments).and_then(|arguments| explain::run(&arguments)),
            Self::Render => read(arguments).and_then(render::run),
            Self::Diff => read(arguments).and_then(diff::run),
            Self::Format => read(arguments).and_then(format::run),
            Self::Test => read(arguments).and_then(test::run),
        };
        reply.unwrap_or_else(|why| CommandReply::refused(&why))
    }
}

/// The arguments of a command, or what is wrong with them.
fn read<T: DeserializeOwned>(arguments: Map<String, Json>) -> Result<T, String> {
    serde_json::from_value(Json::Object(arguments))
        .map_err(|error| format!("the arguments do not fit: {error}"))
}
