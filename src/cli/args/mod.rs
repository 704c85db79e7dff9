//! The commands and their flags.

mod format;
mod graph;
mod kept;
mod line;
mod picture;
mod ports;
mod run;

use clap::{Parser, Subcommand};

pub(super) use self::format::{Format, Level, LogFormat, RunFormat, TestFormat};
pub(super) use self::graph::{Check, Convert, Diff, Fmt, Left, New, Reach, Test, To};
pub(super) use self::kept::{Doctor, Log, Runs, Show};
pub(super) use self::line::{DB, Line};
pub(super) use self::picture::{Hidden, Language, Picture, Render};
pub(super) use self::ports::Ports;
pub(super) use self::run::{Cancel, Fork, Resume, Rollback, Run};

/// Agent loops as data: graph files that are checked, run and tested.
#[derive(Debug, Parser)]
#[command(name = "loopwright", version, about, arg_required_else_help = true, disable_help_subcommand = true)]
pub(super) struct Args {
    /// The command that is given.
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
    /// Draw a graph: Mermaid or DOT, as text, or kept up to date in a document.
    Render(Render),
    /// Say what changed in meaning between two versions of a graph.
    Diff(Diff),
    /// Write graph files in their canonical form; comments stay.
    Fmt(Fmt),
    /// Print a graph file in the other syntax.
    Convert(Convert),
    /// Play scenario files and compare.
    Test(Test),
    /// Run a graph.
    Run(Run),
    /// Go on with a kept run: after a person's answer, a crash, an interruption.
    Resume(Resume),
    /// End a kept run for good.
    Cancel(Cancel),
    /// Send a kept run back to an earlier step.
    Rollback(Rollback),
    /// Begin another run at a step of a kept one.
    Fork(Fork),
    /// List the kept runs.
    Runs(Runs),
    /// Show where a kept run stands, or stood at a step.
    Show(Show),
    /// Print the events of a kept run.
    Log(Log),
    /// Remove kept runs that nobody wants any more.
    Purge(super::purge::Args),
    /// Make a kept run again from its journal and compare, or hold it against an edited graph.
    Replay(super::replay::Args),
    /// Say what of the kept runs can be read.
    Doctor(Doctor),
    /// Show what a folder's configuration asks for, and allow it.
    Trust(super::trust::Args),
    /// Print the JSON Schema of the YAML form, for editors.
    Schema,
    /// Print a completion script for a shell.
    Completions(Completions),
}

impl Command {
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
            | Self::Purge(_) => true,
            Self::Check(_)
            | Self::Render(_)
            | Self::Diff(_)
            | Self::Convert(_)
            | Self::Test(_)
            | Self::Runs(_)
            | Self::Show(_)
            | Self::Log(_)
            | Self::Replay(_)
            | Self::Doctor(_)
            | Self::Schema
            | Self::Completions(_) => false,
        }
    }
}

/// `completions`.
#[derive(Debug, clap::Args)]
pub(super) struct Completions {
    /// The shell.
    pub(super) shell: clap_complete::Shell,
}
