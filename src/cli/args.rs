//! The commands and their flags.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

/// Agent loops as data: graph files that are checked, run and tested.
#[derive(Debug, Parser)]
#[command(name = "loopwright", version, about, arg_required_else_help = true, disable_help_subcommand = true)]
pub(super) struct Args {
    /// What to do.
    #[command(subcommand)]
    pub(super) command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Write a small graph, its scenarios and a configuration that run at once.
    New(New),
    /// Say everything that is wrong with graph files, without running them.
    Check(Check),
    /// Print the JSON Schema of the YAML form, for editors.
    Schema,
    /// Print a completion script for a shell.
    Completions(Completions),
}

/// How a command prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people.
    Human,
    /// One JSON document.
    Json,
}

/// `check`.
#[derive(Debug, clap::Args)]
pub(super) struct Check {
    /// Graph files or folders; `-` is standard input.
    #[arg(required_unless_present = "explain")]
    pub(super) paths: Vec<String>,
    /// How to print.
    #[arg(long, value_enum, default_value = "human")]
    pub(super) format: Format,
    /// Print the page of a rule instead.
    #[arg(long, value_name = "RULE")]
    pub(super) explain: Option<String>,
    /// Check again whenever a file changes.
    #[arg(long)]
    pub(super) watch: bool,
}

/// `new`.
#[derive(Debug, clap::Args)]
pub(super) struct New {
    /// The graph's name; files NAME.yaml and NAME.scenarios.yaml are written.
    pub(super) name: String,
    /// The folder to write into.
    #[arg(long, default_value = ".")]
    pub(super) dir: PathBuf,
}

/// `completions`.
#[derive(Debug, clap::Args)]
pub(super) struct Completions {
    /// The shell.
    pub(super) shell: clap_complete::Shell,
}
