//! Line ends of long expressions.

use super::spacing::{Piece, flat};
use super::{CodeKind, Line, comments, pieces};
use crate::syntax::expr::{MAX_EXPRESSION, TokenKind};
use crate::syntax::write::MAX_LINE_CHARS;

/// An expression on as many lines as it takes; `taken` characters are before it on its first line.
pub(super) fn lines(kind: CodeKind, text: &str, taken: usize, room: usize) -> Vec<Line> {
    let pieces = pieces(kind, text);
    let comments = comments(text);
    if comments.is_empty() {
        let mut layout = Layout { lines: vec![Line { indent: 0, text: String::new() }], taken, room };
        layout.put(&pieces, 0, 0);
        if fits_limit(&layout.lines, room) {
            return layout.lines;
        }
        // Indentation counts: what is too long with it is on one line, or as it was written.
        let one = vec![Line { indent: 0, text: flat(&pieces) }];
        if fits_limit(&one, room) {
            return one;
        }
        text.trim().lines().map(|line| Line { indent: 0, text: line.trim().to_owned() }).collect()
    } else {
        as_written(text, &pieces, &comments)
    }
}

/// Returns true if lines that are indented for that room are not longer, all in all, than an expression may be.
fn fits_limit(lines: &[Line], room: usize) -> bool {
    let margin = MAX_LINE_CHARS.saturating_sub(room);
    let length: usize = lines.iter().map(|line| margin + line.indent + line.text.len() + 1).sum();
    length <= MAX_EXPRESSION
}

struct Layout {
    lines: Vec<Line>,
    taken: usize,
    room: usize,
}

impl Layout {
    /// Adds tokens after what is there. Further lines are indented by `indent`; `behind` characters follow.
    fn put(&mut self, pieces: &[Piece<'_>], indent: usize, trailing: usize) {
        let Some(first) = pieces.first() else { return };
        let whole = flat(pieces);
        let used = self.used() + usize::from(self.apart(*first)) + whole.chars().count() + trailing;
        if used <= self.room {
            return self.push(*first, &whole);
        }
        // An operator that comes first has ended a line already.
        let inner = depths(pieces).skip(1).filter(|(depth, _)| *depth == 0);
        let weakest = inner.filter_map(|(_, piece)| piece.split).min();
        if let Some(weakest) = weakest {
            return self.split(pieces, weakest, indent, trailing);
        }
        match longest_brackets(pieces) {
            Some((open, close)) => self.brackets(pieces, (open, close), indent, trailing),
            None => self.push(*first, &whole),
        }
    }

    /// Ends the line before each operator of that rank.
    fn split(&mut self, pieces: &[Piece<'_>], rank: u8, indent: usize, trailing: usize) {
        let starts = depths(pieces).enumerate().skip(1);
        let starts = starts.filter(|(_, (depth, p))| *depth == 0 && p.split == Some(rank)).map(|(i, _)| i);
        let mut from = 0;
        for to in starts.chain([pieces.len()]) {
            if from > 0 {
                self.lines.push(Line { indent: indent + 2, text: String::new() });
            }
            let inner = if from > 0 { indent + 2 } else { indent };
            self.put(&pieces[from..to], inner, if to == pieces.len() { trailing } else { 0 });
            from = to;
        }
    }

    /// Gives each part between brackets a line of its own.
    fn brackets(&mut self, pieces: &[Piece<'_>], at: (usize, usize), indent: usize, trailing: usize) {
        let (open, close) = at;
        self.push(pieces[0], &flat(&pieces[..=open]));
        let inner = &pieces[open + 1..close];
        let commas = depths(inner).enumerate();
        let commas = commas.filter(|(_, (depth, p))| *depth == 0 && p.text == ",").map(|(i, _)| i + 1);
        let mut from = 0;
        for to in commas.chain([inner.len()]) {
            if from < to {
                self.lines.push(Line { indent: indent + 2, text: String::new() });
                let comma = inner[to - 1].text == ",";
                let end = if comma { to - 1 } else { to };
                self.put(&inner[from..end], indent + 2, usize::from(comma));
                if comma && to < inner.len() {
                    self.push(inner[to - 1], ",");
                }
            }
            from = to;
        }
        self.lines.push(Line { indent, text: String::new() });
        self.put(&pieces[close..], indent, trailing);
    }

    fn last(&self) -> &str {
        self.lines.last().map_or("", |line| &line.text)
    }

    /// The number of characters on the last line.
    fn used(&self) -> usize {
        let first = if self.lines.len() == 1 { self.taken } else { 0 };
        first + self.lines.last().map_or(0, |line| line.indent + line.text.chars().count())
    }

    fn apart(&self, piece: Piece<'_>) -> bool {
        piece.apart && !self.last().is_empty()
    }

    fn push(&mut self, first: Piece<'_>, text: &str) {
        let apart = self.apart(first);
        if let Some(line) = self.lines.last_mut() {
            if apart {
                line.text.push(' ');
            }
            line.text.push_str(text);
        }
    }
}

/// Each token with how many brackets are open around it; a bracket does not count itself.
fn depths<'p, 't>(pieces: &'p [Piece<'t>]) -> impl Iterator<Item = (usize, &'p Piece<'t>)> {
    let mut open = 0_usize;
    pieces.iter().map(move |piece| {
        if piece.kind == TokenKind::Close {
            open = open.saturating_sub(1);
        }
        let depth = open;
        if piece.kind == TokenKind::Open {
            open += 1;
        }
        (depth, piece)
    })
}

/// The longest brackets of those that are in no others.
fn longest_brackets(pieces: &[Piece<'_>]) -> Option<(usize, usize)> {
    let mut found = None;
    let (mut open, mut longest) = (0, 1);
    for (i, (depth, piece)) in depths(pieces).enumerate() {
        if depth == 0 && piece.kind == TokenKind::Open {
            open = i;
        }
        if depth == 0 && piece.kind == TokenKind::Close && i - open > longest {
            (found, longest) = (Some((open, i)), i - open);
        }
    }
    found
}

/// An expression with comments keeps its lines.
fn as_written(text: &str, pieces: &[Piece<'_>], comments: &[(usize, String)]) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut depth = 0_usize;
    let mut comments = comments.iter().peekable();
    let mut start = text.len() - text.trim_start().len();
    let mut pieces = pieces.iter().peekable();
    while start < text.len() {
        let line_end = |at: usize| text[at..].find('\n').map_or(text.len(), |i| at + i + 1);
        let mut end = line_end(start);
        let mut line = String::new();
        let mut indent = if lines.is_empty() { 0 } else { 2 * (depth + 1) };
        while let Some(piece) = pieces.next_if(|piece| piece.start < end) {
            match piece.kind {
                TokenKind::Open => depth += 1,
                TokenKind::Close => {
                    depth = depth.saturating_sub(1);
                    if line.is_empty() && !lines.is_empty() {
                        indent = 2 * depth;
                    }
                }
                _ => {}
            }
            if piece.apart && !line.is_empty() {
                line.push(' ');
            }
            line.push_str(piece.text);
            // A text may continue over several lines: what follows stays after it.
            end = end.max(line_end(piece.start + piece.text.len()));
        }
        if let Some((_, comment)) = comments.next_if(|(at, _)| *at < end) {
            if !line.is_empty() {
                line.push_str("  ");
            }
            line.push('#');
            line.push_str(comment);
        }
        if !line.is_empty() {
            lines.push(Line { indent, text: line });
        }
        start = end;
    }
    lines
}
