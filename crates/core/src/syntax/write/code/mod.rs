//! Expressions, types and statements written anew: their tokens stay, blanks and line ends are ours.

mod block;
mod layout;
mod spacing;
mod statements;

use self::spacing::Piece;
use crate::syntax::expr::Scanner;

/// The kind of a text of the language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CodeKind {
    /// An expression, a place or a trigger.
    Expr,
    /// A type.
    Type,
    /// A type, perhaps with a default and a condition.
    Field,
    /// `never E` and the like.
    Property,
    /// Statements.
    Statements,
}

/// A text of the language.
#[derive(Debug, Clone)]
pub(super) struct Code {
    pub(super) kind: CodeKind,
    pub(super) text: String,
}

/// A line of code with its indentation, in blanks beyond that of the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) indent: usize,
    pub(super) text: String,
}

impl Code {
    pub(super) const fn new(kind: CodeKind, text: String) -> Self {
        Self { kind, text }
    }

    pub(super) fn has_comments(&self) -> bool {
        self.text.contains('#') && !comments(&self.text).is_empty()
    }

    /// Its comments without their `#`, in order.
    pub(super) fn comments(&self) -> Vec<String> {
        comments(&self.text).into_iter().map(|(_, text)| text).collect()
    }

    /// Takes away the comments before the first and after the last token. The one after it on its line stays where others
    /// stand between the tokens; else it is the second that is given back.
    pub(super) fn take_outer_comments(&mut self) -> (Vec<String>, Option<String>) {
        let found = comments(&self.text);
        let tokens = spacing::pieces(self.kind, &self.text);
        let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else { return (Vec::new(), None) };
        let (start, mut end) = (first.start, last.start + last.text.len());
        let inner = found.iter().any(|(at, _)| (start..end).contains(at));
        let (mut outer, mut beside) = (Vec::new(), None);
        let line = end + self.text[end..].find('\n').unwrap_or(self.text.len() - end);
        for (at, comment) in found {
            match at {
                _ if at < start => outer.push(comment),
                _ if at < end => {}
                _ if at < line && inner => end = line,
                _ if at < line => beside = Some(comment),
                _ => outer.push(comment),
            }
        }
        self.text = self.text[start..end].to_owned();
        (outer, beside)
    }

    /// It stood on one line, or needs no more.
    pub(super) fn one_line(&self) -> bool {
        !self.text.trim().contains('\n') || self.lines(0, super::MAX_LINE_CHARS).len() == 1
    }

    /// It has no statement.
    pub(super) fn is_empty(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// On one line, if it fits on one.
    pub(super) fn flat(&self) -> Option<String> {
        if self.has_comments() {
            return None;
        }
        let text = match self.kind {
            CodeKind::Statements => block::flat(&statements::read(&self.text)),
            _ => self.bare(),
        };
        // A text may hold line ends.
        (!text.contains('\n')).then_some(text)
    }

    /// An expression on one line, without its comments.
    pub(super) fn bare(&self) -> String {
        spacing::flat(&spacing::pieces(self.kind, &self.text))
    }

    /// On as many lines as it takes, when `taken` characters stand before it on its first line, which is
    /// indented by `indent` and has `room` characters in all.
    pub(super) fn lines(&self, taken: usize, room: usize) -> Vec<Line> {
        match self.kind {
            CodeKind::Statements => block::lines(&statements::read(&self.text), room),
            kind => layout::lines(kind, &self.text, taken, room),
        }
    }
}

/// The comments of a text with their places.
fn comments(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut from = 0;
    let mut scanner = Scanner::new(text);
    loop {
        let token = scanner.next();
        let to = token.map_or(text.len(), |token| token.start);
        while let Some(at) = text[from..to].find('#') {
            let start = from + at;
            let end = text[start..to].find('\n').map_or(to, |i| start + i);
            found.push((start, text[start + 1..end].trim_end().to_owned()));
            from = end;
        }
        match token {
            Some(token) => from = token.end,
            None => return found,
        }
    }
}

/// The tokens of a text with the blanks between them.
fn pieces(kind: CodeKind, text: &str) -> Vec<Piece<'_>> {
    spacing::pieces(kind, text)
}
