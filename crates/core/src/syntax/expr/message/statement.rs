//! Mistakes in statements.

use super::Scene;
use super::row::{At, Row};
use crate::syntax::expr::grammar::Rule;
use crate::syntax::expr::scan::TokenKind;

const STATEMENTS: &str =
    "the statements are `=`, `+=`, `let`, `spend`, `emit`, `if`, `for`, `fail` and `action()`";
const BLOCK: &str = "$head … { statements }";
const SPEND: Row = Row::new("`spend` takes a budget, perhaps followed by `by` and an amount; $refused")
    .head(&["spend"])
    .help("for example: spend rounds by 2");
const EMIT: Row = Row::new("`emit` takes a name, perhaps followed by a map `{…}`; $refused")
    .head(&["emit"])
    .help("for example: emit found {'count': n}");
const FAIL: Row = Row::new("`fail` takes an error kind, perhaps followed by a message; $refused")
    .head(&["fail"])
    .help("for example: fail tool_failed 'no answer'");

const COMPARISON: Row =
    Row::new("a comparison is not a statement").found(&["=="]).help("to assign, write `=`");

/// Mistakes at the beginning of a statement, and where it should assign.
pub(super) const STATEMENT: &[Row] = &[
    COMPARISON.only(|scene| scene.before().is_none()),
    Row::new("a statement is wanted here, not $found")
        .only(|scene| scene.before().is_none() && !scene.touches_quote(Some(scene.index)))
        .help(STATEMENTS),
    SPEND.only(in_head),
    EMIT.only(in_head),
    FAIL.only(in_head),
    Row::new("`let` takes a name, `=` and a value; $refused")
        .head(&["let"])
        .only(in_head)
        .help("for example: let total = a + b"),
    Row::new("`for` takes a name, `in`, a list and a block; $refused")
        .head(&["for"])
        .only(|scene| scene.fault_of_loop(1).is_some())
        .help("for example: for item in items { … }; with the index, which begins at 0: for i, item in items { … }"),
    Row::new("`else` without `if`")
        .head(&["else"])
        .at(At::First)
        .help("`else` comes after the `}` of an `if`"),
    Row::new("`$head` does not begin a statement")
        .head(&["set", "var", "const", "val"])
        .at(At::First)
        .only(|scene| scene.tokens.get(1).is_some_and(|t| t.kind == TokenKind::Word))
        .help("a field is written with `name = value`, a local name is made with `let name = value`"),
    Row::new("there is no `$head` statement")
        .head(&["return", "while", "break", "continue", "function", "import"])
        .at(At::First)
        .help(STATEMENTS),
    COMPARISON.expects(Rule::assign_op),
    Row::new("`:=` does not assign")
        .expects(Rule::assign_op)
        .found(&[":"])
        .ahead(&["="])
        .help("to assign, write `=`"),
    Row::new("there is no `$sign=`")
        .expects(Rule::assign_op)
        .found(&["-", "*", "/", "%"])
        .ahead(&["="])
        .help("write `$left = $left $sign …`"),
    Row::new("there is no `++`")
        .expects(Rule::assign_op)
        .found(&["+"])
        .ahead(&["+"])
        .help("write `$left += 1`"),
    Row::new("there is no `--`")
        .expects(Rule::assign_op)
        .found(&["-"])
        .ahead(&["-"])
        .help("write `$left = $left - 1`"),
    Row::new("`$left` is not an action: a list is changed by an assignment")
        .expects(Rule::assign_op)
        .at(At::Left)
        .found(&["("])
        .before(&["append", "push", "add", "extend", "pop", "shift", "remove", "insert"])
        .only(|scene| scene.tokens.iter().any(|t| t.text(scene.text) == "."))
        .help("to append write `xs += x`; to take the first off, `first = xs[0]` and then `xs = xs.slice(1, size(xs))`"),
    Row::new("an action is called without arguments")
        .expects(Rule::assign_op)
        .found(&["("])
        .only(|scene| scene.before().is_some_and(|t| t.kind == TokenKind::Word))
        .help("write `name()`: an action has no parameters, and what it works on is in the state"),
    Row::new("`$left` is not a statement")
        .expects(Rule::assign_op)
        .at(At::Left)
        .found(&[""])
        .only(|scene| scene.tokens.iter().any(|t| t.text(scene.text) == "."))
        .help("to write this field, write `$left = value`"),
    Row::new("`$left` is not a statement")
        .expects(Rule::assign_op)
        .at(At::Left)
        .found(&[""])
        .help("to call an action, write `$left()`; to write a field, `$left = value`"),
    Row::new("`=`, `+=` or `()` is wanted after `$left`, not $found").expects(Rule::assign_op),
    Row::new("there is no `$sign=`")
        .found(&["*", "/", "%"])
        .ahead(&["="])
        .only(ends_call)
        .help("a value is assigned with `=` or `+=`"),
    // A map, for want of the value that should be before the block.
    Row::new("`{` is wanted here, not $found").head(&["if", "for"]).found(&["+="]).only(in_map).help(BLOCK),
    Row::new("the statement should end here; $found cannot follow")
        .only(ends_call)
        .help("statements are ended by a new line or `;`"),
];

/// Mistakes after the values of a statement.
pub(super) const STATEMENT_VALUES: &[Row] = &[
    SPEND.before(&["by"]).found(&[""]),
    SPEND.only(outside_values),
    EMIT.only(outside_values),
    FAIL.only(outside_values),
    Row::new("`{` is wanted here, not $found").expects(Rule::block).head(&["if", "for"]).help(BLOCK),
    Row::new("a value is wanted after `$before`, $instead")
        .head(&["if", "for"])
        .before(&["if", "in"])
        .help(BLOCK),
];

/// Returns true if the stop is one of the first tokens, which have their places.
fn in_head(scene: &Scene) -> bool {
    scene.index < 3
}

/// Returns true if a bracket is open at the stop.
fn in_map(scene: &Scene) -> bool {
    scene.in_brackets()
}

/// Returns true if the stop is after a whole statement that ends in no value and begins with no word of its own.
fn ends_call(scene: &Scene) -> bool {
    scene.expects(Rule::EOI) && !scene.expects(Rule::infix) && !scene.has_word()
}

/// Returns true if no value is wanted at the stop, nor the name of a field.
fn outside_values(scene: &Scene) -> bool {
    !scene.expects(Rule::expr) && !scene.expects(Rule::paren) && scene.before_text() != "."
}
