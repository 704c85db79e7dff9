//! Faults of the YAML parser, in words that say what to do.

use granit_parser::{ErrorKind as K, ScanError};

use super::quote::{intended, quoted};
use super::{MAX_COMMENTS, MAX_DEPTH};
use crate::diag::{Diagnostic, rule};
use crate::source::{FileId, Span};

/// The finding for a nesting beyond the limit.
pub(crate) fn too_deep(span: Span) -> Diagnostic {
    let message = format!("lists and mappings are nested deeper than {MAX_DEPTH} levels");
    Diagnostic::error(rule::TOO_DEEP, span, message)
        .help("move inner parts into a graph of their own and `call` it, or into a `let`")
}

/// The finding for more comments than are kept.
pub(crate) fn too_many_comments(span: Span) -> Diagnostic {
    let message = format!("the file has more than {MAX_COMMENTS} comments");
    Diagnostic::error(rule::TOO_LARGE, span, message)
        .help("remove some, or join them: this is far more than anybody reads")
}

/// The finding for a parser error. `last` is the last scalar that was read, `flow` the brace or bracket that the
/// parser is inside of.
pub(super) fn explain(
    source: &str,
    file: FileId,
    error: &ScanError,
    last: Span,
    flow: Option<u32>,
) -> Diagnostic {
    let at = error.marker().byte_offset().unwrap_or(0).min(source.len());
    let stop = ParserStop { source, file, at, last, flow: flow.map(|start| start as usize) };
    let kind = error.kind();
    if matches!(kind, K::RecursionLimitExceeded) {
        return too_deep(stop.here());
    }
    if matches!(kind, K::TooManyComments) {
        return too_many_comments(stop.here());
    }
    let found = stop
        .in_open_brackets(kind)
        .or_else(|| stop.in_value(kind))
        .or_else(|| stop.in_quotes(kind))
        .or_else(|| stop.in_layout(kind));
    found.or_else(|| stop.in_brackets(kind)).unwrap_or_else(|| stop.say(&format!("this is not YAML: {kind}")))
}

/// The place where the parser stopped.
struct ParserStop<'s> {
    source: &'s str,
    file: FileId,
    at: usize,
    last: Span,
    flow: Option<usize>,
}

impl<'s> ParserStop<'s> {
    /// Brackets that were opened on a line that ends as if they were closed: the parser only stumbles on a later one.
    fn in_open_brackets(&self, kind: &K) -> Option<Diagnostic> {
        let stumbled = matches!(
            kind,
            K::MappingValueNotAllowed
                | K::InvalidMappingValueWhitespace
                | K::InvalidColonPlacement
                | K::ExpectedFlowMappingSeparator
                | K::ExpectedFlowSequenceSeparator
                | K::InvalidIndentation
                | K::UnclosedFlowCollection { .. }
        );
        let open = self.flow.filter(|open| stumbled && *open < self.at)?;
        let line = self.source.get(open..self.at)?.split_once('\n')?.0.trim_end();
        if line.ends_with([',', '{', '[', ':']) {
            return None;
        }
        let closing = if line.starts_with('[') { "]" } else { "}" };
        let message = format!("this `{}` is not closed on its line", &line[..1]);
        let found = Diagnostic::error(rule::YAML_SYNTAX, self.char_at(open), message);
        Some(found.help(format!("add the `{closing}`; to go on below, end the line with `,`")))
    }

