//! Statements with their comments.

use crate::source::FileId;
use crate::syntax::dsl::Tokens;
use crate::syntax::expr::TokenKind;
use crate::syntax::write::item::Comment;
use crate::syntax::write::lines::blank_before;

/// Statements between braces, or all of a text.
#[derive(Debug, Default)]
pub(super) struct Block<'t> {
    pub(super) statements: Vec<Statement<'t>>,
    /// A comment behind the opening brace.
    pub(super) beside: Vec<String>,
    /// Comments behind the last statement.
    pub(super) after: Vec<Comment>,
}

#[derive(Debug)]
pub(super) struct Statement<'t> {
    pub(super) before: Vec<Comment>,
    pub(super) blank: bool,
    pub(super) one_line: bool,
    pub(super) parts: Vec<Part<'t>>,
    pub(super) beside: Vec<String>,
}

#[derive(Debug)]
pub(super) enum Part<'t> {
    /// Words and signs.
    Word(&'t str),
    /// An expression.
    Code(&'t str),
    Block(Block<'t>),
}

struct Reader<'t> {
    t: Tokens<'t>,
    /// How many comments have found their place.
    placed: usize,
}

/// Reads statements that are known to be well formed.
pub(super) fn read(text: &str) -> Block<'_> {
    let mut reader = Reader { t: Tokens::new(text, FileId(0)), placed: 0 };
    let mut block = Block::default();
    while reader.t.next.is_some() {
        reader.block(&mut block);
        // A brace that closes nothing is none of a statement.
        reader.t.take();
    }
    if block.statements.is_empty() {
        block.after = reader.remarks(text.len());
    }
    block
}

impl<'t> Reader<'t> {
    fn block(&mut self, block: &mut Block<'t>) {
        let mut end = self.t.behind;
        let mut first = true;
        while self.t.next.is_some() && self.t.next_text() != "}" {
            let beside = self.beside(end);
            if first {
                block.beside = beside;
            } else if let Some(last) = block.statements.last_mut() {
                last.beside.extend(beside);
            }
            first = false;
            let statement = self.statement();
            block.statements.push(statement);
            end = self.t.behind;
        }
        let beside = self.beside(end);
        match block.statements.last_mut() {
            Some(last) => last.beside.extend(beside),
            None => block.beside = beside,
        }
        block.after = self.remarks(self.t.here());
    }

    /// Comments on the line of what ends at byte `end`.
    fn beside(&mut self, end: usize) -> Vec<String> {
        let mut found = Vec::new();
        while let Some(comment) = self.t.comments.get(self.placed) {
            let start = comment.span.start as usize;
            let same = end > 0 && self.t.text.get(end..start).is_some_and(|gap| !gap.contains('\n'));
            if !same {
                break;
            }
            found.push(comment.value.clone());
            self.placed += 1;
        }
        found
    }

    /// Comments before byte `to` that have no place yet.
    fn remarks(&mut self, to: usize) -> Vec<Comment> {
        let mut found = Vec::new();
        while let Some(comment) = self.t.comments.get(self.placed) {
            let start = comment.span.start as usize;
            if start >= to {
                break;
            }
            found.push(Comment { text: comment.value.clone(), blank: blank_before(self.t.text, start) });
            self.placed += 1;
        }
        found
    }

    fn statement(&mut self) -> Statement<'t> {
        let start = self.t.here();
        let before = self.remarks(start);
        let blank = blank_before(self.t.text, start);
        let mut statement =
            Statement { before, blank, one_line: false, parts: Vec::new(), beside: Vec::new() };
        self.parts(&mut statement);
        if self.t.behind <= start {
            self.t.take();
        }
        let source = self.t.text.get(start..self.t.behind).unwrap_or_default();
        statement.one_line = !source.contains('\n');
        statement
    }

    fn parts(&mut self, s: &mut Statement<'t>) {
        match self.t.next_text() {
            "if" => {
                self.word(s);
                loop {
                    self.code(s);
                    self.braces(s);
                    if self.t.next_text() != "else" {
                        return;
                    }
                    self.word(s);
                    if self.t.next_text() != "if" {
                        return self.braces(s);
                    }
                    self.word(s);
                }
            }
            "for" => {
                self.word(s);
                self.code(s);
                self.braces(s);
            }
            "let" => {
                self.word(s);
                self.word(s);
                self.word(s);
                self.code(s);
            }
            "spend" => {
                self.word(s);
                self.code(s);
                if self.t.next_text() == "by" {
                    self.word(s);
                    self.code(s);
                }
            }
            first @ ("emit" | "fail") => {
                self.word(s);
                self.word(s);
                let record = self.t.next_text().starts_with(|c: char| c.is_ascii_uppercase());
                let payload =
                    first == "fail" && !self.t.is(TokenKind::Close) || record || self.t.next_text() == "{";
                if !self.t.broke && self.t.next.is_some() && payload {
                    self.code(s);
                }
            }
            _ => {
                (self.t.broke, self.t.ended) = (false, false);
                self.code(s);
                if matches!(self.t.next_text(), "=" | "+=") {
                    self.word(s);
                    self.code(s);
                }
            }
        }
    }

    fn word(&mut self, s: &mut Statement<'t>) {
        if let Some(token) = self.t.take() {
            s.parts.push(Part::Word(token.text(self.t.text)));
        }
        self.settle(s);
    }

    fn code(&mut self, s: &mut Statement<'t>) {
        self.settle(s);
        let Some((start, end)) = self.t.expression() else { return };
        s.parts.push(Part::Code(self.t.text.get(start..end).unwrap_or_default()));
        let inside = |at: usize| (start..end).contains(&at);
        while self.t.comments.get(self.placed).is_some_and(|c| inside(c.span.start as usize)) {
            self.placed += 1;
        }
    }

    /// Comments between the parts of a statement go before it.
    fn settle(&mut self, s: &mut Statement<'t>) {
        if !self.ended() {
            let found = self.remarks(self.t.here());
            s.before.extend(found);
        }
    }

    /// Whether what comes next may be another statement.
    fn ended(&self) -> bool {
        self.t.next.is_none() || self.t.broke || self.t.next_text() == "}"
    }

    fn braces(&mut self, s: &mut Statement<'t>) {
        let found = self.remarks(self.t.here());
        s.before.extend(found);
        if self.t.next_text() != "{" {
            return;
        }
        self.t.take();
        let mut block = Block::default();
        self.block(&mut block);
        self.t.take();
        if self.t.next_text() == "else" {
            // No comment can stand before `else`: it speaks of what was before.
            block.after.extend(self.remarks(self.t.here()));
        }
        s.parts.push(Part::Block(block));
    }
}
