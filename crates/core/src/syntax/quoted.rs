//! Texts in quotes as `.loop` files have them: escapes, raw texts, and blocks of several lines.
//!
//! A text between three quotes whose first line is empty is a block: that line end and the indentation that all of its
//! lines share are left out, and so is a last line that holds nothing but the closing quotes.

use super::expr::escape;
use crate::source::{FileId, Fragment};

/// Reads a quoted text with its quotes, which stands at byte `at` of the file. Escapes that are none are kept as they
/// are written and given back with their places in the file.
pub(super) fn read(token: &str, file: FileId, at: usize) -> (Fragment, Vec<(usize, usize)>) {
    let mut inner = token.chars();
    if inner.next().is_some_and(|c| !c.is_ascii()) {
        // Quotes of printed texts were reported; what stands between them was meant.
        let start = token.len() - inner.as_str().len();
        inner.next_back();
        return (Fragment::verbatim(inner.as_str(), file, at + start), Vec::new());
    }
    let open = token.find(['\'', '"']).unwrap_or(0);
    let raw = token[..open].contains(['r', 'R']);
    let quoted = &token[open..];
    let quote = &quoted[..quoted.len().min(1)];
    let long = quoted.len() >= 3 && quoted.starts_with(&quote.repeat(3));
    let width = if long { 3 } else { 1 };
    let mut body = quoted.get(width.min(quoted.len())..).unwrap_or_default();
    // The quotes at the end are missing when the text is never closed, which is reported elsewhere.
    if body.ends_with(&quote.repeat(width)) {
        body = &body[..body.len() - width];
    }
    let start = at + open + width;
    let plain = (raw || !body.contains('\\')) && !(long && body.contains('\n'));
    if plain {
        return (Fragment::verbatim(body, file, start), Vec::new());
    }
    let mut text = Mapped::default();
    if long && let Some(first) = body.strip_prefix("\r\n").or_else(|| body.strip_prefix('\n')) {
        text.block(first, start + body.len() - first.len(), raw);
    } else {
        text.line(body, start, raw);
    }
    (Fragment::mapped(text.text, file, text.anchors, start + body.len()), text.faults)
}

/// A text that is being read, with its way back.
#[derive(Default)]
struct Mapped {
    text: String,
    anchors: Vec<(u32, u32)>,
    /// The byte of the file after the last one that was read.
    anchored_until: usize,
    faults: Vec<(usize, usize)>,
}

impl Mapped {
    /// Adds text that takes `width` bytes of the file at `at`.
    fn push(&mut self, text: &str, at: usize, width: usize) {
        if self.anchors.is_empty() || self.anchored_until != at {
            self.anchors.push((offset(self.text.len()), offset(at)));
        }
        self.text.push_str(text);
        // A text of another width than its source is out of step with what follows.
        self.anchored_until = if width == text.len() { at + width } else { usize::MAX };
    }

    fn block(&mut self, body: &str, at: usize, raw: bool) {
        let shared = body.lines().filter(|l| !l.trim().is_empty()).map(blanks).min().unwrap_or(0);
        let mut start = 0;
        while start < body.len() {
            let end = body[start..].find('\n').map_or(body.len(), |i| start + i + 1);
            let line = &body[start..end];
            if end < body.len() || line.ends_with('\n') || !line.trim().is_empty() {
                let skipped = shared.min(blanks(line));
                self.line(&line[skipped..], at + start + skipped, raw);
            }
            start = end;
        }
    }

    /// Text without indentation to remove; a line end of two characters becomes one.
    fn line(&mut self, text: &str, at: usize, raw: bool) {
        let mut rest = text;
        while let Some(stop) = rest.find(|c| c == '\r' || c == '\\' && !raw) {
            let here = at + text.len() - rest.len();
            self.push(&rest[..stop], here, stop);
            let (here, tail) = (here + stop, &rest[stop..]);
            let taken = if tail.starts_with("\r\n") {
                self.push("\n", here, 2);
                2
            } else if tail.starts_with('\r') {
                self.push("\r", here, 1);
                1
            } else {
                self.escape(tail, here)
            };
            rest = &tail[taken..];
        }
        self.push(rest, at + text.len() - rest.len(), rest.len());
    }

    fn escape(&mut self, tail: &str, at: usize) -> usize {
        match escape(&tail[1..]) {
            Ok((c, used)) => {
                self.push(c.encode_utf8(&mut [0; 4]), at, 1 + used);
                1 + used
            }
            Err(used) => {
                let whole = (1 + used).min(tail.len());
                self.faults.push((at, at + whole));
                self.push(&tail[..whole], at, whole);
                whole
            }
        }
    }
}

fn blanks(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

fn offset(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::read;
    use crate::source::FileId;

    fn text(token: &str) -> String {
        read(token, FileId(0), 0).0.text
    }

    #[test]
    fn blocks_lose_their_indentation() {
        assert_eq!(text("'''\n    a\n      b\n\n    c\n  '''"), "a\n  b\n\nc\n");
        assert_eq!(text("'''\n  a\n  b'''"), "a\nb");
        assert_eq!(text("'''a\n  b\n'''"), "a\n  b\n");
        assert_eq!(text("\"\"\"\r\n  a\r\n  b\r\n\"\"\""), "a\nb\n");
        assert_eq!(text("''''''"), "");
    }

    #[test]
    fn escapes_are_resolved_and_raw_texts_are_not() {
        assert_eq!(text(r"'a\n\'b'"), "a\n'b");
        assert_eq!(text(r"r'a\n'"), r"a\n");
        let (fragment, faults) = read(r"'a\qb'", FileId(0), 10);
        assert_eq!((fragment.text.as_str(), faults), (r"a\qb", vec![(12, 14)]));
    }

    #[test]
    fn every_byte_knows_its_place() {
        let token = "'''\n  a\\n\\x41 z\n  é y\n  '''";
        let (fragment, _) = read(token, FileId(0), 0);
        assert_eq!(fragment.text, "a\nA z\né y\n");
        for letter in ['a', 'z', 'é', 'y'] {
            let (read, file) = (fragment.text.find(letter), token.find(letter));
            let (read, file) = (read.expect("it is there"), file.expect("it is there"));
            let span = fragment.span(read, read + letter.len_utf8());
            assert_eq!(
                (span.start as usize, span.end as usize),
                (file, file + letter.len_utf8()),
                "{letter}"
            );
        }
    }
}
