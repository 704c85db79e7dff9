//! The note of a configuration that was allowed.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

/// The content that was allowed, with what it asked for, so that a change can be described.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The version of this form.
    pub version: u32,
    /// The path of the file, without links in its folder.
    pub configuration: String,
    /// The digest of its content.
    pub digest: String,
    /// The requests of the content, line by line.
    pub asks: Vec<String>,
    /// The files and folders that the digest covers, with what is known of each.
    pub files: BTreeMap<String, String>,
}

/// A difference between two contents of a configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoteChange<'n> {
    /// A request that is new.
    New(&'n str),
    /// A request that is gone.
    Gone(&'n str),
    /// A file or folder that is another one now.
    File(&'n str),
    /// The text of the file alone.
    Text,
}

impl Note {
    /// The differences between this content and a later one of the same file.
    #[must_use]
    pub fn changes<'n>(&'n self, now: &'n Self) -> Vec<NoteChange<'n>> {
        let new = now.asks.iter().filter(|ask| !self.asks.contains(ask));
        let gone = self.asks.iter().filter(|ask| !now.asks.contains(ask));
        let names: BTreeSet<&String> = self.files.keys().chain(now.files.keys()).collect();
        let differing = names.into_iter().filter(|name| self.files.get(*name) != now.files.get(*name));
        let mut changes: Vec<NoteChange<'n>> = new.map(|ask| NoteChange::New(ask)).collect();
        changes.extend(gone.map(|ask| NoteChange::Gone(ask)));
        changes.extend(differing.map(|name| NoteChange::File(name)));
        if self.asks == now.asks && self.files == now.files {
            changes.push(NoteChange::Text);
        }
        changes
    }
}
