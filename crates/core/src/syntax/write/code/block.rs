//! Statements as text.

use super::spacing::{flat as joined, pieces};
use super::statements::{CodeBlock, CodeStatement, StatementPart};
use super::{CodeKind, Line, layout};

/// Statements on one line.
pub(super) fn flat(block: &CodeBlock<'_>) -> String {
    let statements: Vec<_> = block.statements.iter().map(flat_statement).collect();
    statements.join("; ")
}

fn flat_statement(statement: &CodeStatement<'_>) -> String {
    let parts = statement.parts.iter().map(|part| match part {
        StatementPart::Word(word) => (*word).to_owned(),
        StatementPart::Code(text) => joined(&pieces(CodeKind::Expr, text)),
        StatementPart::Block(block) if block.statements.is_empty() => "{}".to_owned(),
        StatementPart::Block(block) => format!("{{ {} }}", flat(block)),
    });
    parts.collect::<Vec<_>>().join(" ")
}

/// Statements one a line; lines have `room` characters.
pub(super) fn lines(block: &CodeBlock<'_>, room: usize) -> Vec<Line> {
    let mut out = Vec::new();
    put(block, 0, room, &mut out);
    while out.first().is_some_and(|line| line.text.is_empty()) {
        out.remove(0);
    }
    out
}

fn put(block: &CodeBlock<'_>, indent: usize, room: usize, out: &mut Vec<Line>) {
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

fn put_statement(statement: &CodeStatement<'_>, indent: usize, room: usize, out: &mut Vec<Line>) {
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
fn put_part(part: &StatementPart<'_>, line: &mut Line, indent: usize, room: usize, out: &mut Vec<Line>) {
    if !line.text.is_empty() {
        line.text.push(' ');
    }
    match part {
        StatementPart::Word(word) => line.text.push_str(word),
        StatementPart::Code(text) => {
            let taken = line.indent + line.text.chars().count() - indent;
            let mut lines =
                layout::lines(CodeKind::Expr, text, taken, room.saturating_sub(indent)).into_iter();
            if let Some(first) = lines.next() {
                line.text.push_str(&first.text);
            }
            for next in lines {
                let next = Line { indent: indent + next.indent, text: next.text };
                out.push(std::mem::replace(line, next));
            }
        }
        StatementPart::Block(block)
            if block.statements.is_empty() && block.after.is_empty() && block.beside.is_empty() =>
        {
            line.text.push_str("{}");
        }
        StatementPart::Block(block) => {
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
