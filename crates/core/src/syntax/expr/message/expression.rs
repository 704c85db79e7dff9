//! Mistakes in expressions.

use super::row::{At, Row};
use crate::syntax::expr::grammar::Rule;
use crate::syntax::expr::scan::{Token, TokenKind};

/// Spellings of other languages, and rules of layout.
pub(super) const MISTAKES: &[Row] = &[
    Row::new("`:=` is not allowed in an expression")
        .found(&[":"])
        .ahead(&["="])
        .only(|scene| scene.before_text() != ".")
        .help("to compare, write `==`"),
    Row::new("`=` assigns and is not allowed in an expression").found(&["="]).help("to compare, write `==`"),
    Row::new("`+=` assigns and is not allowed in an expression").found(&["+="]),
    Row::new("`and` is not an operator")
        .expects(Rule::infix)
        .found(&["and", "AND"])
        .help("logical and is written `&&`"),
    Row::new("`or` is not an operator")
        .expects(Rule::infix)
        .found(&["or", "OR"])
        .help("logical or is written `||`"),
    Row::new("`not` is not an operator")
        .expects(Rule::infix)
        .found(&["not"])
        .help("negation is written `!`, as in `!(a in b)`"),
    Row::new("`is` is not an operator")
        .expects(Rule::infix)
        .found(&["is"])
        .help("a type is tested with `is(value, Type)`, equality with `==`"),
    Row::new("`not` is not an operator")
        .at(At::Before)
        .before(&["not"])
        .only(|scene| scene.found().is_some_and(begins_value))
        .help("negation is written `!`"),
    Row::new("`$sign` is on a line of its own")
        .expects(Rule::infix)
        .found(&["-", "[", "("])
        .only(|scene| scene.broken)
        .help("put `[`, `(` and a binary `-` on the line of the value before them"),
    Row::new("optional selection `?` is not part of this language")
        .before(&[".", "[", "{"])
        .found(&["?"])
        .help("selecting through null gives null: write `a.b ?? default`"),
    Row::new("`..` is allowed only in bounded types such as `int(0..9)`").found(&[".."]),
    Row::new("`->` is not allowed in an expression").found(&["->"]),
];

/// Mistakes after a value, and where a value is wanted.
pub(super) const EXPRESSION: &[Row] = &[
    Row::new("`:` is wanted here, not $found")
        .expects(Rule::colon)
        .also("this `?` has no `:` yet")
        .help("a choice is written `condition ? value : other`"),
    Row::new("the text ends too early after `$before`").expects(Rule::infix).found(&[""]),
    Row::new("the name `$before` is directly before a quote")
        .expects(Rule::infix)
        .at(At::Before)
        .only(|scene| scene.touches_quote(scene.index.checked_sub(1)))
        .help("the only prefix of a text is `r`, as in r'\\d+'"),
    Row::new("the fields of `$before` are not written as they should")
        .expects(Rule::infix)
        .found(&["{"])
        .only(|scene| scene.before_text().starts_with(|c: char| c.is_ascii_uppercase()))
        .help("a record is written `$before{field: value, other: value}`; the names have no quotes"),
    Row::new("`{` cannot follow `$before`")
        .expects(Rule::infix)
        .found(&["{"])
        .help("a record is written `Type{field: value}`; the names of types start with an upper-case letter"),
    Row::new("`:` and a value are wanted after the key `$before`")
        .expects(Rule::infix)
        .found(&["}"])
        .help("a map is written `{'key': value}`"),
    Row::new("`:` without `?`")
        .expects(Rule::infix)
        .found(&[":"])
        .help("a choice is written `condition ? value : other`"),
    Row::new("`$sign` cannot follow `$before`")
        .expects(Rule::infix)
        .only(|scene| scene.found_is(TokenKind::Open))
        .help("only a name is called"),
    Row::new("`$sign` is not allowed here")
        .expects(Rule::infix)
        .only(|scene| scene.found_is(TokenKind::Symbol) || scene.found_is(TokenKind::Close)),
    Row::new("$joint is missing between `$before` and $found")
        .expects(Rule::infix)
        .found(&["d", "h", "m", "s", "ms", "us", "ns"])
        .only(|scene| scene.before().is_some_and(|t| t.kind == TokenKind::Number))
        .help("a duration is written without a blank: `$before$sign`"),
    Row::new("$joint is missing between `$before` and $found")
        .expects(Rule::infix)
        .only(|scene| {
            scene.found_is(TokenKind::Word) && scene.before().is_some_and(|t| t.kind == TokenKind::Word)
        })
        .help("a text is written in quotes: '$before $sign'"),
    Row::new("$joint is missing between `$before` and $found").expects(Rule::infix),
    Row::new("the name `$sign` is directly before a quote")
        .only(|scene| scene.touches_quote(Some(scene.index)))
        .help("the only prefix of a text is `r`, as in r'\\d+'"),
    Row::new("an expression is wanted here, not $found").only(|scene| scene.before().is_none()),
    Row::new("there is no `?.`")
        .before(&["?"])
        .found(&["."])
        .help("selecting through null gives null: write `a.b`, or `a.b ?? default`"),
    Row::new("a field name is wanted after `.`, $instead").before(&["."]),
    Row::new("a type is wanted after `$before`, $instead").expects(Rule::type_expr),
    Row::new("an expression is wanted after `$before`, $instead").before(&["where", "precedes"]),
    Row::new("a value is wanted after `$before`, $instead"),
];

fn begins_value(token: Token) -> bool {
    matches!(token.kind, TokenKind::Word | TokenKind::Number | TokenKind::Quoted | TokenKind::Open)
}
