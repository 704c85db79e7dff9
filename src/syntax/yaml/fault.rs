//! What the YAML parser stumbled over, in words that say what to do.

use granit_parser::{ErrorKind, ScanError};

use super::MAX_DEPTH;
use super::quote::{intended, quoted};
use crate::diag::Diagnostic;
use crate::source::{FileId, Span};

/// The finding for a nesting beyond the limit.
pub(super) fn too_deep(span: Span) -> Diagnostic {
    let message = format!("lists and mappings are nested deeper than {MAX_DEPTH} levels");
    Diagnostic::error("too-deep", span, message)
        .help("move inner parts into a graph of their own and `call` it, or into a `let`")
}

/// The finding for a parser error. `last` is the last scalar that was read, `in_flow` whether the parser is
/// inside braces or brackets.
pub(super) fn explain(
    source: &str,
    file: FileId,
    error: &ScanError,
    last: Span,
    in_flow: bool,
) -> Diagnostic {
    use ErrorKind as K;
    let at = error.marker().byte_offset().unwrap_or(0).min(source.len());
    let here = char_at(source, file, at);
    let say = |message: &str| Diagnostic::error("yaml-syntax", here, message);
    match error.kind() {
        K::RecursionLimitExceeded => too_deep(here),
        K::MappingValueNotAllowed | K::InvalidMappingValueWhitespace | K::InvalidColonPlacement => {
            let found = say("YAML takes this `:` for the end of a key");
            match value_on_line(source, at) {
                Some(value) => found.help(format!("a value with `: ` in it needs quotes: {}", quoted(value))),
                None => found.help("a key and its value stand as `key: value`; a list item starts with `- `"),
            }
        }
        K::ExpectedFlowMappingSeparator | K::ExpectedFlowSequenceSeparator => {
            let value = intended(source, last.start as usize, true);
            let wanted = if matches!(error.kind(), K::ExpectedFlowMappingSeparator) { "}" } else { "]" };
            let found = say(&format!("the value ends here, but neither `,` nor `{wanted}` follows"));
            let plain = !value.starts_with(['\'', '"']) && (last.start as usize) < at;
            if plain && in_flow {
                found.help(format!(
                    "inside {{}} and [] a value with brackets or `: ` needs quotes: {}",
                    quoted(value)
                ))
            } else {
                found.help(format!("add the missing `,` or `{wanted}`"))
            }
        }
        K::InvalidTrailingSingleQuotedScalar | K::InvalidTrailingDoubleQuotedScalar => {
            let found = say("text goes on behind the closing quote");
            match value_after(source, last, in_flow) {
                Some(value) => found.help(format!(
                    "YAML takes the first quote as its own; quote the whole: {}",
                    quoted(value)
                )),
                None => found.help("quote the whole value"),
            }
        }
        K::UnclosedQuotedScalar | K::InvalidQuotedScalarIndent | K::DocumentIndicatorInQuotedScalar => {
            let from = last.end as usize;
            let quote = source.get(from..at.max(from)).and_then(|s| s.find(['\'', '"']));
            let open = quote.map_or(here, |i| Span::new(file, from + i, from + i + 1));
            Diagnostic::error("yaml-syntax", open, "this quote is never closed")
                .help("close the quote; inside '…' a quote is written '' and inside \"…\" it is written \\\"")
        }
        K::TabNotAllowed
        | K::TabInBlockIndentation
        | K::TabAtBlockScalarStart
        | K::TabInIndentation
        | K::TabInPlainScalar => {
            let tab = tab_near(source, at);
            Diagnostic::error("yaml-syntax", char_at(source, file, tab), "a tab where YAML wants spaces")
                .help("indent with spaces")
        }
        K::UnexpectedCharacter { character } => {
            let found = say(&format!("a value cannot begin with `{}`", character.escape_default()));
            found.help(format!("put it in quotes: {}", quoted(intended(source, at, in_flow))))
        }
        K::ExpectedBlockMappingKey
        | K::InvalidIndentation
        | K::ExpectedBlockSequenceEntry
        | K::BlockSequenceEntryNotAllowed
        | K::UnexpectedEofBlockMapping
        | K::UnexpectedEofBlockSequence
        | K::InvalidFlowScalarIndent
        | K::InvalidBlockScalarIndent
        | K::ExpectedDocumentStart => say("this line does not fit the lines above it")
            .help("keys of one mapping, and the `-` of one list, start in the same column"),
        K::SimpleKeyExpected | K::InvalidSimpleKey => say("here a key and `:` were expected")
            .help("write `key: value`; text over several lines starts with `key: |`"),
        K::MismatchedFlowCollectionEnd { open, close } => {
            say(&format!("this `{open}` is closed by `{close}`"))
                .help("close brackets in the order they were opened")
        }
        K::UnclosedFlowCollection { open } => say(&format!("this `{open}` is never closed"))
            .help("add the closing bracket, or put the value in quotes"),
        K::MisplacedFlowCollectionEnd => say("a closing bracket without an opening one")
            .help("remove it, or put the whole value in quotes"),
        K::MissingAnchorOrAliasName | K::AnchorCountOverflow => {
            say("YAML takes `&` and `*` at the start of a value for an anchor and an alias")
                .help(format!("put the value in quotes: {}", quoted(intended(source, at, in_flow))))
        }
        K::UnknownQuotedScalarEscape | K::InvalidQuotedScalarHexEscape | K::InvalidUnicodeEscape => {
            say("inside double quotes `\\` starts an escape, and this is none")
                .help("write `\\\\` for a backslash, or use single quotes")
        }
        K::CommentInterceptedScalar => say("a comment stands inside a value that runs over several lines")
            .help("move the comment above the value, or use `|`"),
        kind => say(&format!("this is not YAML: {kind}")),
    }
}

/// The value behind the first `: ` of the line that holds byte `at`.
fn value_on_line(source: &str, at: usize) -> Option<&str> {
    let start = source[..at].rfind('\n').map_or(0, |i| i + 1);
    let colon = source[start..].lines().next()?.find(": ")?;
    let value = start + colon + 2;
    (value < at).then(|| intended(source, value + leading_blanks(&source[value..]), false))
}

/// The value behind the last key that was read.
fn value_after(source: &str, last: Span, in_flow: bool) -> Option<&str> {
    let rest = source.get(last.end as usize..)?;
    let skip = rest.len() - rest.trim_start_matches([':', '-', ',', '[', '{', ' ', '\t', '\r', '\n']).len();
    let value = intended(source, last.end as usize + skip, in_flow);
    value.starts_with(['\'', '"']).then_some(value)
}

/// The tab the parser complains of: it stops before it or just behind it.
fn tab_near(source: &str, at: usize) -> usize {
    let start = source[..at].rfind('\n').map_or(0, |i| i + 1);
    let before = source[start..at].find('\t').map(|i| start + i);
    before.or_else(|| source[at..].find('\t').map(|i| at + i)).unwrap_or(at)
}

fn leading_blanks(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '\t']).len()
}

fn char_at(source: &str, file: FileId, at: usize) -> Span {
    let width = source[at..].chars().next().filter(|c| *c != '\n').map_or(0, char::len_utf8);
    Span::new(file, at, at + width)
}
