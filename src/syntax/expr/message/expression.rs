//! What to say of a text that is no expression.

use super::{Scene, describe};
use crate::syntax::expr::fault::Fault;
use crate::syntax::expr::scan::{Token, TokenKind};

pub(super) fn expression(scene: &Scene) -> Fault {
    known_mistake(scene)
        .unwrap_or_else(|| if scene.after_operand() { after_value(scene) } else { value_wanted(scene) })
}

/// Spellings of other languages and layout rules of this one.
pub(super) fn known_mistake(scene: &Scene) -> Option<Fault> {
    let at = scene.place();
    let fault = match (scene.before_text(), scene.found_text()) {
        (_, ":") if scene.ahead_text() == "=" => {
            Fault::syntax(at, "`:=` cannot stand in an expression").help("to compare, write `==`")
        }
        (_, "=") => {
            Fault::syntax(at, "`=` assigns and cannot stand in an expression").help("to compare, write `==`")
        }
        (_, "+=") => Fault::syntax(at, "`+=` assigns and cannot stand in an expression"),
        (_, "and" | "AND") if scene.after_operand() => {
            Fault::syntax(at, "`and` is not an operator").help("logical and is written `&&`")
        }
        (_, "or" | "OR") if scene.after_operand() => {
            Fault::syntax(at, "`or` is not an operator").help("logical or is written `||`")
        }
        (_, "not") if scene.after_operand() => {
            Fault::syntax(at, "`not` is not an operator").help("negation is written `!`, as in `!(a in b)`")
        }
        (_, "is") if scene.after_operand() => Fault::syntax(at, "`is` is not an operator")
            .help("a type is tested with `is(value, Type)`, equality with `==`"),
        ("not", _) if is_operand_start(scene.found()) => {
            let before = scene.before()?;
            Fault::syntax((before.start, before.end), "`not` is not an operator")
                .help("negation is written `!`")
        }
        (_, "-" | "[" | "(") if scene.broken && scene.after_operand() => {
            Fault::syntax(at, format!("`{}` stands on a line of its own", scene.found_text()))
                .help("`[`, `(` and a binary `-` stand on the line of the value before them")
        }
        ("." | "[" | "{", "?") => Fault::syntax(at, "optional selection `?` is not part of this language")
            .help("selecting through null gives null: write `a.b ?? default`"),
        (_, "..") => Fault::syntax(at, "`..` stands only in bounded types such as `int(0..9)`"),
        (_, "->") => Fault::syntax(at, "`->` cannot stand in an expression"),
        _ => return None,
    };
    Some(fault)
}

fn is_operand_start(token: Option<Token>) -> bool {
    token.is_some_and(|t| {
        matches!(t.kind, TokenKind::Word | TokenKind::Number | TokenKind::Quoted | TokenKind::Open)
    })
}

/// A name and a quote without a blank between them.
fn touching(name: Option<Token>, quote: Option<Token>, text: &str) -> Option<Fault> {
    let (name, quote) = (name?, quote?);
    if name.kind != TokenKind::Word || quote.kind != TokenKind::Quoted || name.end != quote.start {
        return None;
    }
    let message = format!("the name `{}` stands directly before a quote", name.text(text));
    Some(
        Fault::syntax((name.start, name.end), message)
            .help("the only prefix of a text is `r`, as in r'\\d+'"),
    )
}

pub(super) fn value_wanted(scene: &Scene) -> Fault {
    if let Some(fault) = touching(scene.found(), scene.ahead(), scene.text) {
        return fault;
    }
    let at = scene.place();
    let Some(before) = scene.before() else {
        return Fault::syntax(at, format!("an expression is wanted here, not {}", describe(scene)));
    };
    if (before.text(scene.text), scene.found_text()) == ("?", ".") {
        return Fault::syntax(at, "there is no `?.`")
            .help("selecting through null gives null: write `a.b`, or `a.b ?? default`");
    }
    let found = match scene.found() {
        None => "but nothing follows".to_owned(),
        Some(_) => format!("not {}", describe(scene)),
    };
    let behind = before.text(scene.text);
    let generic = behind == "<" && matches!(scene.word_before(1), "list" | "map");
    let wanted = match behind {
        "." => "a field name",
        "<" if generic => "a type",
        "where" | "precedes" => "an expression",
        _ => "a value",
    };
    Fault::syntax(at, format!("{wanted} is wanted after `{}`, {found}", super::clip(behind)))
}

fn after_value(scene: &Scene) -> Fault {
    let at = scene.place();
    let found = describe(scene);
    let behind = super::clip(scene.before_text());
    if let Some(open) = scene.open_conditional() {
        return Fault::syntax(at, format!("`:` is wanted here, not {found}"))
            .also(open.start, "this `?` has no `:` yet")
            .help("a choice is written `condition ? value : other`");
    }
    let Some(token) = scene.found() else {
        return Fault::syntax(at, format!("the text ends too early after `{behind}`"));
    };
    if let Some(fault) = touching(scene.before(), scene.found(), scene.text) {
        return fault;
    }
    match (token.kind, token.text(scene.text)) {
        (_, "{") if behind.starts_with(|c: char| c.is_ascii_uppercase()) => Fault::syntax(
            at,
            format!("the fields of `{behind}` are not written as they should"),
        )
        .help(format!(
            "a record is written `{behind}{{field: value, other: value}}`; the names stand without quotes"
        )),
        (_, "{") => Fault::syntax(at, format!("`{{` cannot follow `{behind}`")).help(
            "a record is written `Type{field: value}`; the names of types start with an upper-case letter",
        ),
        (_, "}") => Fault::syntax(at, format!("`:` and a value are wanted after the key `{behind}`"))
            .help("a map is written `{'key': value}`"),
        (_, ":") => {
            Fault::syntax(at, "`:` without `?`").help("a choice is written `condition ? value : other`")
        }
        (TokenKind::Open, opener) => {
            Fault::syntax(at, format!("`{opener}` cannot follow `{behind}`")).help("only a name is called")
        }
        (TokenKind::Symbol | TokenKind::Close, symbol) => {
            Fault::syntax(at, format!("`{symbol}` cannot stand here"))
        }
        _ => {
            let missing = if scene.in_brackets() { "a `,` or an operator" } else { "an operator" };
            let fault = Fault::syntax(at, format!("{missing} is missing between `{behind}` and {found}"));
            let unit = scene.found_text();
            let number = scene.before().is_some_and(|t| t.kind == TokenKind::Number);
            if number && matches!(unit, "d" | "h" | "m" | "s" | "ms" | "us" | "ns") {
                return fault.help(format!("a duration is written without a blank: `{behind}{unit}`"));
            }
            fault
        }
    }
}
