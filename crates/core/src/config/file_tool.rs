//! The tools over files under `[builtin]`.

use serde_json::{Value, json};
use toml::de::DeValue;

use super::faults::Faults;
use super::fields::{APPROVAL, TableFields};
use crate::program::Approval;
use crate::syntax::{FileKey, KeyForm, keys_schema};

/// The longest file, in bytes, that is read or written unless `max_bytes` says otherwise.
const FILE_BYTES: usize = 256 << 10;

/// The longest file, in bytes, that is searched unless `max_bytes` says otherwise.
const SEARCHED_BYTES: usize = 1 << 20;

const ROOT: FileKey =
    FileKey::new("root", KeyForm::Text, "The folder that the tool reaches, relative to this file.")
        .required();

const MAX_BYTES: FileKey = FileKey::new(
    "max_bytes",
    KeyForm::Count(1, 64 << 20),
    "The longest file in bytes; default 256 KiB, for searching 1 MiB.",
);

const MAX_RESULTS: FileKey = FileKey::new(
    "max_results",
    KeyForm::Count(1, 10_000),
    "The most entries (default 1000) or matching lines (default 100).",
);

/// A tool over the files of one folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileToolKind {
    /// `read_file`.
    Read,
    /// `list_files`.
    List,
    /// `search_files`.
    Search,
    /// `write_file`.
    Write,
}

/// The folder and the limits of a tool over files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileToolConfig {
    /// The tool.
    pub tool: FileToolKind,
    /// The folder, relative to that of the configuration file.
    pub root: String,
    /// The longest file, in bytes. A listing does not use it.
    pub max_bytes: usize,
    /// The most entries of a listing or matches of a search.
    pub max_results: usize,
    /// The approval that each call needs.
    pub approval: Approval,
}

impl FileToolKind {
    /// All of them, in the order in which they are offered.
    pub const ALL: [Self; 4] = [Self::Read, Self::List, Self::Search, Self::Write];

    /// The name of the tool.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read_file",
            Self::List => "list_files",
            Self::Search => "search_files",
            Self::Write => "write_file",
        }
    }

    /// The keys of its table.
    const fn keys(self) -> &'static [FileKey] {
        match self {
            Self::Read | Self::Write => &[ROOT, MAX_BYTES, APPROVAL],
            Self::List => &[ROOT, MAX_RESULTS, APPROVAL],
            Self::Search => &[ROOT, MAX_BYTES, MAX_RESULTS, APPROVAL],
        }
    }

    /// Its key in `[builtin]`.
    pub(super) const fn key(self) -> FileKey {
        let (schema, doc): (fn() -> Value, _) = match self {
            Self::Read => (|| schema(Self::Read), "The tool that reads a file of one folder."),
            Self::List => (|| schema(Self::List), "The tool that lists the files of one folder."),
            Self::Search => (|| schema(Self::Search), "The tool that searches the files of one folder."),
            Self::Write => (|| schema(Self::Write), "The tool that writes a file of one folder."),
        };
        FileKey::new(self.name(), KeyForm::Schema(schema), doc)
    }

    /// What it may do to its folder, as a verb.
    const fn verb(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::List => "list",
            Self::Search => "search",
            Self::Write => "write",
        }
    }

    /// What it does with files, as a verb of the third person.
    #[must_use]
    pub const fn does(self) -> &'static str {
        match self {
            Self::Read => "reads",
            Self::List => "lists",
            Self::Search => "searches",
            Self::Write => "writes",
        }
    }

    /// Returns true if its calls change files.
    #[must_use]
    pub const fn changes_files(self) -> bool {
        matches!(self, Self::Write)
    }
}

fn schema(tool: FileToolKind) -> Value {
    json!({"anyOf": [{"const": false}, keys_schema(tool.keys())]})
}

impl FileToolConfig {
    /// The tool over a folder, with the limits that hold where none are given.
    #[must_use]
    pub fn new(tool: FileToolKind, root: impl Into<String>) -> Self {
        let max_bytes = if tool == FileToolKind::Search { SEARCHED_BYTES } else { FILE_BYTES };
        let max_results = if tool == FileToolKind::List { 1000 } else { 100 };
        let approval = if tool.changes_files() { Approval::Needed } else { Approval::NotNeeded };
        Self { tool, root: root.into(), max_bytes, max_results, approval }
    }

    /// The declaration as one text, for its digest.
    #[must_use]
    pub fn declaration(&self) -> String {
        let Self { tool, root, max_bytes, max_results, approval } = self;
        let expires = approval.expires().map(|nanos| format!(" within {nanos}")).unwrap_or_default();
        format!("{} {root:?} {max_bytes} {max_results} {}{expires}", tool.name(), approval.is_needed())
    }

    pub(super) fn read(tool: FileToolKind, fields: &TableFields<'_>, faults: &mut Faults) -> Option<Self> {
        let name = tool.name();
        let value = fields.get(name)?;
        let cure = format!("write {name} = {{root = \"folder\"}}");
        let table = match value.get_ref() {
            DeValue::Boolean(false) => return None,
            DeValue::Table(table) => table,
            _ => {
                let needs = format!("`{name}` needs the folder that it may {}", tool.verb());
                faults.say(value.span(), needs).help(cure);
                return None;
            }
        };
        let fields = TableFields::new(format!("`{name}`"), tool.keys(), table);
        let root = fields.string("root", faults);
        let mut config = Self::new(tool, root.unwrap_or_default());
        if tool != FileToolKind::List {
            config.max_bytes = fields.count("max_bytes", faults).unwrap_or(config.max_bytes);
        }
        if matches!(tool, FileToolKind::List | FileToolKind::Search) {
            config.max_results = fields.count("max_results", faults).unwrap_or(config.max_results);
        }
        config.approval = fields.approval(faults).unwrap_or(config.approval);
        fields.finish(faults);
        if root.is_none() && !table.contains_key("root") {
            let only = format!("{cure}; it reaches no file outside that folder");
            faults.say(value.span(), format!("`{name}` has no `root`")).help(only);
        }
        root.map(|_| config)
    }
}
