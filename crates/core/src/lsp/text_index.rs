//! Bytes of a text and the positions that an editor counts in.

use ls_types::{Position, Range};

/// The unit in which columns are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum ColumnUnit {
    /// Bytes.
    Utf8,
    /// Units of UTF-16, which every client knows.
    #[default]
    Utf16,
}

impl ColumnUnit {
    fn of(self, c: char) -> usize {
        match self {
            Self::Utf8 => c.len_utf8(),
            Self::Utf16 => c.len_utf16(),
        }
    }
}

/// A text with the beginnings of its lines. A line ends with `\n`, `\r\n` or `\r`.
#[derive(Debug)]
pub(super) struct TextIndex<'t> {
    text: &'t str,
    unit: ColumnUnit,
    starts: Vec<usize>,
}

impl<'t> TextIndex<'t> {
    pub(super) fn new(text: &'t str, unit: ColumnUnit) -> Self {
        let bytes = text.as_bytes();
        let ends = |i: &usize| match bytes[*i] {
            b'\n' => true,
            b'\r' => bytes.get(i + 1) != Some(&b'\n'),
            _ => false,
        };
        let starts = std::iter::once(0).chain((0..bytes.len()).filter(ends).map(|i| i + 1)).collect();
        Self { text, unit, starts }
    }

    /// The position of a byte; of one inside of a character that of the character.
    pub(super) fn position(&self, at: usize) -> Position {
        let at = boundary(self.text, at);
        let line = self.starts.partition_point(|start| *start <= at) - 1;
        let column = self.text[self.starts[line]..at].chars().map(|c| self.unit.of(c)).sum();
        Position { line: count(line), character: count(column) }
    }

    /// The range of the bytes `start..end`.
    pub(super) fn range(&self, start: usize, end: usize) -> Range {
        Range { start: self.position(start), end: self.position(end.max(start)) }
    }

    /// The byte at a position. A column past the end of its line is the end, a line past the last one the end of the text.
    pub(super) fn offset(&self, position: Position) -> usize {
        let line = usize::try_from(position.line).unwrap_or(usize::MAX);
        let Some(start) = self.starts.get(line).copied() else { return self.text.len() };
        let next = self.starts.get(line.saturating_add(1)).copied().unwrap_or(self.text.len());
        let wanted = usize::try_from(position.character).unwrap_or(usize::MAX);
        let mut column = 0;
        for (at, c) in self.text[start..next].char_indices() {
            column += self.unit.of(c);
            if matches!(c, '\n' | '\r') || column > wanted {
                return start + at;
            }
        }
        next
    }
}

/// The byte, or the nearest one before it where a character begins.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use ls_types::Position;

    use super::{ColumnUnit, TextIndex};

    const TEXT: &str = "a\nü𝄞x\r\nlast\rend";

    #[test]
    fn every_character_is_found_again_by_its_position() {
        for unit in [ColumnUnit::Utf8, ColumnUnit::Utf16] {
            let index = TextIndex::new(TEXT, unit);
            for (at, c) in TEXT.char_indices().filter(|(_, c)| !matches!(c, '\n' | '\r')) {
                assert_eq!(index.offset(index.position(at)), at, "{c} in {unit:?}");
            }
        }
    }

    #[test]
    fn columns_are_counted_in_the_unit_of_the_client() {
        let x = TEXT.find('x').expect("it is there");
        let column = |unit| TextIndex::new(TEXT, unit).position(x);
        assert_eq!(column(ColumnUnit::Utf8), Position::new(1, 6));
        assert_eq!(column(ColumnUnit::Utf16), Position::new(1, 3));
    }

    #[test]
    fn positions_outside_of_the_text_are_brought_into_it() {
        let index = TextIndex::new(TEXT, ColumnUnit::Utf16);
        assert_eq!(index.offset(Position::new(0, 99)), 1);
        assert_eq!(index.offset(Position::new(1, u32::MAX)), TEXT.find('\r').expect("it is there"));
        assert_eq!(index.offset(Position::new(u32::MAX, 0)), TEXT.len());
        assert_eq!(index.offset(Position::new(1, 2)), "a\nü".len(), "the middle of a character");
        assert_eq!(index.position(3), Position::new(1, 0));
    }
}
