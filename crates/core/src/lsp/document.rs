//! One file of the workspace, as a request finds it.

use ls_types::{Location, Position, Range};

use super::examined_file::ExaminedFile;
use super::name_index::{FileBytes, IndexedUse};
use super::text_index::TextIndex;
use super::workspace::Workspace;
use crate::app::FileKind;

/// A file with its text as it is open or on disk.
pub(super) struct LspDocument<'w> {
    pub(super) workspace: &'w Workspace,
    pub(super) name: String,
    pub(super) text: String,
}

impl<'w> LspDocument<'w> {
    /// The file of that name; none where it cannot be read.
    pub(super) fn new(workspace: &'w Workspace, name: &str) -> Option<Self> {
        Some(Self { workspace, name: name.to_owned(), text: workspace.text(name)? })
    }

    /// The kind of file; what nothing is known of may be a part of a graph.
    pub(super) fn kind(&self) -> FileKind {
        self.workspace.kind(&self.name).unwrap_or(FileKind::Graph)
    }

    pub(super) fn index(&self) -> TextIndex<'_> {
        TextIndex::new(&self.text, self.workspace.unit)
    }

    pub(super) fn offset(&self, position: Position) -> usize {
        self.index().offset(position)
    }

    /// The examinations that read this very text: that of the file itself first.
    pub(super) fn examinations(&self) -> impl Iterator<Item = &'w ExaminedFile> {
        self.workspace.examinations_of(&self.name)
    }

    /// The use of a name at a byte, with the examination that knows it.
    pub(super) fn use_at(&self, offset: usize) -> Option<(&'w IndexedUse, &'w ExaminedFile)> {
        self.examinations().find_map(|examined| {
            // The one with a declaration says more.
            let all = examined.names.at(&self.name, offset);
            let best = all.min_by_key(|one| (one.definition.is_none(), one.is_definition()));
            best.map(|one| (one, examined))
        })
    }
}

impl Workspace {
    /// Bytes of a file as a client knows them.
    pub(super) fn range(&self, place: &FileBytes) -> Option<Range> {
        let text = self.text(&place.file)?;
        Some(TextIndex::new(&text, self.unit).range(place.start, place.end))
    }

    pub(super) fn location(&self, place: &FileBytes) -> Option<Location> {
        Some(Location { uri: self.uri(&place.file)?, range: self.range(place)? })
    }
}
