//! The parser `pest` makes of `grammar/expr.pest`.

use pest::Parser as _;
use pest::error::{ErrorVariant, InputLocation};
use pest::iterators::Pair;

#[derive(pest_derive::Parser)]
#[grammar = "grammar/expr.pest"]
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
