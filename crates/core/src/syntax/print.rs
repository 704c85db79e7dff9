//! Canonical text of expressions, types, places and statements, with no bracket more than needed.
//!
//! Reading the text again gives the same tree. Drawings, messages and the formatter use it.

use std::fmt::{self, Display, Formatter, Write as _};

use super::ast::{
    Block, Expr, ExprKind, Literal, Place, PlaceStep, Statement, StatementKind, TypeExpr, TypeKind, UnaryOp,
};
use super::expr::precedence;
use crate::source::is_hidden;
use crate::value::duration;

/// The strength with which parts of an expression bind: `?:` least, then the operators, then these.
const CONDITIONAL: u8 = 0;
const OPERATOR: u8 = 1;
const PREFIX: u8 = 7;
const PRIMARY: u8 = 8;

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        kind(&self.kind, f)
    }
}

/// An expression in brackets where its place wants something that binds more strongly.
struct Within<'e>(&'e Expr, u8);

impl Display for Within<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if level(&self.0.kind) < self.1 { write!(f, "({})", self.0) } else { self.0.fmt(f) }
    }
}

fn level(kind: &ExprKind) -> u8 {
    match kind {
        ExprKind::Conditional(..) => CONDITIONAL,
        ExprKind::Binary(op, ..) => precedence(op.value),
        ExprKind::Unary(..) => PREFIX,
        _ => PRIMARY,
    }
}

fn kind(kind: &ExprKind, f: &mut Formatter<'_>) -> fmt::Result {
    match kind {
        ExprKind::Literal(value) => literal(value, f),
        ExprKind::Name(name) => f.write_str(name),
        ExprKind::Field(target, field) => write!(f, "{}.{}", Within(target, PRIMARY), field.value),
        ExprKind::Index(target, index) => write!(f, "{}[{index}]", Within(target, PRIMARY)),
        ExprKind::Call { receiver, name, args } => {
            if let Some(receiver) = receiver {
                write!(f, "{}.", Within(receiver, PRIMARY))?;
            }
            write!(f, "{}({})", name.value, Joined(args))
        }
        ExprKind::Is(value, ty) => write!(f, "is({value}, {ty})"),
        ExprKind::Unary(UnaryOp::Not, operand) => write!(f, "!{}", Within(operand, PREFIX)),
        ExprKind::Unary(UnaryOp::Negate, operand) => negation(operand, f),
        ExprKind::Binary(op, left, right) => {
            let own = precedence(op.value);
            // In pieces: drawings print hundreds of these, and a format costs more than what it prints.
            Within(left, own).fmt(f)?;
            f.write_char(' ')?;
            f.write_str(op.symbol())?;
            f.write_char(' ')?;
            Within(right, own + 1).fmt(f)
        }
        ExprKind::Conditional(condition, then, otherwise) => {
            write!(f, "{} ? {} : {otherwise}", Within(condition, OPERATOR), Within(then, OPERATOR))
        }
        ExprKind::List(items) => write!(f, "[{}]", Joined(items)),
        ExprKind::Map(entries) => {
            let entries = entries.iter().map(|(key, value)| (Within(key, OPERATOR), value));
            braces(f, entries)
        }
        ExprKind::Record(name, fields) => {
            f.write_str(&name.value)?;
            braces(f, fields.iter().map(|(field, value)| (&field.value, value)))
        }
    }
}

/// `-5` is a literal, so the negation of the literal 5 needs a bracket.
fn negation(operand: &Expr, f: &mut Formatter<'_>) -> fmt::Result {
    let text = Within(operand, PREFIX).to_string();
    if text.starts_with(|c: char| c.is_ascii_digit()) { write!(f, "-({text})") } else { write!(f, "-{text}") }
}

struct Joined<'e>(&'e [Expr]);

impl Display for Joined<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, item) in self.0.iter().enumerate() {
            let comma = if i > 0 { ", " } else { "" };
            write!(f, "{comma}{item}")?;
        }
        Ok(())
    }
}

fn braces<K: Display>(
    f: &mut Formatter<'_>,
    entries: impl Iterator<Item = (K, impl Display)>,
) -> fmt::Result {
    f.write_char('{')?;
    for (i, (key, value)) in entries.enumerate() {
        let comma = if i > 0 { ", " } else { "" };
        write!(f, "{comma}{key}: {value}")?;
    }
    f.write_char('}')
}

fn literal(value: &Literal, f: &mut Formatter<'_>) -> fmt::Result {
    match value {
        Literal::Null => f.write_str("null"),
        Literal::Bool(value) => write!(f, "{value}"),
        Literal::Int(value) => write!(f, "{value}"),
        Literal::Float(value) => write!(f, "{value:?}"),
        Literal::String(value) => f.write_str(&quoted(value)),
        Literal::Duration(value) => f.write_str(&duration::text(*value)),
    }
}

/// A text between quotes: `'…'`, or `"…"` where it holds a `'`, or `r'…'` where it holds backslashes.
#[must_use]
pub fn quoted(text: &str) -> String {
    quoted_in(text, '\'')
}

