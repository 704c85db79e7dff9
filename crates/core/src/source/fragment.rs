//! A text that left its file and remembers the way back.

use smallvec::{SmallVec, smallvec};

use super::{FileId, Span};

/// A text taken out of a file, with a map from its bytes to the file's.
///
/// The map is a list of anchors `(offset in text, offset in file)`, ascending in the first; between two
/// anchors both sides run in step. An escape, a fold or a removed indentation starts a new anchor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fragment {
    /// The text, as an expression parser shall read it.
    pub text: String,
    /// The file it came from.
    pub file: FileId,
    anchors: SmallVec<[(u32, u32); 2]>,
    end: u32,
}

impl Fragment {
    /// A text that is in the file as it is, from byte `start` on.
    #[must_use]
    pub fn verbatim(text: impl Into<String>, file: FileId, start: usize) -> Self {
        let text = text.into();
        let end = start + text.len();
        Self { text, file, anchors: smallvec![(0, clamp(start))], end: clamp(end) }
    }

    /// A text with its own map. `anchors` ascend in their first part and begin at 0; `end` is the byte of
    /// the file just after the text.
    #[must_use]
    pub fn mapped(text: String, file: FileId, anchors: Vec<(u32, u32)>, end: usize) -> Self {
        let anchors = if anchors.is_empty() { vec![(0, clamp(end))] } else { anchors };
        Self { text, file, anchors: anchors.into(), end: clamp(end) }
    }

    /// The place in the file of the bytes `start..end` of this text.
    #[must_use]
    pub fn span(&self, start: usize, end: usize) -> Span {
        let from = self.locate(start);
        let to = if end > start { self.locate(end - 1).saturating_add(1) } else { from };
        Span { file: self.file, start: from, end: to.max(from) }
    }

    /// The way back alone, without the text.
    #[must_use]
    pub fn map_only(&self) -> Self {
        Self { text: String::new(), file: self.file, anchors: self.anchors.clone(), end: self.end }
    }

    /// The place of the whole text.
    #[must_use]
    pub fn whole(&self) -> Span {
        Span { file: self.file, start: self.locate(0), end: self.end.max(self.locate(0)) }
    }

    /// The bytes `start..end` of this text as a fragment of its own; empty where they do not fall on characters.
    #[must_use]
    pub fn part(&self, start: usize, end: usize) -> Self {
        let text = self.text.get(start..end).unwrap_or_default().to_owned();
        let (from, to) = (clamp(start), clamp(end));
        let mut anchors: SmallVec<[_; 2]> = smallvec![(0, self.locate(start))];
        let inner = self.anchors.iter().filter(|(at, _)| *at > from && *at < to);
        anchors.extend(inner.map(|(at, file)| (at - from, *file)));
        let span = self.span(start, end);
        Self { text, file: self.file, anchors, end: span.end }
    }

    fn locate(&self, at: usize) -> u32 {
        let at = clamp(at);
        let i = self.anchors.partition_point(|(text, _)| *text <= at).max(1) - 1;
        let (text, file) = self.anchors[i];
        (file + (at.saturating_sub(text))).min(self.end)
    }
}

fn clamp(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
