//! What to say of a text that is no statement.

use super::expression::{expression, known_mistake, value_wanted};
use super::{Scene, clip, describe};
use crate::syntax::expr::fault::Fault;
use crate::syntax::expr::scan::TokenKind;

pub(super) fn statement(scene: &Scene) -> Fault {
    let at = scene.place();
    let first = scene.tokens[0].text(scene.text);
    let second = scene.tokens.get(1).map_or("", |t| t.text(scene.text));
    let head = (scene.tokens[0].start, scene.tokens[0].end);
    match (first, second) {
        ("spend", _) => {
            return in_statement(
                scene,
                "spend",
                "a budget, perhaps followed by `by` and an amount",
                "spend rounds by 2",
            );
        }
        ("emit", _) => {
            return in_statement(
                scene,
                "emit",
                "a name, perhaps followed by a map `{…}`",
                "emit found {'count': n}",
            );
        }
        ("fail", _) => {
            return in_statement(
                scene,
                "fail",
                "an error kind, perhaps followed by a message",
                "fail tool_failed 'no answer'",
            );
        }
        ("let", _) if scene.index < 3 => {
            return in_statement(scene, "let", "a name, `=` and a value", "let total = a + b");
        }
        ("for", _) if scene.index < 3 => {
            return in_statement(scene, "for", "a name, `in`, a list and a block", "for item in items { … }");
        }
        ("else", _) => {
            return Fault::syntax(head, "`else` without `if`")
                .help("`else` stands behind the `}` of an `if`");
        }
        ("set" | "var" | "const" | "val", name) if is_word(name) => {
            return Fault::syntax(head, format!("`{first}` does not begin a statement")).help(
                "a field is written with `name = value`, a local name is made with `let name = value`",
            );
        }
        ("return" | "while" | "break" | "continue" | "function" | "import", _) => {
            return Fault::syntax(head, format!("there is no `{first}` statement")).help(
                "the statements are `=`, `+=`, `let`, `spend`, `emit`, `if`, `for`, `fail` and `action()`",
            );
        }
        _ => {}
    }
    if matches!(first, "if" | "for") && scene.after_operand() && scene.found_text() != "=" {
        return Fault::syntax(at, format!("`{{` is wanted here, not {}", describe(scene)))
            .help(format!("{first} … {{ statements }}"));
    }
    assignment(scene).unwrap_or_else(|| expression(scene))
}

fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

fn in_statement(scene: &Scene, word: &str, wanted: &str, example: &str) -> Fault {
    if let Some(fault) = known_mistake(scene).filter(|_| scene.index > 2) {
        return fault;
    }
    if scene.index > 2 && !scene.after_operand() {
        return value_wanted(scene);
    }
    let found = match scene.found() {
        None => "nothing follows".to_owned(),
        Some(_) => format!("{} cannot stand here", describe(scene)),
    };
    Fault::syntax(scene.place(), format!("`{word}` takes {wanted}; {found}"))
        .help(format!("for example: {example}"))
}

/// Faults of texts that begin like an assignment or a call.
fn assignment(scene: &Scene) -> Option<Fault> {
    let assigns = scene.tokens[..scene.index].iter().any(|t| matches!(t.text(scene.text), "=" | "+="));
    if assigns || matches!(scene.tokens[0].text(scene.text), "if" | "for" | "let") {
        return None;
    }
    let at = scene.place();
    let second = scene.tokens.get(scene.index + 1).map_or("", |t| t.text(scene.text));
    let left = scene.text[..scene.before().map_or(0, |b| b.end)].trim();
    let left = clip(left);
    let fault = match (scene.found_text(), second) {
        ("==", _) => Fault::syntax(at, "a comparison is not a statement").help("to assign, write `=`"),
        (":", "=") => Fault::syntax(at, "`:=` does not assign").help("to assign, write `=`"),
        ("-" | "*" | "/" | "%", "=") => {
            let operator = scene.found_text();
            Fault::syntax(at, format!("there is no `{operator}=`"))
                .help(format!("write `{left} = {left} {operator} …`"))
        }
        ("+", "+") => Fault::syntax(at, "there is no `++`").help(format!("write `{left} += 1`")),
        ("-", "-") => Fault::syntax(at, "there is no `--`").help(format!("write `{left} = {left} - 1`")),
        ("(" | ")", _) | (_, ")")
            if scene.before().is_some_and(|b| b.kind == TokenKind::Word || b.text(scene.text) == "(") =>
        {
            Fault::syntax(at, "an action is called without arguments")
                .help("write `name()`; only expressions take arguments")
        }
        ("", _) if scene.after_operand() => Fault::syntax(
            (scene.tokens[0].start, scene.before().map_or(0, |b| b.end)),
            format!("`{left}` is not a statement"),
        )
        .help(if left.contains('.') {
            format!("to write this field, write `{left} = value`")
        } else {
            format!("to call an action, write `{left}()`; to write a field, `{left} = value`")
        }),
        _ if scene.after_operand() => {
            Fault::syntax(at, format!("`=`, `+=` or `()` is wanted after `{left}`, not {}", describe(scene)))
        }
        _ => return None,
    };
    Some(fault)
}