/// A text between quotes of this kind, `'` or `"`; of the other where it holds only these.
#[must_use]
pub fn quoted_in(text: &str, quote: char) -> String {
    let other = if quote == '"' { '\'' } else { '"' };
    let plain = |c: char| !c.is_control() && !is_hidden(c);
    if text.contains('\\') && !text.contains(quote) && text.chars().all(plain) {
        return format!("r{quote}{text}{quote}");
    }
    let quote = if text.contains(quote) && !text.contains(other) { other } else { quote };
    let mut out = String::with_capacity(text.len() + 2);
    out.push(quote);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\\' => out.push_str("\\\\"),
            c if c == quote => out.extend(['\\', c]),
            c if plain(c) => out.push(c),
            c if c <= '\u{ffff}' => out.extend([format!("\\u{:04x}", u32::from(c))]),
            c => out.extend([format!("\\U{:08x}", u32::from(c))]),
        }
    }
    out.push(quote);
    out
}

impl Display for TypeExpr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            TypeKind::Name(name) => f.write_str(name),
            TypeKind::IntRange(low, high) => write!(f, "int({low}..{high})"),
            TypeKind::StringMax(most) => write!(f, "string({most})"),
            TypeKind::List(item, None) => write!(f, "list<{item}>"),
            TypeKind::List(item, Some(most)) => write!(f, "list<{item}>({most})"),
            TypeKind::Map(item) => write!(f, "map<{item}>"),
            TypeKind::Enum(members) => {
                let members: Vec<&str> = members.iter().map(|m| m.value.as_str()).collect();
                write!(f, "enum({})", members.join(", "))
            }
            TypeKind::Outputs(file) => write!(f, "outputs({})", quoted(&file.value)),
        }?;
        f.write_str(if self.nullable { "?" } else { "" })
    }
}

impl Display for Place {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.root.value)?;
        for step in &self.steps {
            match step {
                PlaceStep::Field(field) => write!(f, ".{}", field.value)?,
                PlaceStep::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

impl Display for Statement {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        statement(self, 0, f)
    }
}

/// The statements of a list, one a line, indented by `indent` blanks; nested lists by two more.
#[must_use]
pub fn block(block: &Block, indent: usize) -> String {
    struct BlockLines<'b>(&'b Block, usize);
    impl Display for BlockLines<'_> {
        fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
            lines(self.0, self.1, f)
        }
    }
    BlockLines(block, indent).to_string()
}

fn lines(block: &Block, indent: usize, f: &mut Formatter<'_>) -> fmt::Result {
    for item in &block.statements {
        write!(f, "{:indent$}", "")?;
        statement(item, indent, f)?;
        f.write_char('\n')?;
    }
    Ok(())
}

fn body(block: &Block, indent: usize, f: &mut Formatter<'_>) -> fmt::Result {
    if block.statements.is_empty() {
        return f.write_str("{}");
    }
    f.write_str("{\n")?;
    lines(block, indent + 2, f)?;
    write!(f, "{:indent$}}}", "")
}

fn statement(statement: &Statement, indent: usize, f: &mut Formatter<'_>) -> fmt::Result {
    match &statement.kind {
        StatementKind::Assign { place, add, value } => {
            let op = if *add { "+=" } else { "=" };
            write!(f, "{place} {op} {value}")
        }
        StatementKind::Let(name, value) => write!(f, "let {} = {value}", name.value),
        StatementKind::Spend(budget, None) => write!(f, "spend {budget}"),
        StatementKind::Spend(budget, Some(amount)) => write!(f, "spend {budget} by {amount}"),
        StatementKind::Emit(name, None) => write!(f, "emit {}", name.value),
        StatementKind::Emit(name, Some(payload)) => write!(f, "emit {} {payload}", name.value),
        StatementKind::Call(name) => write!(f, "{}()", name.value),
        StatementKind::Fail(kind, None) => write!(f, "fail {}", kind.value),
        StatementKind::Fail(kind, Some(message)) => write!(f, "fail {} {message}", kind.value),
        StatementKind::For(names, list, inner) => {
            let index = names.index.as_ref().map(|index| format!("{}, ", index.value)).unwrap_or_default();
            write!(f, "for {index}{} in {} ", names.item.value, head(list))?;
            body(inner, indent, f)
        }
        StatementKind::If(arms, otherwise) => {
            for (i, (condition, inner)) in arms.iter().enumerate() {
                let word = if i > 0 { " else if" } else { "if" };
                write!(f, "{word} {} ", head(condition))?;
                body(inner, indent, f)?;
            }
            if let Some(inner) = otherwise {
                f.write_str(" else ")?;
                body(inner, indent, f)?;
            }
            Ok(())
        }
    }
}

/// The expression before a block. One that ends in an upper-case name would be read as a record.
fn head(expr: &Expr) -> String {
    let text = expr.to_string();
    let word = text.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_').map_or(0, |i| i + 1);
    let upper = text[word..].starts_with(|c: char| c.is_ascii_uppercase());
    if upper && !text[..word].ends_with('.') { format!("({text})") } else { text }
}
