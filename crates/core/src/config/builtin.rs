//! `[builtin]`: the tools that need no command.

use toml::de::DeTable;

use super::faults::Faults;
use super::fields::TableFields;
use super::file_tool::{FileToolConfig, FileToolKind};
use crate::syntax::{FileKey, KeyForm};

/// The keys of `[builtin]`.
pub(super) const KEYS: &[FileKey] = &[
    FileKey::new("calculator", KeyForm::Flag, "False switches the tool off that works out an expression."),
    FileKey::new("clock", KeyForm::Flag, "False switches the tool off that tells the time."),
    FileToolKind::Read.key(),
    FileToolKind::List.key(),
    FileToolKind::Search.key(),
    FileToolKind::Write.key(),
];

/// The built-in tools on offer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Builtin {
    /// `calculator`, on unless switched off.
    pub calculator: bool,
    /// `clock`, on unless switched off.
    pub clock: bool,
    /// The tools over files, each off unless it is given a folder.
    pub file_tools: Vec<FileToolConfig>,
}

impl Default for Builtin {
    fn default() -> Self {
        Self { calculator: true, clock: true, file_tools: Vec::new() }
    }
}

impl Builtin {
    /// The names of all built-in tools, whether or not they are on.
    pub(super) fn names() -> impl Iterator<Item = &'static str> {
        ["calculator", "clock"].into_iter().chain(FileToolKind::ALL.map(FileToolKind::name))
    }

    /// Returns true if a built-in tool of that name is on offer.
    #[must_use]
    pub fn offers(&self, name: &str) -> bool {
        match name {
            "calculator" => self.calculator,
            "clock" => self.clock,
            name => self.file_tools.iter().any(|config| config.tool.name() == name),
        }
    }

    /// The configuration of one of the tools over files, if that is on.
    #[must_use]
    pub fn file_tool(&self, tool: FileToolKind) -> Option<&FileToolConfig> {
        self.file_tools.iter().find(|config| config.tool == tool)
    }

    pub(super) fn read(table: &DeTable<'_>, faults: &mut Faults) -> Self {
        let fields = TableFields::new("[builtin]", KEYS, table);
        let builtin = Self {
            calculator: fields.flag("calculator", faults).unwrap_or(true),
            clock: fields.flag("clock", faults).unwrap_or(true),
            file_tools: FileToolKind::ALL
                .into_iter()
                .filter_map(|tool| FileToolConfig::read(tool, &fields, faults))
                .collect(),
        };
        fields.finish(faults);
        builtin
    }
}
