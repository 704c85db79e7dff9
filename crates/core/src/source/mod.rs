//! Texts of files, places in them, and the way from one to the other.
//!
//! Text is handed in, never read here. A [`Span`] is a range of bytes in one file; a [`Fragment`] is a
//! text that was taken out of a file and perhaps unescaped, unfolded or dedented on the way, and still
//! knows where each of its bytes came from.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod display;
mod fragment;
mod span;

pub(crate) use display::is_hidden;
pub use fragment::Fragment;
pub use span::{FileId, Span, Spanned};

/// One file's name and text with an index of its lines.
#[derive(Debug, Clone)]
struct SourceFile {
    name: String,
    text: String,
    line_starts: Vec<u32>,
}

/// All files one load has seen. A [`FileId`] is an index into it.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    files: Vec<SourceFile>,
}

impl Sources {
    /// An empty collection.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file. `name` is the path as messages shall print it.
    ///
    /// # Panics
    /// When more than `u32::MAX` files are added.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        let text = text.into();
        let mut line_starts = vec![0];
        line_starts.extend(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| offset(i + 1)));
        self.files.push(SourceFile { name: name.into(), text, line_starts });
        FileId(offset(self.files.len() - 1))
    }

    /// The name a file was added under.
    #[must_use]
    pub fn name(&self, file: FileId) -> &str {
        &self.files[file.0 as usize].name
    }

    /// The whole text of a file.
    #[must_use]
    pub fn text(&self, file: FileId) -> &str {
        &self.files[file.0 as usize].text
    }

    /// The names and texts of all files, in the order in which they were added.
    pub fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|file| (file.name.as_str(), file.text.as_str()))
    }

    /// The file of that name, if one was added.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<FileId> {
        self.files.iter().position(|f| f.name == name).map(|i| FileId(offset(i)))
    }

    /// The text a span covers, empty when the span lies outside its file.
    #[must_use]
    pub fn slice(&self, span: Span) -> &str {
        self.text(span.file).get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// Line and column of a span's start, both from 1; the column counts characters.
    #[must_use]
    pub fn line_col(&self, span: Span) -> (usize, usize) {
        let file = &self.files[span.file.0 as usize];
        let line = file.line_starts.partition_point(|s| *s <= span.start).max(1);
        let from = file.line_starts[line - 1] as usize;
        let to = (span.start as usize).min(file.text.len());
        let column = file.text.get(from..to).map_or(1, |t| t.chars().count() + 1);
        (line, column)
    }
}

fn offset(i: usize) -> u32 {
    u32::try_from(i).expect("a text of this size was refused before it came here")
}
