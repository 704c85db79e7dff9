//! From a name to its declaration and to its other uses.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use ls_types::{DocumentHighlight, DocumentHighlightKind, Location, OneOf, SymbolKind, WorkspaceSymbol};

use super::document::LspDocument;
use super::name_index::{FileBytes, IndexedUse, NameIdentity};
use super::workspace::Workspace;
use crate::app::FileKind;
use crate::config::table_keys;
use crate::model::name_use::NameKind;

/// The most declarations that a search gives.
const MAX_SYMBOLS: usize = 500;

impl LspDocument<'_> {
    /// The declarations of the name at a byte.
    pub(super) fn definitions(&self, offset: usize) -> Vec<Location> {
        let Some((one, _)) = self.use_at(offset) else { return Vec::new() };
        let declared = if let NameIdentity::Declared(place) = one.identity() {
            BTreeSet::from([place])
        } else {
            let uses = self.workspace.uses(one);
            let declared = uses.iter().filter(|one| one.is_definition()).map(|one| one.place.clone());
            declared.chain(self.workspace.configured(one)).collect()
        };
        declared.iter().filter_map(|place| self.workspace.location(place)).collect()
    }

    /// The uses of the name at a byte in all files.
    pub(super) fn references(&self, offset: usize, with_declaration: bool) -> Vec<Location> {
        let Some((one, _)) = self.use_at(offset) else { return Vec::new() };
        let uses = self.workspace.uses(one);
        let mut places: BTreeSet<FileBytes> = uses
            .iter()
            .filter(|one| with_declaration || !one.is_definition())
            .map(|one| one.place.clone())
            .collect();
        if with_declaration {
            places.extend(self.workspace.configured(one));
        }
        places.iter().filter_map(|place| self.workspace.location(place)).collect()
    }

    /// The uses of the name at a byte in this file.
    pub(super) fn highlights(&self, offset: usize) -> Vec<DocumentHighlight> {
        let Some((one, _)) = self.use_at(offset) else { return Vec::new() };
        let uses = self.workspace.uses(one);
        let places: BTreeSet<&FileBytes> =
            uses.iter().map(|one| &one.place).filter(|place| place.file == self.name).collect();
        let ranges = places.into_iter().filter_map(|place| self.workspace.range(place));
        ranges.map(|range| DocumentHighlight { range, kind: Some(DocumentHighlightKind::TEXT) }).collect()
    }
}

impl Workspace {
    /// All uses of what a name stands for. One place may stand for the same in several graphs, which declare it each.
    pub(super) fn uses(&self, of: &IndexedUse) -> Vec<&IndexedUse> {
        let mut same = BTreeSet::from([of.identity()]);
        let all: Vec<(&IndexedUse, NameIdentity)> = self
            .all_examinations()
            .flat_map(|one| one.names.all())
            .map(|one| (one, one.identity()))
            .collect();
        loop {
            let known = same.len();
            let places: BTreeSet<&FileBytes> = all
                .iter()
                .filter(|(_, identity)| same.contains(identity))
                .map(|(one, _)| &one.place)
                .collect();
            let further = all.iter().filter(|(one, _)| places.contains(&one.place));
            same.extend(further.map(|(_, identity)| identity.clone()));
            if same.len() == known {
                break;
            }
        }
        all.into_iter().filter(|(_, identity)| same.contains(identity)).map(|(one, _)| one).collect()
    }

    /// The places of configurations that declare a tool or bind a role: the keys of their tables.
    fn configured(&self, of: &IndexedUse) -> Vec<FileBytes> {
        let all = self.configured_names(of.kind).into_iter();
        all.filter(|(name, _)| *of.name == **name).map(|(_, place)| place).collect()
    }

    /// The tools or roles that configurations name: the keys of their tables, with their places.
    pub(super) fn configured_names(&self, kind: NameKind) -> Vec<(String, FileBytes)> {
        let tables: &[&str] = match kind {
            NameKind::Tool => &["tools", "builtin"],
            NameKind::Role => &["models"],
            _ => &[],
        };
        let mut found = Vec::new();
        for file in self.files_of(FileKind::Configuration) {
            let text = self.text(&file).unwrap_or_default();
            let place =
                |bytes: Range<usize>| FileBytes { file: file.clone(), start: bytes.start, end: bytes.end };
            found.extend(table_keys(&text, tables).into_iter().map(|(key, bytes)| (key, place(bytes))));
        }
        found
    }

    /// The declarations in all files whose names hold the letters of a query, whatever their case.
    pub(super) fn named(&self, query: &str) -> Vec<WorkspaceSymbol> {
        let query = query.to_lowercase();
        let fits = |one: &&IndexedUse| one.is_definition() && one.name.to_lowercase().contains(&query);
        let is_shown =
            |one: &&IndexedUse| !matches!(one.kind, NameKind::Local | NameKind::Field | NameKind::Member);
        let uses = self.all_examinations().flat_map(|one| one.names.all()).filter(fits).filter(is_shown);
        let found: BTreeMap<(&FileBytes, NameKind), &str> =
            uses.map(|one| ((&one.place, one.kind), one.name.as_str())).collect();
        let found = found.into_iter().take(MAX_SYMBOLS);
        let symbol = |((place, kind), name): ((&FileBytes, NameKind), &str)| {
            Some(WorkspaceSymbol {
                name: name.to_owned(),
                kind: symbol_kind(kind),
                tags: None,
                container_name: None,
                location: OneOf::Left(self.location(place)?),
                data: None,
            })
        };
        found.filter_map(symbol).collect()
    }
}

const fn symbol_kind(kind: NameKind) -> SymbolKind {
    match kind {
        NameKind::Graph | NameKind::File => SymbolKind::MODULE,
        NameKind::Input => SymbolKind::PROPERTY,
        NameKind::State | NameKind::Local | NameKind::Supplied => SymbolKind::VARIABLE,
        NameKind::Let => SymbolKind::CONSTANT,
        NameKind::Action | NameKind::Function | NameKind::Tool => SymbolKind::FUNCTION,
        NameKind::Budget | NameKind::Meter => SymbolKind::NUMBER,
        NameKind::Node => SymbolKind::OBJECT,
        NameKind::Text => SymbolKind::STRING,
        NameKind::Type => SymbolKind::STRUCT,
        NameKind::Field => SymbolKind::FIELD,
        NameKind::Member => SymbolKind::ENUM_MEMBER,
        NameKind::Error => SymbolKind::EVENT,
        NameKind::Role => SymbolKind::INTERFACE,
    }
}
