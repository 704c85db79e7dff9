//! The commands and their flags.

mod engine;
mod format;
mod graph;
mod host;
mod line;
mod picture;
mod ports;
mod run;
mod search;
mod servers;
mod stored_runs;

use std::path::PathBuf;

use clap::{Parser, Subcommand};

pub(super) use self::engine::{Engine, is_address, runs_place};
pub(super) use self::format::{Format, Level, LogFormat, RunFormat, TemplateName, TestFormat};
pub(super) use self::graph::{Check, Convert, Diff, Fmt, Left, New, Reach, Test, To};
pub(super) use self::host::HostFlags;
pub(super) use self::line::{DB, Line};
pub(super) use self::picture::{Direction, Hidden, Language, Picture, Render};
pub(super) use self::ports::{People, Ports};
pub(super) use self::run::{Cancel, Fork, Resume, Rollback, Run};
pub(super) use self::search::SearchFlags;
pub(super) use self::servers::ConfigFlags;
pub(super) use self::stored_runs::{Doctor, Log, RunReferences, Runs, Show};

/// Agent loops as data: graph files that are checked, run and tested.
#[derive(Debug, Parser)]
#[command(name = "loopwright", version, about, arg_required_else_help = true, disable_help_subcommand = true)]
pub(super) struct CommandLine {
    /// The command that is given.
    #[command(subcommand)]
    pub(super) command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Write a small graph with scenarios and a configuration, ready to run.
    New(New),
    /// Check graph files without running them, and report all faults.
    Check(Check),
    /// Draw a graph as Mermaid or DOT text, or update the drawings in a document.
    Render(Render),
    /// Report what changed in meaning between two versions of a graph.
    Diff(Diff),
    /// Format graph files; comments are preserved.
    Fmt(Fmt),
    /// Print a graph file in the other syntax.
    Convert(Convert),
    /// Play scenario files and compare the results.
    Test(Test),
    /// Play every answer that matters of models, tools and people, and report what a run must not come to.
    Explore(super::explore::ExploreArgs),
    /// Run a graph.
    Run(Run),
    /// Continue a stored run: after a person's answer, a crash, an interruption.
    Resume(Resume),
    /// Cancel a stored run.
    Cancel(Cancel),
    /// Roll a stored run back to an earlier step.
    Rollback(Rollback),
    /// Start a new run at a step of a stored run.
    Fork(Fork),
    /// Serve graphs and runs over HTTP: begin runs, watch them, answer what they ask.
    Serve(super::serve::ServeArgs),
    /// Drive stored runs of graphs as they fall due, beside any number of other workers.
    Work(super::work::WorkArgs),
    /// List the stored runs.
    Runs(Runs),
    /// Show the state of a stored run, now or at an earlier step.
    Show(Show),
    /// Print the events of a stored run.
    Log(Log),
    /// Remove stored runs.
    Purge(super::purge::PurgeArgs),
    /// Replay a stored run and compare it with its journal or with an edited graph.
    Replay(super::replay::ReplayArgs),
    /// Check the configuration, models, grants and locks of a folder, and the run store for damage.
    Doctor(Doctor),
    /// Show what a folder's configuration asks for, and allow it.
    Trust(super::trust::TrustArgs),
    /// List the models of a configuration and the roles they serve; with `--ask`, test whether they answer.
    Models(super::models::ModelsArgs),
    /// List the tools of a configuration with grants, delivery and lock; `tools call` tries one.
    Tools(super::tools::ToolsArgs),
    /// Speak the Model Context Protocol: pin the tools of servers, or be a server for agents in other programs.
    Mcp(super::mcp::McpArgs),
    /// Be the language server of an editor, over standard input and output.
    Lsp(super::lsp::LspArgs),
    /// Drive runs that others begin, for an engine that keeps them.
    Worker(super::worker::WorkerArgs),
    /// Print the JSON Schema of graphs in YAML, of scenarios, scripts or configurations, for editors.
    Schema(super::schema::SchemaArgs),
    /// Print the reference: its tables into a folder, or all of it on one page for a coding agent.
    Reference(super::reference::ReferenceArgs),
    /// Print a completion script for a shell.
    Completions(Completions),
    /// Print the manual page of the program, or write those of all commands into a folder.
    Man(Man),
}

impl Command {
    /// The stored runs that the command names.
    pub(super) fn named_runs(&mut self) -> Option<RunReferences<'_>> {
        Some(match self {
            Self::Resume(Resume { run, engine, ports, .. })
            | Self::Cancel(Cancel { run, engine, ports, .. }) => {
                RunReferences::one(run, engine.as_ref(), &ports.db)
            }
            Self::Show(Show { run, engine, db, .. }) | Self::Log(Log { run, engine, db, .. }) => {
                RunReferences::one(run, engine.as_ref(), db)
            }
            Self::Rollback(Rollback { run, ports, .. }) => RunReferences::one(run, None, &ports.db),
            Self::Fork(Fork { run, db, .. }) => RunReferences::one(run, None, db),
            Self::Replay(replay) => RunReferences::one(&mut replay.run, None, &replay.db),
            Self::Render(render) => {
                let Picture { run: Some(run), db, .. } = &mut render.picture else { return None };
                // A file of events goes first.
                if std::path::Path::new(run).exists() {
                    return None;
                }
                RunReferences::one(run, None, db)
            }
            Self::Purge(purge) => purge.named_runs(),
            _ => return None,
        })
    }

    /// True where it does more than look and print, so that giving it once more is not the same as giving it once.
    pub(super) const fn does(&self) -> bool {
        match self {
            Self::New(_)
            | Self::Fmt(_)
            | Self::Run(_)
            | Self::Trust(_)
            | Self::Resume(_)
            | Self::Cancel(_)
            | Self::Rollback(_)
            | Self::Fork(_)
            | Self::Explore(_)
            | Self::Work(_)
            | Self::Serve(_)
            | Self::Purge(_)
            | Self::Tools(_)
            | Self::Worker(_)
            | Self::Mcp(_) => true,
            Self::Test(test) => test.write,
            Self::Reference(reference) => reference.writes(),
            Self::Man(man) => man.into.is_some(),
            Self::Check(_)
            | Self::Render(_)
            | Self::Diff(_)
            | Self::Convert(_)
            | Self::Runs(_)
            | Self::Show(_)
            | Self::Log(_)
            | Self::Replay(_)
            | Self::Models(_)
            | Self::Lsp(_)
            | Self::Doctor(_)
            | Self::Schema(_)
            | Self::Completions(_) => false,
        }
    }
}

/// `man`.
#[derive(Debug, clap::Args)]
pub(super) struct Man {
    /// Write the pages of the program and of every command into this folder, over those that are there.
    #[arg(long, value_name = "DIR")]
    pub(super) into: Option<PathBuf>,
}

/// `completions`.
#[derive(Debug, clap::Args)]
pub(super) struct Completions {
    /// The shell.
    pub(super) shell: clap_complete::Shell,
}
