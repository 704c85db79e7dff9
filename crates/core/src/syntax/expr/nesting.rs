//! Quotes, brackets and how deep a text nests, judged before it is parsed.
//!
//! It runs in linear time without recursion, so that hostile text is refused before the recursive parser
//! sees it.

use super::fault::Fault;
use super::names::STATEMENT_WORDS;
use super::scan::{Scanner, Token, TokenKind};
use crate::diag::rule;

/// The largest depth of brackets, conditionals and blocks.
pub(super) const MAX_NESTING: usize = 64;

/// Brackets that are open, and conditionals and type arguments begun inside each.
struct Nesting {
    open: Vec<(Token, usize)>,
    /// `?` seen since the innermost bracket, as deep as conditionals can nest there.
    pending: usize,
    total_pending: usize,
    /// `list<` and `map<` that are not closed.
    angles: usize,
}

/// Checks quotes, characters, brackets and nesting of a whole text.
pub(super) fn check(text: &str) -> Result<(), Fault> {
    let mut scanner = Scanner::new(text);
    let mut nesting = Nesting { open: Vec::new(), pending: 0, total_pending: 0, angles: 0 };
    let mut before: Option<Token> = None;
    while let Some(token) = scanner.next() {
        if let Some(fault) = scanner.fault.take() {
            return Err(refine(fault, text, token));
        }
        nesting.see(token, before, text)?;
        if token.kind != TokenKind::Break {
            before = Some(token);
        }
    }
    if let Some(fault) = scanner.fault {
        return Err(fault);
    }
    match nesting.open.last() {
        None => Ok(()),
        Some((open, _)) => Err(unclosed(*open, text)),
    }
}

/// A quote that is not closed directly after a `b` prefix is still a bytes literal.
fn refine(fault: Fault, text: &str, token: Token) -> Fault {
    if token.kind == TokenKind::Quoted
        && token.text(text).starts_with(['b', 'B'])
        && fault.rule != rule::UNSUPPORTED_LITERAL
    {
        return Fault::new(
            rule::UNSUPPORTED_LITERAL,
            (token.start, token.end),
            "bytes literals are not part of this language",
        )
        .help("texts are strings: leave the `b` away");
    }
    fault
}

fn unclosed(open: Token, text: &str) -> Fault {
    let bracket = open.text(text);
    Fault::syntax((open.start, open.end), format!("this `{bracket}` is not closed"))
        .help(format!("a `{}` is wanted", closing(bracket)))
}

/// The bracket that closes `open`.
pub(super) fn closing(open: &str) -> &'static str {
    match open {
        "(" => ")",
        "[" => "]",
        _ => "}",
    }
}

impl Nesting {
    fn see(&mut self, token: Token, before: Option<Token>, text: &str) -> Result<(), Fault> {
        match token.kind {
            TokenKind::Open => {
                self.open.push((token, self.pending));
                self.pending = 0;
                self.limit(token)
            }
            TokenKind::Close => self.close(token, text),
            TokenKind::Symbol => self.symbol(token, before, text),
            TokenKind::Break if token.text(text) == ";" => {
                self.settle();
                Ok(())
            }
            TokenKind::Word => {
                let clean = before.is_none_or(|b| b.ends_operand() || matches!(b.text(text), "{" | "}"));
                // Nothing before the words of statements is still open.
                let word = token.text(text);
                if clean && (word == "else" || STATEMENT_WORDS.contains(&word)) {
                    self.settle();
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn symbol(&mut self, token: Token, before: Option<Token>, text: &str) -> Result<(), Fault> {
        match token.text(text) {
            "," | "=" | "+=" => self.settle(),
            "?" => {
                self.pending += 1;
                self.total_pending += 1;
                return self.limit(token);
            }
            "<" if before.is_some_and(|b| matches!(b.text(text), "list" | "map")) => {
                self.angles += 1;
                return self.limit(token);
            }
            ">" => self.angles = self.angles.saturating_sub(1),
            _ => {}
        }
        Ok(())
    }

    fn settle(&mut self) {
        self.total_pending -= self.pending;
        self.pending = 0;
    }

    fn close(&mut self, token: Token, text: &str) -> Result<(), Fault> {
        let bracket = token.text(text);
        self.settle();
        match self.open.pop() {
            None => Err(Fault::syntax((token.start, token.end), format!("this `{bracket}` closes nothing"))),
            Some((open, pending)) if closing(open.text(text)) == bracket => {
                self.pending = pending;
                Ok(())
            }
            Some((open, _)) => {
                let opened = open.text(text);
                let message =
                    format!("`{bracket}` does not close `{opened}`: a `{}` is wanted", closing(opened));
                Err(Fault::syntax((token.start, token.end), message).also(open.start, "opened here"))
            }
        }
    }

    fn limit(&self, token: Token) -> Result<(), Fault> {
        if self.open.len() + self.total_pending + self.angles <= MAX_NESTING {
            return Ok(());
        }
        let message = format!("this is nested deeper than {MAX_NESTING} levels");
        Err(Fault::new(rule::EXPRESSION_LIMIT, (token.start, token.end), message)
            .help("name the inner parts with `let`"))
    }
}
