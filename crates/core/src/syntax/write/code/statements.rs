//! Statements with their comments, from the pairs of the grammar.

use pest::iterators::{Pair, Pairs};

use crate::syntax::expr::{Rule, parse};
use crate::syntax::write::item::Comment;
use crate::syntax::write::lines::blank_before;

/// Statements between braces, or all of a text.
#[derive(Debug, Default)]
pub(super) struct CodeBlock<'t> {
    pub(super) statements: Vec<CodeStatement<'t>>,
    /// A comment after the opening brace.
    pub(super) beside: Vec<String>,
    /// Comments after the last statement.
    pub(super) after: Vec<Comment>,
}

#[derive(Debug)]
pub(super) struct CodeStatement<'t> {
    pub(super) before: Vec<Comment>,
    pub(super) blank: bool,
    pub(super) one_line: bool,
    pub(super) parts: Vec<StatementPart<'t>>,
    pub(super) beside: Vec<String>,
}

#[derive(Debug)]
pub(super) enum StatementPart<'t> {
    /// A word or a sign.
    Word(&'t str),
    /// An expression.
    Code(&'t str),
    Block(CodeBlock<'t>),
}

/// Reads statements that are known to be well formed; others stay as they are written.
pub(super) fn read(text: &str) -> CodeBlock<'_> {
    let comments = super::comments(text).into_iter().map(|(at, _)| at).collect();
    let mut reader = StatementReader { text, comments, placed: 0 };
    let Ok(list) = parse(Rule::block_text, text) else {
        let parts = vec![StatementPart::Code(text)];
        let whole =
            CodeStatement { before: Vec::new(), blank: false, one_line: false, parts, beside: Vec::new() };
        return CodeBlock { statements: vec![whole], ..CodeBlock::default() };
    };
    reader.list(list.into_inner(), 0, text.len())
}

struct StatementReader<'t> {
    text: &'t str,
    /// The bytes at which comments begin.
    comments: Vec<usize>,
    /// The number of comments that have found their place.
    placed: usize,
}

impl<'t> StatementReader<'t> {
    /// Statements that stand from byte `start` to byte `end`.
    fn list(&mut self, list: Pairs<'t, Rule>, start: usize, end: usize) -> CodeBlock<'t> {
        let mut block = CodeBlock::default();
        let mut written_to = start;
        for pair in list.filter(|pair| pair.as_rule() == Rule::statement) {
            let beside = self.beside(written_to, pair.as_span().start());
            beside_last(&mut block, beside);
            written_to = pair.as_span().end();
            block.statements.push(self.statement(pair));
        }
        let beside = self.beside(written_to, end);
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

    fn statement(&mut self, pair: Pair<'t, Rule>) -> CodeStatement<'t> {
        let start = pair.as_span().start();
        let mut statement = CodeStatement {
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

    fn parts(&mut self, pair: Pair<'t, Rule>, s: &mut CodeStatement<'t>) {
        let (rule, whole) = (pair.as_rule(), pair.as_span());
        match rule {
            Rule::if_else => return self.if_else(whole.start(), pair.into_inner(), s),
            Rule::for_in => return self.for_in(whole.start(), pair.into_inner(), s),
            Rule::call => return self.code(whole.start(), whole.end(), s),
            _ => {}
        }
        let mut written_to = whole.start();
        for part in pair.into_inner() {
            let (start, end) = (part.as_span().start(), part.as_span().end());
            s.parts.extend(self.words(written_to, start).into_iter().map(StatementPart::Word));
            written_to = end;
            match part.as_rule() {
                Rule::name | Rule::assign_op => s.parts.push(StatementPart::Word(part.as_str())),
                _ => self.code(start, end, s),
            }
        }
    }

    /// The words and signs from byte `start` to byte `end`, where no part of the statement stands. They are taken from the
    /// text, so that the grammar alone says how statements are written.
    fn words(&self, start: usize, end: usize) -> Vec<&'t str> {
        let between = self.text.get(start..end).unwrap_or_default();
        let code = between.lines().filter_map(|line| line.split('#').next());
        code.flat_map(str::split_whitespace).collect()
    }

    fn if_else(&mut self, start: usize, parts: Pairs<'t, Rule>, s: &mut CodeStatement<'t>) {
        let mut written_to = start;
        for part in parts {
            let (start, end) = (part.as_span().start(), part.as_span().end());
            let words = self.words(written_to, start);
            if let (Some(StatementPart::Block(block)), Some(other)) = (s.parts.last_mut(), words.first()) {
                // No comment can stand before `else`: it speaks of what was before.
                let other = self.text[written_to..start].rfind(other).unwrap_or_default();
                block.after.extend(self.remarks(written_to + other));
            }
            s.parts.extend(words.into_iter().map(StatementPart::Word));
            written_to = end;
            if part.as_rule() == Rule::block {
                self.block(part, s);
            } else {
                self.code(start, end, s);
            }
        }
    }

    fn for_in(&mut self, start: usize, mut parts: Pairs<'t, Rule>, s: &mut CodeStatement<'t>) {
        let Some(name) = parts.next() else { return };
        let Some(list) = parts.find(|part| part.as_rule() != Rule::name) else { return };
        let Some(block) = parts.next() else { return };
        s.parts.extend(self.words(start, name.as_span().start()).into_iter().map(StatementPart::Word));
        self.code(name.as_span().start(), list.as_span().end(), s);
        self.block(block, s);
    }

    /// The bytes from `start` to `end`. Comments between them stay there; those that stand between parts of a statement
    /// go before it.
    fn code(&mut self, start: usize, end: usize, s: &mut CodeStatement<'t>) {
        let found = self.remarks(start);
        s.before.extend(found);
        s.parts.push(StatementPart::Code(self.text.get(start..end).unwrap_or_default()));
        self.placed += self.comments[self.placed..].iter().take_while(|at| **at < end).count();
    }

    fn block(&mut self, pair: Pair<'t, Rule>, s: &mut CodeStatement<'t>) {
        let (start, end) = (pair.as_span().start(), pair.as_span().end());
        let found = self.remarks(start);
        s.before.extend(found);
        let block = self.list(pair.into_inner(), start + 1, end - 1);
        s.parts.push(StatementPart::Block(block));
    }
}

/// Comments on the line of the last statement, or of the brace that opens the block.
fn beside_last(block: &mut CodeBlock<'_>, comments: Vec<String>) {
    match block.statements.last_mut() {
        Some(last) => last.beside.extend(comments),
        None => block.beside.extend(comments),
    }
}
