//! A text that is open in the editor.

use ls_types::{TextDocumentContentChangeEvent, Uri};

use super::text_index::{ColumnUnit, TextIndex};

/// A text that is open in the editor, which counts, and not the one on disk.
#[derive(Debug)]
pub(super) struct Buffer {
    /// The address as the client writes it.
    pub(super) uri: Uri,
    pub(super) text: String,
    pub(super) version: i32,
}

impl Buffer {
    /// Makes a change: of a range, or of the whole text where there is none.
    pub(super) fn change(&mut self, change: TextDocumentContentChangeEvent, unit: ColumnUnit) {
        let Some(range) = change.range else {
            self.text = change.text;
            return;
        };
        let index = TextIndex::new(&self.text, unit);
        let (start, end) = (index.offset(range.start), index.offset(range.end));
        self.text.replace_range(start..end.max(start), &change.text);
    }
}
