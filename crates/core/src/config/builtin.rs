//! `[builtin]`: the tools that need no command.

use toml::de::{DeTable, DeValue};

use super::faults::Faults;
use super::fields::TableFields;

/// The longest file `read_file` gives back, in bytes, unless `max_bytes` says otherwise.
const FILE_BYTES: usize = 256 << 10;

/// The built-in tools on offer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Builtin {
    /// `calculator`, on unless switched off.
    pub calculator: bool,
    /// `clock`, on unless switched off.
    pub clock: bool,
    /// `read_file`, off unless it is given a folder.
    pub read_file: Option<ReadFile>,
}

/// The limits of `read_file`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadFile {
    /// The folder, relative to that of the configuration file.
    pub root: String,
    /// The longest file, in bytes.
    pub max_bytes: usize,
}

impl Default for Builtin {
    fn default() -> Self {
        Self { calculator: true, clock: true, read_file: None }
    }
}

impl Builtin {
    /// Returns true if a built-in tool of that name is on offer.
    #[must_use]
    pub fn offers(&self, name: &str) -> bool {
        match name {
            "calculator" => self.calculator,
            "clock" => self.clock,
            "read_file" => self.read_file.is_some(),
            _ => false,
        }
    }

    /// The names of those on offer.
    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        ["calculator", "clock", "read_file"].into_iter().filter(|name| self.offers(name))
    }

    pub(super) fn read(table: &DeTable<'_>, faults: &mut Faults) -> Self {
        let mut fields = TableFields::new("[builtin]", table);
        let builtin = Self {
            calculator: fields.flag("calculator", faults).unwrap_or(true),
            clock: fields.flag("clock", faults).unwrap_or(true),
            read_file: read_file(&mut fields, faults),
        };
        fields.finish(faults);
        builtin
    }
}

fn read_file(fields: &mut TableFields<'_>, faults: &mut Faults) -> Option<ReadFile> {
    let value = fields.get("read_file")?;
    let table = match value.get_ref() {
        DeValue::Boolean(false) => return None,
        DeValue::Table(table) => table,
        _ => {
            faults
                .say(value.span(), "`read_file` needs the folder that it may read")
                .help("write read_file = {root = \"folder\"}");
            return None;
        }
    };
    let mut fields = TableFields::new("`read_file`", table);
    let root = fields.string("root", faults);
    let max_bytes = fields.count("max_bytes", 1, 64 << 20, faults).unwrap_or(FILE_BYTES);
    fields.finish(faults);
    if root.is_none() && !table.contains_key("root") {
        faults
            .say(value.span(), "`read_file` has no `root`")
            .help("write read_file = {root = \"folder\"}; only files inside that folder are read");
    }
    Some(ReadFile { root: root?.to_owned(), max_bytes })
}
