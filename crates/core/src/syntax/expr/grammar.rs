//! The parser `pest` makes of `grammar/expr.pest` and `grammar/loop.pest`.

use pest::Parser as _;
use pest::error::{ErrorVariant, InputLocation};
use pest::iterators::Pair;

#[derive(pest_derive::Parser)]
#[grammar = "grammar/expr.pest"]
#[grammar = "grammar/loop.pest"]
struct Grammar;

/// The byte at which reading stopped, and the rules of which one could have stood there.
#[derive(Debug, Clone)]
pub(in crate::syntax) struct Stop {
    pub at: usize,
    pub expected: Vec<Rule>,
}

/// Reads `text` as `rule` from its first byte on. A rule that does not cover the whole text may end before the text does.
pub(in crate::syntax) fn parse(rule: Rule, text: &str) -> Result<Pair<'_, Rule>, Stop> {
    let mut pairs = Grammar::parse(rule, text).map_err(|error| {
        let at = match error.location {
            InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
        };
        match error.variant {
            ErrorVariant::ParsingError { positives, .. } => Stop { at, expected: positives },
            // The reader of a text that is nested too deep.
            ErrorVariant::CustomError { .. } => Stop { at, expected: Vec::new() },
        }
    })?;
    pairs.next().ok_or(Stop { at: 0, expected: Vec::new() })
}

/// The words that a rule of the grammar has itself, in order.
#[cfg(test)]
pub(in crate::syntax) fn grammar_words(rule: Rule) -> Vec<String> {
    use pest_meta::ast::Expr;
    use pest_meta::parser;

    let text =
        concat!(include_str!("../../../grammar/expr.pest"), include_str!("../../../grammar/loop.pest"));
    let pairs = parser::parse(parser::Rule::grammar_rules, text).expect("the grammar is well formed");
    let rules = parser::consume_rules(pairs).expect("its rules fit together");
    let found = rules.iter().find(|found| found.name == format!("{rule:?}")).expect("the rule is there");
    let word = |part: Expr| match part {
        Expr::Str(text) if text.starts_with(|c: char| c.is_ascii_alphabetic()) => Some(text),
        _ => None,
    };
    found.expr.iter_top_down().filter_map(word).collect()
}
