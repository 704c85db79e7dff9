//! A scalar and the way from each of its bytes back to the file.
//!
//! Each style is decoded a second time, by the rules of its own, together with the map. The result must be
//! the text the parser gave; if it ever were not, the map falls back to the scalar's start.

use std::borrow::Cow;

use pest::iterators::Pair;

use crate::source::{Fragment, Span};
use crate::syntax::expr::Rule;
use crate::syntax::quoted;

/// The form in which a scalar is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// No quotes.
    Plain,
    /// `'…'`
    Single,
    /// `"…"`
    Double,
    /// `|`
    Literal,
    /// `>`
    Folded,
    /// A part of a `.loop` file, as it is written there.
    Code,
    /// A text in the quotes of a `.loop` file.
    Text,
}

/// Text with its style and place.
#[derive(Debug, Clone)]
pub(crate) struct Scalar<'s> {
    /// The text as YAML reads it.
    pub(crate) text: Cow<'s, str>,
    /// The form in which it is written.
    pub(crate) style: Style,
    /// The whole of it, with its quotes.
    pub(crate) span: Span,
    /// The pairs that the grammar read here, where it read the whole file. Boxed: most scalars are names, which have none.
    pub(crate) pair: Option<Box<Pair<'s, Rule>>>,
}

impl Scalar<'_> {
    /// Returns true if nothing was written: no value at all, or YAML's `~`.
    pub(crate) fn is_empty(&self) -> bool {
        self.style == Style::Plain && (self.span.start == self.span.end || self.text == "~")
    }

    /// Returns true if it is written in quotes.
    pub(crate) fn is_quoted(&self) -> bool {
        matches!(self.style, Style::Single | Style::Double)
    }

    /// Returns true if YAML joined several lines of the file into one.
    pub(crate) fn is_joined(&self, file: &str) -> bool {
        let lines = file.get(self.range()).unwrap_or_default().trim_end().contains('\n');
        lines && matches!(self.style, Style::Plain | Style::Folded)
    }

    /// The place of its text, without quotes. `file` is the file's whole text.
    pub(crate) fn whole(&self, file: &str) -> Span {
        let verbatim =
            matches!(self.style, Style::Plain | Style::Code) && file.get(self.range()) == Some(&*self.text);
        if verbatim { self.span } else { self.fragment(file).whole() }
    }

    /// The text with its map to the file, whose whole text is `file`.
    pub(crate) fn fragment(&self, file: &str) -> Fragment {
        let source = file.get(self.range()).unwrap_or_default();
        let start = self.span.start as usize;
        let decoded = match self.style {
            Style::Text => return quoted::read(source, self.span.file, start).0,
            Style::Plain | Style::Code if source == self.text => {
                return Fragment::verbatim(&*self.text, self.span.file, start);
            }
            Style::Plain | Style::Code => flow(source, start, Style::Plain),
            Style::Single | Style::Double => {
                let inner = source.get(1..source.len().saturating_sub(1)).unwrap_or_default();
                flow(inner, start + 1, self.style)
            }
            Style::Literal | Style::Folded => block(file, self),
        };
        let end = decoded.end;
        let anchors =
            if self.text.starts_with(&decoded.text) { decoded.anchors } else { vec![(0, self.span.start)] };
        let same = decoded.text == self.text;
        let text = if same { decoded.text } else { self.text.clone().into_owned() };
        Fragment::mapped(text, self.span.file, anchors, end)
    }

    fn range(&self) -> std::ops::Range<usize> {
        self.span.start as usize..self.span.end as usize
    }
}

/// A text that is being decoded, with its map.
struct Decoded {
    text: String,
    anchors: Vec<(u32, u32)>,
    /// The byte of the file after the last decoded one.
    end: usize,
}

impl Decoded {
    fn new(at: usize, length: usize) -> Self {
        Self { text: String::with_capacity(length), anchors: Vec::new(), end: at }
    }

    /// Adds text that is in the file from byte `at` on and takes `width` bytes there.
    fn push(&mut self, text: &str, at: usize, width: usize) {
        let in_step = self
            .anchors
            .last()
            .is_some_and(|&(t, f)| at == f as usize + (self.text.len() - t as usize) && self.end == at);
        if !in_step {
            self.anchors.push((offset(self.text.len()), offset(at)));
        }
        self.text.push_str(text);
        self.end = at + width;
        if width != text.len() {
            // The next byte is out of step with this one: `end` alone cannot say so when they happen to meet.
            self.anchors.push((offset(self.text.len()), offset(self.end)));
        }
    }
}

