//! The sizes of texts.

use super::widths::{UNITS, WIDTHS};
use crate::source::is_hidden;

/// The size of the letters, in pixels.
pub(super) const FONT_SIZE: f64 = 14.0;

/// The distance from line to line, in pixels.
pub(super) const LINE_HEIGHT: f64 = 18.0;

/// A text in lines, with its size in pixels.
#[derive(Debug, Clone, Default)]
pub(super) struct TextBlock {
    pub(super) lines: Vec<String>,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl TextBlock {
    /// Lines of a label, as they are seen. With `most`, lines of more characters are broken at blanks.
    pub(super) fn new(label: &str, most: usize) -> Self {
        let broken = super::super::lines::broken(label, most);
        let lines: Vec<String> =
            broken.trim().lines().map(|line| line.trim().chars().map(seen).collect()).collect();
        let width = lines.iter().map(|line| line_width(line)).fold(0.0, f64::max);
        let height = lines.iter().map(|_| LINE_HEIGHT).sum();
        Self { lines, width, height }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }
}

/// A character that has no picture of its own is shown as one that says so: nothing in a drawing is hidden or turns the
/// direction of what follows.
fn seen(c: char) -> char {
    match c {
        '\t' => ' ',
        '\u{200c}' | '\u{200d}' => c,
        c if c.is_control() || is_hidden(c) => char::REPLACEMENT_CHARACTER,
        c => c,
    }
}

/// The width of a line, in pixels.
pub(super) fn line_width(line: &str) -> f64 {
    line.chars().map(em).sum::<f64>() * FONT_SIZE
}

/// The width of a character, in ems. What the table lacks is as wide as it is high.
fn em(c: char) -> f64 {
    let code = u32::from(c);
    if matches!(code, 0x300..=0x36f | 0x200c..=0x200d | 0xfe00..=0xfe0f) {
        return 0.0;
    }
    let after = WIDTHS.partition_point(|(_, last, _)| *last < code);
    match WIDTHS.get(after) {
        Some((first, _, width)) if *first <= code => f64::from(*width) / UNITS,
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_in_order() {
        assert!(WIDTHS.windows(2).all(|rows| rows[0].0 <= rows[0].1 && rows[0].1 < rows[1].0));
    }

    #[test]
    fn a_text_is_as_wide_as_its_longest_line() {
        let text = TextBlock::new("two words\nand", 28);
        assert_eq!(text.lines, ["two words", "and"]);
        assert!((text.width - line_width("two words")).abs() < 1e-9);
        assert!((line_width("0000") - 4.0 * 1139.0 / 2048.0 * 14.0).abs() < 1e-9);
    }
}