    /// A line that YAML takes for more of the value above it.
    fn continued(&self) -> Option<Diagnostic> {
        let start = self.line_start();
        let (above, line) =
            (self.source[..start].lines().rfind(|l| !l.trim().is_empty())?, &self.source[start..]);
        let place = above.as_ptr() as usize - self.source.as_ptr() as usize;
        let column = line.len() - line.trim_start_matches(' ').len();
        let key = above.trim_start_matches([' ', '-']);
        let word = key.len() - key.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_').len();
        let after_colon = key[word..].strip_prefix(':')?;
        if word > 0 && after_colon.starts_with(|c: char| !c.is_whitespace()) {
            let at = place + (above.len() - key.len()) + word;
            let found =
                Diagnostic::error(rule::YAML_SYNTAX, self.char_at(at), "a space is missing after this `:`");
            return Some(found.help(format!("write `{}: {}`", &key[..word], after_colon.trim_end())));
        }
        if word > 0 && !after_colon.trim().is_empty() && column > above.len() - key.len() {
            let at = start + column;
            let message = "this line is indented deeper than the key above it, which already has a value";
            let found = Diagnostic::error(rule::YAML_SYNTAX, self.char_at(at), message);
            return Some(found.help("keys of one mapping start in the same column"));
        }
        None
    }

    /// A value that needs quotes and has none.
    fn in_value(&self, kind: &K) -> Option<Diagnostic> {
        Some(match kind {
            K::MappingValueNotAllowed | K::InvalidMappingValueWhitespace | K::InvalidColonPlacement => {
                if let Some(found) = self.continued() {
                    return Some(found);
                }
                let help = match self.value_on_line() {
                    Some(value) => format!("a value with `: ` in it needs quotes: {}", quoted(value)),
                    None => {
                        "write a key and its value as `key: value`; a list item starts with `- `".to_owned()
                    }
                };
                self.say("YAML takes this `:` for the end of a key").help(help)
            }
            K::ExpectedFlowMappingSeparator => self.separator("}"),
            K::ExpectedFlowSequenceSeparator => self.separator("]"),
            K::UnexpectedCharacter { character } => {
                let found = self.say(&format!("a value cannot start with `{}`", character.escape_default()));
                found.help(self.put_in_quotes())
            }
            K::MissingAnchorOrAliasName | K::AnchorCountOverflow => self
                .say("YAML takes `&` and `*` at the start of a value for an anchor and an alias")
                .help(self.put_in_quotes()),
            _ => return None,
        })
    }

    /// In braces or brackets, something follows a value that YAML took for complete.
    fn separator(&self, closing: &str) -> Diagnostic {
        let start = self.last.start as usize;
        let value = intended(self.source, start, true);
        let found = self.say(&format!("the value ends here, but neither `,` nor `{closing}` follows"));
        if self.flow.is_some() && start < self.at && !value.starts_with(['\'', '"']) {
            let form = quoted(value);
            found.help(format!("inside {{}} and [] a value with brackets or `: ` needs quotes: {form}"))
        } else {
            found.help(format!("add the missing `,` or `{closing}`"))
        }
    }

    /// Quotes that are not closed, closed too early, or hold what is no escape.
    fn in_quotes(&self, kind: &K) -> Option<Diagnostic> {
        Some(match kind {
            K::InvalidTrailingSingleQuotedScalar | K::InvalidTrailingDoubleQuotedScalar => {
                let help = match self.quoted_value() {
                    Some(value) => {
                        format!("YAML takes the first quote as its own; quote the whole: {}", quoted(value))
                    }
                    None => "quote the whole value".to_owned(),
                };
                self.say("text follows the closing quote").help(help)
            }
            K::UnclosedQuotedScalar | K::InvalidQuotedScalarIndent | K::DocumentIndicatorInQuotedScalar => {
                let from = self.last.end as usize;
                let quote = self.source.get(from..self.at.max(from)).and_then(|s| s.find(['\'', '"']));
                let open = quote.map_or(self.here(), |i| Span::new(self.file, from + i, from + i + 1));
                Diagnostic::error(rule::YAML_SYNTAX, open, "this quote is never closed").help(
                    "close the quote; inside '…' a quote is written '' and inside \"…\" it is written \\\"",
                )
            }
            K::UnknownQuotedScalarEscape | K::InvalidQuotedScalarHexEscape | K::InvalidUnicodeEscape => self
                .say("inside double quotes `\\` starts an escape, and this is none")
                .help("write `\\\\` for a backslash, or use single quotes"),
            _ => return None,
        })
    }

