//! Texts without quotes that YAML files have where a value is one word.

use crate::diag::{Diagnostic, EditKind, SuggestedEdit, rule};
use crate::source::{Sources, Span};
use crate::syntax::Syntax;

/// An unknown name that is the whole value of a key in YAML: a text there needs two kinds of quotes, and the help has them, ready to
/// be pasted.
pub(super) fn quote(findings: &mut [Diagnostic], sources: &Sources) {
    for finding in findings.iter_mut().filter(|finding| finding.rule == rule::UNKNOWN_NAME) {
        let span = finding.span();
        let name = sources.slice(span);
        let (bare, quoted) = (format!("'{name}'"), format!("\"'{name}'\""));
        let is_offered = finding.help.iter().any(|help| help.contains(&bare));
        if !is_offered || !is_whole_value(span, sources) {
            continue;
        }
        for help in &mut finding.help {
            *help = help.replace(&bare, &quoted);
        }
        let edit = SuggestedEdit { span, text: quoted.clone(), kind: EditKind::Text };
        *finding = finding.clone().suggestion(format!("write the text {quoted}"), vec![edit]);
    }
}

/// True where a name is all that a key of a YAML file has for a value.
fn is_whole_value(span: Span, sources: &Sources) -> bool {
    if Syntax::of(sources.name(span.file)) != Syntax::Yaml {
        return false;
    }
    let text = sources.text(span.file);
    let (start, end) = (span.start as usize, span.end as usize);
    let (Some(before), Some(after)) = (text.get(..start), text.get(end..)) else { return false };
    let line = before.rsplit('\n').next().unwrap_or_default();
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_key = line.strip_suffix(' ').map(str::trim_end).and_then(|line| line.strip_suffix(':'));
    let is_key = is_key.is_some_and(|key| key.ends_with(is_word));
    let rest = after.split('\n').next().unwrap_or_default().trim_start();
    is_key && (rest.is_empty() || rest.starts_with(['}', ',', '#', '\r']))
}