fn offset(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// Plain and quoted scalars: lines are folded, quotes and escapes resolved.
fn flow(source: &str, start: usize, style: Style) -> Decoded {
    let mut out = Decoded::new(start, source.len());
    let mut at = 0;
    while let Some(c) = source[at..].chars().next() {
        let rest = &source[at..];
        if c.is_ascii_whitespace() {
            let run = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
            fold(&mut out, &rest[..run], start + at);
            at += run;
        } else if style == Style::Single && rest.starts_with("''") {
            out.push("'", start + at, 2);
            at += 2;
        } else if style == Style::Double && c == '\\' {
            at += escape(&mut out, rest, start + at);
        } else {
            out.push(&rest[..c.len_utf8()], start + at, c.len_utf8());
            at += c.len_utf8();
        }
    }
    out
}

/// A run of white space: kept when it stays in its line, else one space or the empty lines' breaks.
fn fold(out: &mut Decoded, run: &str, at: usize) {
    let breaks = run.matches('\n').count();
    match breaks {
        0 => out.push(run, at, run.len()),
        1 => out.push(" ", at, run.len()),
        n => out.push(&"\n".repeat(n - 1), at, run.len()),
    }
}

/// One escape of a double-quoted scalar; the number of bytes it takes.
fn escape(out: &mut Decoded, rest: &str, at: usize) -> usize {
    let Some(kind) = rest[1..].chars().next() else { return 1 };
    let digits = match kind {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        '\n' | '\r' => {
            let run = 1 + rest[1..].len() - rest[1..].trim_start_matches([' ', '\t', '\r', '\n']).len();
            let breaks = rest[1..run].matches('\n').count();
            if breaks > 1 {
                out.push(&"\n".repeat(breaks - 1), at, run);
            } else {
                out.end = at + run;
            }
            return run;
        }
        _ => 0,
    };
    let width = 1 + kind.len_utf8() + digits;
    let Some((mut code, mut taken)) = escaped(kind, rest, width) else { return 1 };
    // A pair of surrogates, as JSON writes characters beyond the first plane.
    if (0xD800..0xDC00).contains(&code)
        && rest[taken..].starts_with("\\u")
        && let Some((low, _)) = escaped('u', &rest[taken..], 6)
    {
        code = 0x10000 + ((code - 0xD800) << 10) + (low.wrapping_sub(0xDC00) & 0x3FF);
        taken += 6;
    }
    let c = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
    out.push(c.encode_utf8(&mut [0; 4]), at, taken);
    taken
}

fn escaped(kind: char, rest: &str, width: usize) -> Option<(u32, usize)> {
    let simple = match kind {
        '0' => 0,
        'a' => 7,
        'b' => 8,
        't' | '\t' => 9,
        'n' => 10,
        'v' => 11,
        'f' => 12,
        'r' => 13,
        'e' => 27,
        'N' => 0x85,
        '_' => 0xA0,
        'L' => 0x2028,
        'P' => 0x2029,
        'x' | 'u' | 'U' => u32::from_str_radix(rest.get(2..width)?, 16).ok()?,
        c => u32::from(c),
    };
    Some((simple, width))
}

/// Block scalars: the indentation goes, and in a folded one some line breaks become spaces.
fn block(file: &str, scalar: &Scalar<'_>) -> Decoded {
    let body = &file[..(scalar.span.end as usize).min(file.len())];
    let start = first_line(body, scalar.span.start as usize);
    let indent = indentation(&body[start..], &scalar.text);
    let mut out = Decoded::new(start, scalar.text.len());
    let mut gap = Gap { at: start, breaks: 0, spaced: true, first: true };
    let mut at = start;
    while at < body.len() {
        let line = line_at(body, at);
        let next = at + line.len() + 1 + usize::from(body[at + line.len()..].starts_with("\r\n"));
        let content = line.get(indent..).unwrap_or_default();
        if content.is_empty() {
            gap.breaks += 1;
        } else {
            gap.close(&mut out, scalar.style, content.starts_with([' ', '\t']));
            out.push(content, at + indent, content.len());
            gap = Gap {
                at: at + line.len(),
                breaks: 1,
                spaced: content.starts_with([' ', '\t']),
                first: false,
            };
        }
        at = next;
    }
    // Trailing breaks are whatever the chomping left of them.
    let rest = scalar.text.len().saturating_sub(out.text.len());
    if rest > 0 && scalar.text.ends_with('\n') {
        out.push(&"\n".repeat(rest), gap.at, rest);
        out.end = gap.at + 1;
    }
    out
}

/// The line breaks between two lines that hold something.
struct Gap {
    at: usize,
    breaks: usize,
    /// True if the line before starts with white space, so that its break is kept.
    spaced: bool,
    first: bool,
}

impl Gap {
    fn close(&self, out: &mut Decoded, style: Style, next_spaced: bool) {
        let keep = style == Style::Literal || self.first || self.spaced || next_spaced;
        match (keep, self.breaks) {
            (_, 0) => {}
            (true, n) => out.push(&"\n".repeat(n), self.at, n),
            (false, 1) => out.push(" ", self.at, 1),
            (false, n) => out.push(&"\n".repeat(n - 1), self.at, n - 1),
        }
    }
}

/// Counts the spaces of each line that are indentation: those of the first line that holds something, less the
/// spaces that line still has in the scalar's text.
fn indentation(body: &str, text: &str) -> usize {
    let spaces = |s: &str| s.len() - s.trim_start_matches(' ').len();
    let line = body.lines().find(|l| !l.trim().is_empty()).unwrap_or_default();
    let first = text.lines().find(|l| !l.trim().is_empty()).unwrap_or_default();
    spaces(line).saturating_sub(spaces(first))
}

/// The place where the line after a block scalar's header starts. The parser's span leaves out empty lines at its top,
/// but not always those that hold blanks; the header's own line is never blank.
fn first_line(body: &str, at: usize) -> usize {
    let mut start = line_start(body, at);
    while start > 0 {
        let before = line_start(body, start - 1);
        if !line_at(body, before).trim().is_empty() {
            break;
        }
        start = before;
    }
    start
}

fn line_start(file: &str, at: usize) -> usize {
    file[..at.min(file.len())].rfind('\n').map_or(0, |i| i + 1)
}

fn line_at(body: &str, at: usize) -> &str {
    let rest = &body[at.min(body.len())..];
    let line = rest.find('\n').map_or(rest, |i| &rest[..i]);
    line.strip_suffix('\r').unwrap_or(line)
}
