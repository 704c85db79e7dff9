//! Statements with their comments, from the pairs of the grammar.

use pest::iterators::{Pair, Pairs};

use crate::syntax::expr::{Rule, parse};
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

/// Reads statements that are known to be well formed; others stay as they are written.
pub(super) fn read(text: &str) -> Block<'_> {
    let comments = super::comments(text).into_iter().map(|(at, _)| at).collect();
    let mut reader = Reader { text, comments, placed: 0 };
    let Ok(list) = parse(Rule::block_text, text) else {
        let parts = vec![Part::Code(text)];
        let whole =
            Statement { before: Vec::new(), blank: false, one_line: false, parts, beside: Vec::new() };
        return Block { statements: vec![whole], ..Block::default() };
    };
    reader.list(list.into_inner(), 0, text.len())
}

struct Reader<'t> {
    text: &'t str,
    /// The bytes at which comments begin.
    comments: Vec<usize>,
    /// The number of comments that have found their place.
    placed: usize,
}

impl<'t> Reader<'t> {
    /// Statements that stand from byte `start` to byte `end`.
    fn list(&mut self, list: Pairs<'t, Rule>, start: usize, end: usize) -> Block<'t> {
        let mut block = Block::default();
        let mut behind = start;
        for pair in list.filter(|pair| pair.as_rule() == Rule::statement) {
            let beside = self.beside(behind, pair.as_span().start());
            beside_last(&mut block, beside);
            behind = pair.as_span().end();
            block.statements.push(self.statement(pair));
        }
        let beside = self.beside(behind, end);
        beside_last(&mut block, beside);
        block.after = self.remarks(end);
        block
    }

    /// Comments before byte `to` on the line of what ends at byte `end`.
    fn beside(&mut self, end: usize, to: usize) -> Vec<String> {
        let mut found = Vec::new();
        while let Some(start) = self.next_comment().filter(|start| *start < to) {
            let same = end > 0 && self.text.get(end..start).is_some_and(|gap| !gap.contains('\n'));
            if !same {
                break;
            }
            found.push(self.comment(start));
        }
        found
    }

    /// Comments before byte `to` that have no place yet.
    fn remarks(&mut self, to: usize) -> Vec<Comment> {
        let mut found = Vec::new();
        while let Some(start) = self.next_comment().filter(|start| *start < to) {
            found.push(Comment { text: self.comment(start), blank: blank_before(self.text, start) });
        }
        found
    }

    fn next_comment(&self) -> Option<usize> {
        self.comments.get(self.placed).copied()
    }

    /// The text of the comment that begins at byte `start`, which has found its place.
    fn comment(&mut self, start: usize) -> String {
        self.placed += 1;
        let line = self.text[start + 1..].split('\n').next().unwrap_or_default();
        line.trim_end_matches('\r').to_owned()
    }

    fn statement(&mut self, pair: Pair<'t, Rule>) -> Statement<'t> {
        let start = pair.as_span().start();
        let mut statement = Statement {
            before: self.remarks(start),
            blank: blank_before(self.text, start),
            one_line: !pair.as_str().contains('\n'),
            parts: Vec::new(),
            beside: Vec::new(),
        };
        if let Some(kind) = pair.into_inner().next() {
            self.parts(kind, &mut statement);
        }
        statement
    }

    fn parts(&mut self, pair: Pair<'t, Rule>, s: &mut Statement<'t>) {
        let (rule, whole) = (pair.as_rule(), pair.as_span());
        let words: &[&'static str] = match rule {
            Rule::if_else => return self.if_else(pair.into_inner(), s),
            Rule::for_in => return self.for_in(pair.into_inner(), s),
            Rule::call => return self.code(whole.start(), whole.end(), s),
            Rule::let_in => &["let", "="],
            Rule::spend => &["spend", "by"],
            Rule::emit => &["emit"],
            Rule::fail => &["fail"],
            _ => &[],
        };
        let mut words = words.iter();
        for part in pair.into_inner() {
            // The words stand before the parts, and a name is followed by what it is for.
            s.parts.extend(words.next().map(|word| Part::Word(word)));
            match part.as_rule() {
                Rule::name | Rule::assign_op => s.parts.push(Part::Word(part.as_str())),
                _ => self.code(part.as_span().start(), part.as_span().end(), s),
            }
        }
    }

    fn if_else(&mut self, parts: Pairs<'t, Rule>, s: &mut Statement<'t>) {
        let mut word = "if";
        let mut parts = parts.peekable();
        while let Some(part) = parts.next() {
            s.parts.push(Part::Word(word));
            if part.as_rule() == Rule::block {
                return self.block(part, s);
            }
            if word == "else" {
                s.parts.push(Part::Word("if"));
            }
            self.code(part.as_span().start(), part.as_span().end(), s);
            let Some(block) = parts.next() else { return };
            self.block(block, s);
            if let (Some(next), Some(Part::Block(block))) = (parts.peek(), s.parts.last_mut()) {
                // No comment can stand before `else`: it speaks of what was before.
                let other = self.text[..next.as_span().start()].rfind("else");
                block.after.extend(self.remarks(other.unwrap_or_default()));
            }
            word = "else";
        }
    }

    fn for_in(&mut self, mut parts: Pairs<'t, Rule>, s: &mut Statement<'t>) {
        let (Some(name), Some(list), Some(block)) = (parts.next(), parts.next(), parts.next()) else {
            return;
        };
        s.parts.push(Part::Word("for"));
        self.code(name.as_span().start(), list.as_span().end(), s);
        self.block(block, s);
    }

    /// The bytes from `start` to `end`. Comments between them stay there; those that stand between parts of a statement
    /// go before it.
    fn code(&mut self, start: usize, end: usize, s: &mut Statement<'t>) {
        let found = self.remarks(start);
        s.before.extend(found);
        s.parts.push(Part::Code(self.text.get(start..end).unwrap_or_default()));
        self.placed += self.comments[self.placed..].iter().take_while(|at| **at < end).count();
    }

    fn block(&mut self, pair: Pair<'t, Rule>, s: &mut Statement<'t>) {
        let (start, end) = (pair.as_span().start(), pair.as_span().end());
        let found = self.remarks(start);
        s.before.extend(found);
        let block = self.list(pair.into_inner(), start + 1, end - 1);
        s.parts.push(Part::Block(block));
    }
}

/// Comments on the line of the last statement, or of the brace that opens the block.
fn beside_last(block: &mut Block<'_>, comments: Vec<String>) {
    match block.statements.last_mut() {
        Some(last) => last.beside.extend(comments),
        None => block.beside.extend(comments),
    }
}
