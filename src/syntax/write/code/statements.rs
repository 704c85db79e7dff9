//! Statements with their comments.

use super::spacing::{flat as joined, pieces};
use super::{Kind, Line, layout};
use crate::source::FileId;
use crate::syntax::dsl::Tokens;
use crate::syntax::expr::TokenKind;

/// Statements between braces, or all of a text.
#[derive(Debug, Default)]
pub(super) struct Block<'t> {
    statements: Vec<Statement<'t>>,
    /// A comment behind the opening brace.
    beside: Vec<String>,
    /// Comments behind the last statement.
    after: Vec<Remark>,
}

/// A comment on a line of its own.
#[derive(Debug)]
struct Remark {
    text: String,
    blank: bool,
}

#[derive(Debug)]
struct Statement<'t> {
    before: Vec<Remark>,
    blank: bool,
    one_line: bool,
    parts: Vec<Part<'t>>,
    beside: Vec<String>,
}

#[derive(Debug)]
enum Part<'t> {
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
    fn remarks(&mut self, to: usize) -> Vec<Remark> {
        let mut found = Vec::new();
        while let Some(comment) = self.t.comments.get(self.placed) {
            let start = comment.span.start as usize;
            if start >= to {
                break;
            }
            found.push(Remark { text: comment.value.clone(), blank: blank_before(self.t.text, start) });
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

fn blank_before(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let line = before.rfind('\n').map_or(0, |i| i + 1);
    let Some(above) = text.get(..line.saturating_sub(1)) else { return false };
    line > 0 && above.rsplit('\n').next().is_some_and(|above| above.trim().is_empty())
}

/// Statements on one line.
pub(super) fn flat(block: &Block<'_>) -> String {
    let statements: Vec<_> = block.statements.iter().map(flat_statement).collect();
    statements.join("; ")
}

fn flat_statement(statement: &Statement<'_>) -> String {
    let parts = statement.parts.iter().map(|part| match part {
        Part::Word(word) => (*word).to_owned(),
        Part::Code(text) => joined(&pieces(Kind::Expr, text)),
        Part::Block(block) if block.statements.is_empty() => "{}".to_owned(),
        Part::Block(block) => format!("{{ {} }}", flat(block)),
    });
    parts.collect::<Vec<_>>().join(" ")
}

/// Statements one a line; lines have `room` characters.
pub(super) fn lines(block: &Block<'_>, room: usize) -> Vec<Line> {
    let mut out = Vec::new();
    put(block, 0, room, &mut out);
    while out.first().is_some_and(|line| line.text.is_empty()) {
        out.remove(0);
    }
    out
}

fn put(block: &Block<'_>, indent: usize, room: usize, out: &mut Vec<Line>) {
    let mut first = true;
    let blank = |wanted: bool, first: bool, out: &mut Vec<Line>| {
        if wanted && !first {
            out.push(Line { indent: 0, text: String::new() });
        }
    };
    for statement in &block.statements {
        for remark in &statement.before {
            blank(remark.blank, first, out);
            out.push(Line { indent, text: format!("#{}", remark.text) });
            first = false;
        }
        blank(statement.blank, first, out);
        first = false;
        put_statement(statement, indent, room, out);
    }
    for remark in &block.after {
        blank(remark.blank, first, out);
        out.push(Line { indent, text: format!("#{}", remark.text) });
        first = false;
    }
}

fn put_statement(statement: &Statement<'_>, indent: usize, room: usize, out: &mut Vec<Line>) {
    let short = statement.one_line.then(|| flat_statement(statement));
    let short = short.filter(|text| indent + text.chars().count() <= room);
    let mut line = Line { indent, text: short.clone().unwrap_or_default() };
    if short.is_none() {
        for part in &statement.parts {
            put_part(part, &mut line, indent, room, out);
        }
    }
    for comment in &statement.beside {
        line.text.push_str("  #");
        line.text.push_str(comment);
    }
    out.push(line);
}

/// Adds a part to the line that is being written.
fn put_part(part: &Part<'_>, line: &mut Line, indent: usize, room: usize, out: &mut Vec<Line>) {
    if !line.text.is_empty() {
        line.text.push(' ');
    }
    match part {
        Part::Word(word) => line.text.push_str(word),
        Part::Code(text) => {
            let taken = line.indent + line.text.chars().count() - indent;
            let mut lines = layout::lines(Kind::Expr, text, taken, room.saturating_sub(indent)).into_iter();
            if let Some(first) = lines.next() {
                line.text.push_str(&first.text);
            }
            for next in lines {
                let next = Line { indent: indent + next.indent, text: next.text };
                out.push(std::mem::replace(line, next));
            }
        }
        Part::Block(block)
            if block.statements.is_empty() && block.after.is_empty() && block.beside.is_empty() =>
        {
            line.text.push_str("{}");
        }
        Part::Block(block) => {
            line.text.push('{');
            for comment in &block.beside {
                line.text.push_str("  #");
                line.text.push_str(comment);
            }
            let closing = Line { indent, text: "}".to_owned() };
            out.push(std::mem::replace(line, closing));
            put(block, indent + 2, room, out);
        }
    }
}
