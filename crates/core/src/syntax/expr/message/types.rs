//! Mistakes in types and in the fields they begin.

use super::Scene;
use super::row::Row;
use crate::syntax::expr::grammar::Rule;
use crate::syntax::expr::scan::TokenKind;

/// The form of a default.
const DEFAULT: &str = "a default comes after `=`: `int = 0`";

pub(super) const TYPE: &[Row] = &[
    Row::new("`$head` cannot be bounded")
        .head(&["float", "usd", "bool", "any", "duration"])
        .help("the bounded types are `int(0..9)`, `string(200)` and `list<T>(5)`"),
    Row::new("a bounded `int` has a lowest and a highest value").head(&["int"]).help("int(0..9)"),
    Row::new("a bounded `string` has a largest length").head(&["string"]).help("string(200)"),
    Row::new("the members of an enum are written without quotes")
        .head(&["enum"])
        .only(|scene| scene.found_is(TokenKind::Quoted))
        .help("enum(open, closed)"),
    Row::new("`enum` lists its members in parentheses").head(&["enum"]).help("enum(open, closed)"),
    Row::new("`outputs` takes the name of a graph file").head(&["outputs"]).help("outputs('child.yaml')"),
    Row::new("`$head` takes an element type").head(&["map", "list"]).help("$head<int>, or $head<any>"),
    Row::new("`[` is not allowed in a type")
        .found(&["["])
        .help("a list is written `list<T>`, a map `map<T>`"),
    Row::new("`$before` takes no `<…>`")
        .found(&["<"])
        .only(|scene| scene.before().is_some())
        .help("only `list<T>` and `map<T>` have an element type"),
    Row::new("the type should end here; `,` cannot follow")
        .found(&[","])
        .only(|scene| ends_type(scene) && !scene.text.contains('<') || !ends_name(scene))
        .help(DEFAULT),
    Row::new("`,` is not allowed here")
        .found(&[","])
        .help("a map is written `map<T>`: its keys are always strings"),
    Row::new("a number is wanted here, not $found").expects(Rule::number),
    Row::new("the type should end here; $found cannot follow")
        .only(|scene| ends_type(scene) && (scene.found_text() == "==" || is_value(scene)))
        .help(DEFAULT),
    Row::new("the type should end here; $found cannot follow").only(ends_type),
    Row::new("a type is wanted here, not $found")
        .only(|scene| scene.before().is_none() && is_value(scene))
        .help("the type comes first: bool, int, float, usd, string, …; a default comes after `=`: `int = 0`"),
    Row::new("a type is wanted here, not $found").help(
        "types are bool int float usd string duration any, list<T>, map<T>, enum(…) and the names of records",
    ),
];

/// The condition of a field is missing.
pub(super) const CONDITION: Row =
    Row::new("an expression is wanted after `where`, $instead").before(&["where"]);

pub(super) const FIELD: &[Row] = &[Row::new("the field should end here; $found cannot follow")
    .expects(Rule::EOI)
    .help("a field is written `type`, `type = default` or `type = default where condition`")];

/// Returns true if the stop is after a whole type.
fn ends_type(scene: &Scene) -> bool {
    scene.before().is_some() && !scene.expects(Rule::type_expr) && !scene.expects(Rule::int_range)
}

/// Returns true if the token before the stop is no sign of a type.
fn ends_name(scene: &Scene) -> bool {
    !matches!(scene.before_text(), ">" | "?")
}

/// Returns true if a number or a text is where a type should be.
fn is_value(scene: &Scene) -> bool {
    scene.found_is(TokenKind::Number) || scene.found_is(TokenKind::Quoted)
}
