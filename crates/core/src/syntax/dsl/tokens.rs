//! The tokens of a whole file, with what stands between them: line ends, comments, stray characters.

use super::Part;
use crate::source::{FileId, Span, Spanned};
use crate::syntax::expr::{Fault, Scanner, Token, TokenKind};
use crate::syntax::names::clip;
use crate::syntax::yaml::{MAX_COMMENTS, MAX_FINDINGS};

/// Reads a file token by token with one token of lookahead.
pub(in crate::syntax) struct Tokens<'s> {
    pub(in crate::syntax) text: &'s str,
    file: FileId,
    scanner: Scanner<'s>,
    /// The token that comes next.
    pub(in crate::syntax) next: Option<Token>,
    /// A line end or a `;` stands before it.
    pub(in crate::syntax) broke: bool,
    /// A `;` stands before it: nothing continues after that.
    pub(in crate::syntax) ended: bool,
    /// The end of the last token.
    pub(in crate::syntax) end_of_last: usize,
    /// Comments, without their `#`.
    pub(in crate::syntax) comments: Vec<Spanned<String>>,
    /// There are more comments than are kept; this is the first one too many.
    pub(in crate::syntax) flooded: Option<Span>,
    /// Brackets that are not closed were passed over, with whatever they hold.
    pub(in crate::syntax) ends_in_text: bool,
    /// Quotes that are not closed, stray characters and the like.
    pub(in crate::syntax) faults: Vec<Fault>,
}

impl<'s> Tokens<'s> {
    pub(in crate::syntax) fn new(text: &'s str, file: FileId) -> Self {
        let mut scanner = Scanner::new(text);
        if text.starts_with('\u{FEFF}') {
            scanner.skip_to(3);
        }
        let mut tokens = Self {
            text,
            file,
            scanner,
            next: None,
            broke: true,
            ended: false,
            end_of_last: 0,
            comments: Vec::new(),
            flooded: None,
            ends_in_text: false,
            faults: Vec::new(),
        };
        tokens.take();
        tokens.broke = true;
        tokens
    }

    /// Takes the next token.
    pub(in crate::syntax) fn take(&mut self) -> Option<Token> {
        let last = self.next.take();
        if let Some(token) = last {
            self.end_of_last = token.end;
        }
        (self.broke, self.ended) = (false, false);
        loop {
            let from = self.scanner.position();
            let token = self.scanner.next();
            self.gap(from, token.map_or(self.text.len(), |t| t.start));
            if let Some(fault) = self.scanner.fault.take()
                && self.faults.len() < MAX_FINDINGS
            {
                self.faults.push(fault);
            }
            match token {
                Some(token) if token.kind == TokenKind::Break => {
                    self.broke = true;
                    self.ended |= self.text.as_bytes()[token.start] == b';';
                }
                token => {
                    self.next = token;
                    self.before_quote(last);
                    return last;
                }
            }
        }
    }

    /// Notes a word that the next token, a quote, directly follows.
    fn before_quote(&mut self, taken: Option<Token>) {
        let quoted = self.next.filter(|next| next.kind == TokenKind::Quoted);
        let joined = |word: &Token, next: Token| word.kind == TokenKind::Word && word.end == next.start;
        let Some(word) = quoted.and_then(|next| taken.filter(|word| joined(word, next))) else { return };
        if self.faults.len() < MAX_FINDINGS {
            let message = format!("the word `{}` is directly before a quote", clip(self.text(word)));
            let fault = Fault::syntax((word.start, word.end), message);
            self.faults.push(
                fault.help("put a blank between them; the only prefix of a text is `r`, as in r'\\d+'"),
            );
        }
    }

    /// Takes all tokens before this byte.
    pub(super) fn pass_to(&mut self, end: usize) {
        while self.next.is_some_and(|next| next.start < end) {
            self.take();
        }
    }

    /// Keeps the comments between two tokens.
    fn gap(&mut self, from: usize, to: usize) {
        let bytes = self.text.as_bytes();
        let mut at = from;
        while at < to {
            let comment = bytes[at] == b'#';
            let foreign = bytes[at] == b'/' && bytes.get(at + 1) == Some(&b'/');
            if !comment && !foreign {
                at += 1;
                continue;
            }
            let end = self.text[at..to].find('\n').map_or(to, |i| at + i);
            if comment {
                self.comment(at, end);
            }
            at = end;
        }
    }

    fn comment(&mut self, start: usize, end: usize) {
        let text = self.text[start + 1..end].trim_end_matches('\r');
        let span = Span::new(self.file, start, start + 1 + text.len());
        if self.comments.len() < MAX_COMMENTS {
            self.comments.push(Spanned::new(text.to_owned(), span));
        } else if self.flooded.is_none() {
            self.flooded = Some(span);
        }
    }

    /// The text of a token.
    pub(in crate::syntax) fn text(&self, token: Token) -> &'s str {
        token.text(self.text)
    }

    /// The text of the next token, empty at the end.
    pub(in crate::syntax) fn next_text(&self) -> &'s str {
        self.next.map_or("", |t| self.text(t))
    }

    /// True if the next token is of this kind.
    pub(in crate::syntax) fn is(&self, kind: TokenKind) -> bool {
        self.next.is_some_and(|t| t.kind == kind)
    }

    /// Takes the next token if it is this sign or word.
    pub(in crate::syntax) fn take_text(&mut self, text: &str) -> Option<Token> {
        if !self.ended && self.next_text() == text { self.take() } else { None }
    }

    /// The word that begins at this byte.
    pub(super) fn word_at(&self, at: usize) -> Part {
        let rest = self.text[at..].bytes();
        (at, at + rest.take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count())
    }

    /// The start of the next token; the end of the text when there is none.
    pub(in crate::syntax) fn here(&self) -> usize {
        self.next.map_or(self.text.len(), |t| t.start)
    }

    /// A second reader that goes ahead. Comments and faults it meets are not kept.
    pub(in crate::syntax) fn ahead(&self) -> Ahead<'s> {
        Ahead { scanner: self.scanner.clone() }
    }

    /// The text of the token after the next one, and whether it stands on the same line.
    pub(in crate::syntax) fn second(&self) -> (Option<Token>, bool) {
        let mut ahead = self.ahead();
        let mut same = true;
        loop {
            match ahead.take() {
                Some(token) if token.kind == TokenKind::Break => same = false,
                token => return (token, same),
            }
        }
    }

    /// The indentation of the line of this byte.
    pub(in crate::syntax) fn indentation(&self, at: usize) -> usize {
        // A line longer than this says nothing by its layout.
        let before = self.text.as_bytes()[..at].iter().rev().take(4_096);
        let length = before.take_while(|b| **b != b'\n').count();
        self.text.as_bytes()[at - length..].iter().take_while(|b| matches!(b, b' ' | b'\t')).count()
    }
}

/// See [`Tokens::ahead`].
pub(in crate::syntax) struct Ahead<'s> {
    scanner: Scanner<'s>,
}

impl Ahead<'_> {
    /// The next token, line ends among them.
    pub(in crate::syntax) fn take(&mut self) -> Option<Token> {
        self.scanner.next()
    }
}
