//! The parser `pest` makes of `grammar/expr.pest`.

use pest::Parser as _;
use pest::iterators::Pair;

#[derive(pest_derive::Parser)]
#[grammar = "grammar/expr.pest"]
struct Grammar;

/// Reads `text` as `rule`, which covers the whole text. The error is the byte at which reading stopped.
pub(in crate::syntax) fn parse(rule: Rule, text: &str) -> Result<Pair<'_, Rule>, usize> {
    let mut pairs = Grammar::parse(rule, text).map_err(|e| match e.location {
        pest::error::InputLocation::Pos(at) | pest::error::InputLocation::Span((at, _)) => at,
    })?;
    pairs.next().ok_or(0)
}
