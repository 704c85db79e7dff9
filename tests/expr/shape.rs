//! The shape of a tree in one line.

use std::fmt::Write as _;

use loopwright::syntax::ast::{
    Block, Expr, ExprKind, Literal, Place, PlaceStep, StatementKind, TypeExpr, TypeKind, UnaryOp,
};
use loopwright::syntax::expr::FieldLine;
use loopwright::syntax::tree::PropertyBody;

use super::WRITES;

fn list(items: &[Expr]) -> String {
    items.iter().flat_map(|i| [" ".to_owned(), expr(i)]).collect()
}

fn literal(literal: &Literal) -> String {
    match literal {
        Literal::Null => "null".into(),
        Literal::Bool(b) => b.to_string(),
        Literal::Int(i) => i.to_string(),
        Literal::Float(f) => format!("{f:?}f"),
        Literal::String(s) => format!("{s:?}"),
        Literal::Duration(ns) => format!("{ns}ns"),
    }
}

/// An expression as nested lists.
pub(super) fn expr(e: &Expr) -> String {
    match &e.kind {
        ExprKind::Literal(l) => literal(l),
        ExprKind::Name(name) => name.clone(),
        ExprKind::Field(target, field) => format!("(. {} {})", expr(target), field.value),
        ExprKind::Index(target, index) => format!("(at {} {})", expr(target), expr(index)),
        ExprKind::Call { receiver: None, name, args } => format!("({}{})", name.value, list(args)),
        ExprKind::Call { receiver: Some(r), name, args } => {
            format!("(.{} {}{})", name.value, expr(r), list(args))
        }
        ExprKind::Is(value, t) => format!("(is {} {})", expr(value), ty(t)),
        ExprKind::Unary(UnaryOp::Not, inner) => format!("(! {})", expr(inner)),
        ExprKind::Unary(UnaryOp::Negate, inner) => format!("(- {})", expr(inner)),
        ExprKind::Binary(op, a, b) => format!("({} {} {})", op.symbol(), expr(a), expr(b)),
        ExprKind::Conditional(c, a, b) => format!("(?: {} {} {})", expr(c), expr(a), expr(b)),
        ExprKind::List(items) => format!("[{}]", list(items).trim_start()),
        ExprKind::Map(entries) => {
            let entries: Vec<_> = entries.iter().map(|(k, v)| format!("{}: {}", expr(k), expr(v))).collect();
            format!("{{{}}}", entries.join(", "))
        }
        ExprKind::Record(name, fields) => {
            let fields: Vec<_> = fields.iter().map(|(k, v)| format!("{}: {}", k.value, expr(v))).collect();
            format!("{}{{{}}}", name.value, fields.join(", "))
        }
    }
}

/// Every node of an expression with the text it covers.
pub(super) fn spans(e: &Expr, text: &str) -> String {
    let here = &text[e.span.start as usize..e.span.end as usize];
    let mut out = format!("{here}\n");
    let mut below = |child: &Expr| {
        for line in spans(child, text).lines() {
            writeln!(out, "  {line}").expect(WRITES);
        }
    };
    match &e.kind {
        ExprKind::Literal(_) | ExprKind::Name(_) => {}
        ExprKind::Field(a, _) | ExprKind::Is(a, _) | ExprKind::Unary(_, a) => below(a),
        ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) => {
            below(a);
            below(b);
        }
        ExprKind::Conditional(a, b, c) => {
            below(a);
            below(b);
            below(c);
        }
        ExprKind::Call { receiver, args, .. } => {
            if let Some(receiver) = receiver {
                below(receiver);
            }
            args.iter().for_each(below);
        }
        ExprKind::List(items) => items.iter().for_each(below),
        ExprKind::Map(entries) => entries.iter().for_each(|(k, v)| {
            below(k);
            below(v);
        }),
        ExprKind::Record(_, fields) => fields.iter().for_each(|(_, v)| below(v)),
    }
    out
}

/// A type as nested lists.
pub(super) fn ty(t: &TypeExpr) -> String {
    let kind = match &t.kind {
        TypeKind::Name(name) => name.clone(),
        TypeKind::IntRange(low, high) => format!("(int {low} {high})"),
        TypeKind::StringMax(most) => format!("(string {most})"),
        TypeKind::List(item, None) => format!("(list {})", ty(item)),
        TypeKind::List(item, Some(most)) => format!("(list {} {most})", ty(item)),
        TypeKind::Map(item) => format!("(map {})", ty(item)),
        TypeKind::Enum(members) => {
            format!("(enum {})", members.iter().map(|m| m.value.as_str()).collect::<Vec<_>>().join(" "))
        }
        TypeKind::Outputs(file) => format!("(outputs {:?})", file.value),
    };
    if t.nullable { format!("{kind}?") } else { kind }
}

/// A place as it is reached.
pub(super) fn place(p: &Place) -> String {
    let mut out = p.root.value.clone();
    for step in &p.steps {
        match step {
            PlaceStep::Field(field) => write!(out, " .{}", field.value).expect(WRITES),
            PlaceStep::Index(index) => write!(out, " [{}]", expr(index)).expect(WRITES),
        }
    }
    out
}

/// A field's type, default and condition.
pub(super) fn field((t, default, condition): &FieldLine) -> String {
    let mut out = ty(t);
    if let Some(d) = default {
        write!(out, " = {}", expr(d)).expect(WRITES);
    }
    if let Some(c) = condition {
        write!(out, " where {}", expr(c)).expect(WRITES);
    }
    out
}

/// A property.
pub(super) fn property(p: &PropertyBody) -> String {
    match p {
        PropertyBody::Never(e) => format!("never {}", expr(e)),
        PropertyBody::Always(e) => format!("always {}", expr(e)),
        PropertyBody::Eventually(e) => format!("eventually {}", expr(e)),
        PropertyBody::Precedes(a, b) => format!("{} precedes {}", expr(a), expr(b)),
    }
}

/// A statement list, one statement a line.
pub(super) fn block(b: &Block, indent: &str) -> String {
    let mut out = String::new();
    let inner = format!("{indent}  ");
    for statement in &b.statements {
        let optional = |e: &Option<Expr>| e.as_ref().map_or(String::new(), |e| format!(" {}", expr(e)));
        let line = match &statement.kind {
            StatementKind::Assign { place: p, add, value } => {
                format!("{} {} {}", if *add { "add" } else { "set" }, place(p), expr(value))
            }
            StatementKind::Let(name, value) => format!("let {} {}", name.value, expr(value)),
            StatementKind::Spend(budget, amount) => format!("spend {}{}", expr(budget), optional(amount)),
            StatementKind::Emit(name, payload) => format!("emit {}{}", name.value, optional(payload)),
            StatementKind::Call(name) => format!("call {}", name.value),
            StatementKind::Fail(kind, message) => format!("fail {}{}", kind.value, optional(message)),
            StatementKind::For(name, over, body) => {
                let index = name.index.as_ref().map(|index| format!("{} ", index.value)).unwrap_or_default();
                format!("for {index}{} {}\n{}", name.item.value, expr(over), block(body, &inner).trim_end())
            }
            StatementKind::If(arms, otherwise) => {
                let mut text = String::new();
                for (condition, body) in arms {
                    write!(text, "if {}\n{}", expr(condition), block(body, &inner)).expect(WRITES);
                }
                if let Some(body) = otherwise {
                    write!(text, "{indent}else\n{}", block(body, &inner)).expect(WRITES);
                }
                text.trim_end().to_owned()
            }
        };
        writeln!(out, "{indent}{line}").expect(WRITES);
    }
    out
}
