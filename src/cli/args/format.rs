//! The forms in which commands print, and how much is logged.

use clap::ValueEnum;

use crate::cli::screen;

/// The forms in which a command prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Format {
    /// For people.
    Human,
    /// One JSON document.
    Json,
}

/// The forms in which `test` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum TestFormat {
    /// For people.
    Human,
    /// One JSON document.
    Json,
    /// JUnit XML, for CI servers.
    Junit,
}

/// The forms in which `log` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum LogFormat {
    /// For people.
    Human,
    /// One event a line, as `run` prints them.
    Jsonl,
}

/// The forms in which `run` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum RunFormat {
    /// For people.
    Human,
    /// The outcome as one JSON document.
    Json,
    /// One event a line.
    Jsonl,
}

impl RunFormat {
    /// One document for a program: on a line of its own where each line is one.
    pub(in crate::cli) fn document(self, document: &serde_json::Value) -> String {
        if self == Self::Jsonl { screen::json_line(document) } else { screen::json(document) }
    }
}

/// The levels of `--log`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Level {
    /// Nothing.
    Off,
    /// Errors.
    Error,
    /// Warnings too.
    Warn,
    /// Runs and calls too.
    Info,
    /// Nodes too.
    Debug,
    /// Everything.
    Trace,
}

/// The graph that `new` writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum TemplateName {
    /// A model, a tool and a budget.
    Small,
    /// A conversation with tools.
    Chat,
    /// A model thinks and a tool acts, until the answer is known.
    React,
    /// A plan, its steps one after the other, and a report.
    Plan,
    /// A writer, a reviewer, and a person who decides.
    Review,
    /// A node and the end.
    Empty,
}
