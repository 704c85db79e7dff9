//! Reading expressions, statements, types and places: from a [`Fragment`] to the [`ast`](super::ast).
//!
//! The grammar is `grammar/expr.pest`. Every function takes the text with its place and a list to put
//! findings into. [`None`] means that a finding was added. All of them are safe on any text: length and
//! nesting are checked in one linear pass before the parser runs.

mod build;
mod fault;
mod grammar;
mod literal;
mod message;
mod names;
mod nesting;
pub(in crate::syntax) mod parsed;
mod recover;
mod scan;
mod split;
mod statement;
mod types;

use pest::iterators::Pair;

pub(in crate::syntax) use build::precedence;
pub(in crate::syntax) use fault::Fault;
#[cfg(test)]
pub(in crate::syntax) use grammar::grammar_words;
pub(in crate::syntax) use grammar::{Rule, parse};
pub(in crate::syntax) use literal::escape;
pub(in crate::syntax) use names::MAX_EXPRESSION;
pub(in crate::syntax) use names::{PROPERTY_WORDS, STATEMENT_WORDS};
pub use names::{is_reserved, is_taken};
pub(in crate::syntax) use scan::{Scanner, Token, TokenKind};

use super::ast::{Block, Expr, Name, Place, TypeExpr};
use super::tree::{PropertyBody, TriggerDecl};
use crate::diag::{Diagnostic, rule};
use crate::source::Fragment;
use build::{Builder, missing};

/// Reads an expression.
pub fn expression(fragment: &Fragment, out: &mut Vec<Diagnostic>) -> Option<Expr> {
    read(fragment, out, Rule::expr_text, |builder, pair| builder.expr(inner(pair)?))
}

/// Reads a type.
pub fn type_expr(fragment: &Fragment, out: &mut Vec<Diagnostic>) -> Option<TypeExpr> {
    read(fragment, out, Rule::type_text, |builder, pair| builder.type_expr(inner(pair)?))
}

/// Reads a place to write to: `plan.steps[0].done`.
pub fn place(fragment: &Fragment, out: &mut Vec<Diagnostic>) -> Option<Place> {
    read(fragment, out, Rule::place_text, |builder, pair| builder.place(inner(pair)?))
}

/// A field's type, default and condition.
pub type FieldLine = (TypeExpr, Option<Expr>, Option<Expr>);

/// Reads what follows the name of a field: `type`, `type = default`, `type = default where condition`.
pub fn field_line(fragment: &Fragment, out: &mut Vec<Diagnostic>) -> Option<FieldLine> {
    read(fragment, out, Rule::field_text, parsed::field_parts)
}

/// Reads one trigger of an edge: `done`, `error(kind)`, `exhausted(budget)`.
pub fn trigger(fragment: &Fragment, out: &mut Vec<Diagnostic>) -> Option<TriggerDecl> {
    read(fragment, out, Rule::trigger_text, parsed::trigger_parts)
}

/// Reads a property: `never E`, `always E`, `eventually E`, `A precedes B`.
pub fn property(fragment: &Fragment, out: &mut Vec<Diagnostic>) -> Option<PropertyBody> {
    read(fragment, out, Rule::property_text, parsed::property_parts)
}

/// Reads the left side of a `let`: `name` or `name(a, b)`.
pub fn let_head(fragment: &Fragment, out: &mut Vec<Diagnostic>) -> Option<(Name, Vec<Name>)> {
    read(fragment, out, Rule::let_head_text, |builder, pair| {
        let (name, params) = builder.let_head(pair)?;
        Ok((name, params))
    })
}

/// Reads a statement list. A statement with a fault is reported once and left out; the others stay.
pub fn block(fragment: &Fragment, out: &mut Vec<Diagnostic>) -> Block {
    let (block, faults) = block_with_faults(fragment);
    out.extend(faults.into_iter().map(|f| f.diagnostic(fragment)));
    block
}

fn block_with_faults(fragment: &Fragment) -> (Block, Vec<Fault>) {
    let text = fragment.text.as_str();
    if let Err(fault) = names::within(text, (0, text.len()), names::MAX_BLOCK, "statement list") {
        return (Block::default(), vec![fault]);
    }
    let fault = match nesting::check(text) {
        Ok(()) => match grammar::parse(Rule::block_text, text) {
            Ok(pair) => {
                let mut faults = Vec::new();
                let block = Builder { fragment, base: 0 }.statements(pair, &mut faults);
                return (block, faults);
            }
            Err(stop) => message::explain(Rule::block_text, text, &stop),
        },
        Err(fault) if fault.rule == rule::EXPRESSION_LIMIT => return (Block::default(), vec![fault]),
        Err(fault) => fault,
    };
    let (block, faults) = recover::statements(fragment);
    // A fault that no part of the list has by itself.
    (block, if faults.is_empty() { vec![fault] } else { faults })
}

fn read<T>(
    fragment: &Fragment,
    out: &mut Vec<Diagnostic>,
    rule: Rule,
    build: impl FnOnce(Builder<'_>, Pair<'_, Rule>) -> Result<T, Fault>,
) -> Option<T> {
    let text = fragment.text.as_str();
    let value = names::length(text, (0, text.len()))
        .and_then(|()| nesting::check(text))
        .and_then(|()| grammar::parse(rule, text).map_err(|stop| message::explain(rule, text, &stop)))
        .and_then(|pair| build(Builder { fragment, base: 0 }, pair));
    value.map_err(|fault| out.push(fault.diagnostic(fragment))).ok()
}

fn inner(pair: Pair<Rule>) -> Result<Pair<Rule>, Fault> {
    pair.into_inner().next().ok_or_else(|| missing("a part"))
}
