//! What to say of a text that is no type.

use super::{Scene, describe};
use crate::syntax::expr::fault::Fault;
use crate::syntax::expr::scan::TokenKind;

/// How a default is written.
const DEFAULT: &str = "a default stands behind `=`: `int = 0`";

pub(super) fn type_fault(scene: &Scene) -> Fault {
    let inside = scene.before_text() == "(";
    let head = if inside { scene.word_before(1) } else { scene.before_text() };
    let opens = inside || scene.found_text() == "(";
    bounded(scene, head, opens).unwrap_or_else(|| plain(scene))
}

/// Faults of types that take something in parentheses.
fn bounded(scene: &Scene, head: &str, opens: bool) -> Option<Fault> {
    let at = scene.place();
    if !opens {
        return None;
    }
    Some(match head {
        "float" | "usd" | "bool" | "any" | "duration" => {
            Fault::syntax(at, format!("`{head}` cannot be bounded"))
                .help("the bounded types are `int(0..9)`, `string(200)` and `list<T>(5)`")
        }
        "int" => Fault::syntax(at, "a bounded `int` has a lowest and a highest value").help("int(0..9)"),
        "string" => Fault::syntax(at, "a bounded `string` has a largest length").help("string(200)"),
        "enum" if scene.found().is_some_and(|t| t.kind == TokenKind::Quoted) => {
            Fault::syntax(at, "the members of an enum are written without quotes").help("enum(open, closed)")
        }
        "enum" => Fault::syntax(at, "`enum` lists its members in parentheses").help("enum(open, closed)"),
        "outputs" => {
            Fault::syntax(at, "`outputs` takes the name of a graph file").help("outputs('child.yaml')")
        }
        "map" | "list" => Fault::syntax(at, format!("`{head}` takes an element type"))
            .help(format!("{head}<int>, or {head}<any>")),
        _ => return None,
    })
}

fn plain(scene: &Scene) -> Fault {
    let at = scene.place();
    let found = describe(scene);
    match (scene.before_text(), scene.found_text()) {
        (_, "[") => Fault::syntax(at, "`[` cannot stand in a type").help("a list is written `list<T>`, a map `map<T>`"),
        (before, "<") if !before.is_empty() => Fault::syntax(at, format!("`{before}` takes no `<…>`"))
            .help("only `list<T>` and `map<T>` have an element type"),
        (">" | "?", ",") => Fault::syntax(at, "the type should end here; `,` cannot follow").help(DEFAULT),
        (_, ",") if scene.after_operand() && !scene.text.contains('<') => {
            Fault::syntax(at, "the type should end here; `,` cannot follow").help(DEFAULT)
        }
        (_, ",") => Fault::syntax(at, "`,` cannot stand here").help("a map is written `map<T>`: its keys are always strings"),
        (before, _) if scene.after_operand() || matches!(before, "?" | ">") => {
            let fault = Fault::syntax(at, format!("the type should end here; {found} cannot follow"));
            if scene.found_text() == "==" || is_value(scene) { fault.help(DEFAULT) } else { fault }
        }
        ("", _) if is_value(scene) => Fault::syntax(at, format!("a type is wanted here, not {found}"))
            .help(format!("the type comes first: bool, int, float, usd, string, …; {DEFAULT}")),
        _ => Fault::syntax(at, format!("a type is wanted here, not {found}"))
            .help("types are bool int float usd string duration any, list<T>, map<T>, enum(…) and the names of records"),
    }
}

/// Whether a number or a text stands where a type should.
fn is_value(scene: &Scene) -> bool {
    scene.found().is_some_and(|t| matches!(t.kind, TokenKind::Number | TokenKind::Quoted))
}