    /// Indentation, tabs, comments, lines without a key.
    fn in_layout(&self, kind: &K) -> Option<Diagnostic> {
        Some(match kind {
            K::TabNotAllowed
            | K::TabInBlockIndentation
            | K::TabAtBlockScalarStart
            | K::TabInIndentation
            | K::TabInPlainScalar => Diagnostic::error(
                rule::YAML_SYNTAX,
                self.char_at(self.tab()),
                "a tab where YAML wants spaces",
            )
            .help("indent with spaces"),
            K::ExpectedBlockMappingKey
            | K::InvalidIndentation
            | K::ExpectedBlockSequenceEntry
            | K::BlockSequenceEntryNotAllowed
            | K::UnexpectedEofBlockMapping
            | K::UnexpectedEofBlockSequence
            | K::InvalidFlowScalarIndent
            | K::InvalidBlockScalarIndent
            | K::ExpectedDocumentStart => self
                .say("this line does not fit the lines above it")
                .help("keys of one mapping, and the `-` of one list, start in the same column"),
            K::SimpleKeyExpected | K::InvalidSimpleKey => self
                .say("here a key and `:` were expected")
                .help("write `key: value`; text over several lines starts with `key: |`"),
            K::CommentInterceptedScalar => self
                .say("a comment is inside a value that runs over several lines")
                .help("move the comment above the value, or use `|`"),
            _ => return None,
        })
    }

    /// Brackets that do not match.
    fn in_brackets(&self, kind: &K) -> Option<Diagnostic> {
        Some(match kind {
            K::MismatchedFlowCollectionEnd { open, close } => self
                .say(&format!("this `{open}` is closed by `{close}`"))
                .help("close brackets in the order they were opened"),
            K::UnclosedFlowCollection { open } => self
                .say(&format!("this `{open}` is never closed"))
                .help("add the closing bracket, or put the value in quotes"),
            K::MisplacedFlowCollectionEnd => self
                .say("a closing bracket without an opening one")
                .help("remove it, or put the whole value in quotes"),
            _ => return None,
        })
    }

    fn say(&self, message: &str) -> Diagnostic {
        Diagnostic::error(rule::YAML_SYNTAX, self.here(), message)
    }

    fn put_in_quotes(&self) -> String {
        format!("put the value in quotes: {}", quoted(intended(self.source, self.at, self.flow.is_some())))
    }

    fn here(&self) -> Span {
        self.char_at(self.at)
    }

    fn char_at(&self, at: usize) -> Span {
        let width = self.source[at..].chars().next().filter(|c| *c != '\n').map_or(0, char::len_utf8);
        Span::new(self.file, at, at + width)
    }

    fn line_start(&self) -> usize {
        self.source[..self.at].rfind('\n').map_or(0, |i| i + 1)
    }

    /// The value after the first `: ` of the line where the parser stopped.
    fn value_on_line(&self) -> Option<&'s str> {
        let start = self.line_start();
        let colon = self.source[start..].lines().next()?.find(": ")?;
        let rest = &self.source[start + colon + 1..];
        let value = start + colon + 1 + (rest.len() - rest.trim_start_matches([' ', '\t']).len());
        (value < self.at).then(|| intended(self.source, value, false))
    }

    /// The value in quotes after the last key that was read.
    fn quoted_value(&self) -> Option<&'s str> {
        let rest = self.source.get(self.last.end as usize..)?;
        let skip =
            rest.len() - rest.trim_start_matches([':', '-', ',', '[', '{', ' ', '\t', '\r', '\n']).len();
        let value = intended(self.source, self.last.end as usize + skip, self.flow.is_some());
        value.starts_with(['\'', '"']).then_some(value)
    }

    /// The tab the parser complains of: it stops before it or just after it.
    fn tab(&self) -> usize {
        let start = self.line_start();
        let before = self.source[start..self.at].find('\t').map(|i| start + i);
        before.or_else(|| self.source[self.at..].find('\t').map(|i| self.at + i)).unwrap_or(self.at)
    }
}
