//! Lines as they are written, with comments and blank lines between them.

use super::item::{Comment, Item};

/// Text that grows line by line.
#[derive(Default)]
pub(super) struct Lines {
    text: String,
    /// A block was opened on the last line: no blank line goes to its top.
    opened: bool,
}

impl Lines {
    pub(super) fn finish(self) -> String {
        self.text
    }

    /// A line; further lines in `text` stay as they are.
    pub(super) fn line(&mut self, indent: usize, text: &str) {
        if !text.is_empty() {
            self.text.extend(std::iter::repeat_n(' ', indent));
            self.text.push_str(text);
        }
        self.text.push('\n');
        self.opened = false;
    }

    /// Lines that are written already.
    pub(super) fn text(&mut self, lines: &str) {
        self.text.push_str(lines);
        self.opened = false;
    }

    /// A line that opens a block.
    pub(super) fn open(&mut self, indent: usize, text: &str) {
        self.line(indent, text);
        self.opened = true;
    }

    /// A blank line, where there is none.
    pub(super) fn blank(&mut self) {
        if !self.opened && !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    pub(super) fn comments(&mut self, indent: usize, comments: &[Comment]) {
        for comment in comments {
            if comment.blank {
                self.blank();
            }
            self.line(indent, &format!("#{}", comment.text));
        }
    }

    /// The space before an item.
    pub(super) fn before(&mut self, indent: usize, item: &Item) {
        self.comments(indent, &item.before);
        if item.blank {
            self.blank();
        }
    }
}

/// Comments after something on its line.
pub(super) fn beside(comments: &[String]) -> String {
    let mut out = String::new();
    for text in comments {
        out.extend(["  #", text]);
    }
    out
}

/// Returns true if an indented text fits a line.
pub(super) fn fits(indent: usize, text: &str) -> bool {
    !text.contains('\n') && indent + text.chars().count() <= super::MAX_LINE_CHARS
}

/// The start of the line that holds a byte.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    text[..at.min(text.len())].rfind('\n').map_or(0, |i| i + 1)
}

/// Returns true if the line above that of a byte is blank.
pub(super) fn blank_before(text: &str, at: usize) -> bool {
    let line = line_start(text, at);
    line > 0 && text[line_start(text, line - 1)..line].trim().is_empty()
}
