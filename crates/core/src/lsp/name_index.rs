//! The uses of names that an examination met, by file and place.

use std::collections::BTreeMap;

use crate::model::name_use::{NameKind, NameUse};
use crate::model::types::Type;
use crate::source::{Sources, Span};
use crate::value::Str;

/// Bytes of a file.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct FileBytes {
    pub(super) file: String,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The thing that a name stands for: equal where two names mean the same.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum NameIdentity {
    /// A thing that is declared there.
    Declared(FileBytes),
    /// A thing that no file declares, or that has one name in all files.
    Global(NameKind, Str),
}

/// A use of a name.
#[derive(Debug, Clone)]
pub(super) struct IndexedUse {
    pub(super) place: FileBytes,
    pub(super) kind: NameKind,
    pub(super) name: Str,
    pub(super) definition: Option<FileBytes>,
    pub(super) ty: Option<Type>,
    /// True if the place holds the name as it is, so that another one may be written there.
    pub(super) is_literal: bool,
}

impl IndexedUse {
    fn of(one: NameUse, sources: &Sources) -> Self {
        let (place, is_literal) = name_place(one.span, &one.name, sources);
        let definition = one.definition.map(|span| name_place(span, &one.name, sources).0);
        let NameUse { kind, name, ty, .. } = one;
        Self { place, kind, name, definition, ty, is_literal }
    }

    pub(super) fn is_definition(&self) -> bool {
        self.definition.as_ref() == Some(&self.place)
    }

    pub(super) fn identity(&self) -> NameIdentity {
        match &self.definition {
            // The operator's configuration knows them by these names, whichever graph they are in.
            Some(place) if !matches!(self.kind, NameKind::Role | NameKind::Tool) => {
                NameIdentity::Declared(place.clone())
            }
            _ => NameIdentity::Global(self.kind, self.name.clone()),
        }
    }
}

/// The place of the name itself within what is around it, such as quotation marks.
fn name_place(span: Span, name: &str, sources: &Sources) -> (FileBytes, bool) {
    let file = sources.name(span.file).to_owned();
    let (start, end) = (span.start as usize, span.end as usize);
    match sources.slice(span).find(name) {
        Some(at) if !name.is_empty() => {
            (FileBytes { file, start: start + at, end: start + at + name.len() }, true)
        }
        _ => (FileBytes { file, start, end }, false),
    }
}

/// The uses of names that an examination met.
#[derive(Debug, Default)]
pub(super) struct NameIndex {
    files: BTreeMap<String, Vec<IndexedUse>>,
}

impl NameIndex {
    pub(super) fn new(uses: Vec<NameUse>, sources: &Sources) -> Self {
        let mut files: BTreeMap<String, Vec<IndexedUse>> = BTreeMap::new();
        for one in uses {
            let one = IndexedUse::of(one, sources);
            files.entry(one.place.file.clone()).or_default().push(one);
        }
        Self { files }
    }

    /// The uses in a file, in order of the text.
    pub(super) fn of_file(&self, file: &str) -> &[IndexedUse] {
        self.files.get(file).map_or(&[], Vec::as_slice)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &IndexedUse> {
        self.files.values().flatten()
    }

    /// The innermost uses at a byte of a file.
    pub(super) fn at(&self, file: &str, offset: usize) -> impl Iterator<Item = &IndexedUse> {
        let around = move |one: &&IndexedUse| one.place.start <= offset && offset <= one.place.end;
        let length = |one: &IndexedUse| one.place.end - one.place.start;
        let uses = self.of_file(file).iter().filter(around);
        let least = uses.clone().map(length).min();
        uses.filter(move |one| Some(length(one)) == least)
    }
}
