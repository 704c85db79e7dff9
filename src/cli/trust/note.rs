//! The note of a configuration that was allowed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::cli::screen;

/// The content that was allowed, with what it asked for, so that a change can be described.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Note {
    /// The version of this form.
    pub(super) version: u32,
    /// The file.
    pub(super) configuration: String,
    /// The digest of its content.
    pub(super) digest: String,
    /// The requests of the content, line by line.
    pub(super) asks: Vec<String>,
    /// The files and folders that the digest covers, with what is known of each.
    pub(super) files: BTreeMap<String, String>,
}

impl Note {
    /// The difference between this content and another one of the same file, for people.
    pub(super) fn difference(&self, now: &Self) -> String {
        let mut changes = "it changed since it was allowed:\n".to_owned();
        let mut line = |what: &str, text: &str| {
            let _ = writeln!(changes, "  {what}: {}", screen::asked(text));
        };
        now.asks.iter().filter(|ask| !self.asks.contains(ask)).for_each(|ask| line("new", ask));
        self.asks.iter().filter(|ask| !now.asks.contains(ask)).for_each(|ask| line("gone", ask));
        let names: BTreeSet<&String> = self.files.keys().chain(now.files.keys()).collect();
        let differing = names.into_iter().filter(|name| self.files.get(*name) != now.files.get(*name));
        differing.for_each(|name| line("changed", name));
        if self.asks == now.asks && self.files == now.files {
            line("changed", "its text, but not what it asks for");
        }
        changes
    }
}
