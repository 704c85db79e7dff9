//! The words that are names, those of the language, and the limits of length.
//!
//! The grammar alone says which words are read. These tables serve messages, layout and the refusal of names; a test
//! compares them with the grammar.

use super::fault::Fault;
use crate::diag::rule;

/// The longest expression, in bytes.
pub(in crate::syntax) const MAX_EXPRESSION: usize = 4 * 1024;
/// The longest statement list, in bytes.
pub(super) const MAX_BLOCK: usize = 64 * 1024;
/// The longest name, in characters.
pub(super) const MAX_NAME: usize = 64;

/// Words of the language itself.
const OURS: [&str; 19] = [
    "when", "on", "do", "then", "with", "into", "by", "as", "if", "else", "for", "in", "let", "spend",
    "emit", "fail", "true", "false", "null",
];
/// Words that statements begin with.
pub(in crate::syntax) const STATEMENT_WORDS: [&str; 6] = ["if", "for", "let", "spend", "emit", "fail"];
/// Words that properties begin with.
pub(in crate::syntax) const PROPERTY_WORDS: [&str; 3] = ["never", "always", "eventually"];
/// Words CEL keeps for itself.
const CEL: [&str; 12] = [
    "break",
    "const",
    "continue",
    "function",
    "import",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

/// Returns true if a word cannot be the name of anything.
#[must_use]
pub fn is_reserved(word: &str) -> bool {
    word.len() <= 9 && (OURS.contains(&word) || CEL.contains(&word))
}

/// Returns true if nothing that a graph declares can bear this name: a reserved word, or `is`, which can be called.
#[must_use]
pub fn is_taken(word: &str) -> bool {
    is_reserved(word) || word == "is"
}

/// Refuses reserved words and names that are too long.
pub(super) fn usable(word: &str, at: (usize, usize)) -> Result<(), Fault> {
    if !is_reserved(word) {
        return Ok(());
    }
    let whose = if CEL.contains(&word) { "of CEL" } else { "of this language" };
    Err(Fault::new(
        rule::RESERVED_WORD,
        at,
        format!("`{word}` is a reserved word {whose} and cannot be a name"),
    )
    .help(format!("choose another name, such as `{word}_`; after `.` and before `:` any word is allowed")))
}

/// Refuses names that are too long.
pub(super) fn short_enough(word: &str, at: (usize, usize)) -> Result<(), Fault> {
    if word.len() <= MAX_NAME {
        return Ok(());
    }
    Err(Fault::new(
        rule::EXPRESSION_LIMIT,
        at,
        format!("this name has {} characters; the longest has {MAX_NAME}", word.len()),
    ))
}

/// Refuses expressions that are too long.
pub(super) fn length(text: &str, at: (usize, usize)) -> Result<(), Fault> {
    within(text, at, MAX_EXPRESSION, "expression")
}

/// Refuses texts longer than `most` bytes.
pub(super) fn within(text: &str, at: (usize, usize), most: usize, what: &str) -> Result<(), Fault> {
    if text.len() <= most {
        return Ok(());
    }
    let message = format!("this {what} is {} bytes long; the longest has {most}", text.len());
    Err(Fault::new(rule::EXPRESSION_LIMIT, (at.0, at.0 + 1), message).help("name its parts with `let`"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::expr::grammar::{Rule, grammar_words};

    #[test]
    fn words_of_statements_are_those_of_the_grammar() {
        let rules = [Rule::if_else, Rule::for_in, Rule::let_in, Rule::spend, Rule::emit, Rule::fail];
        let found = rules.map(grammar_words);
        assert_eq!(found.each_ref().map(|words| words[0].as_str()), STATEMENT_WORDS);
        let free: Vec<&String> = found.iter().flatten().filter(|word| !is_reserved(word)).collect();
        assert!(free.is_empty(), "a name could be one of {free:?}");
    }

    #[test]
    fn words_of_properties_are_those_of_the_grammar() {
        let found = [Rule::never, Rule::always, Rule::eventually].map(grammar_words);
        assert_eq!(found.concat(), PROPERTY_WORDS);
    }
}
