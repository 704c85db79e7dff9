//! One fault, one finding: what only follows from another finding is not said.

use rustc_hash::{FxHashMap, FxHashSet};

use super::unit::Unit;
use crate::diag::{Diagnostic, Rule, Severity, rule};
use crate::source::{FileId, Sources};

/// More places of one unknown name than this are only counted.
const MAX_SHOWN_PLACES: usize = 3;

/// Drops what follows from declarations that could not be read: names that are missing only for that.
pub(super) fn drop_unread(built: &mut Vec<Diagnostic>, units: &[Unit], sources: &Sources) {
    let names: FxHashSet<&str> =
        units.iter().flat_map(|unit| unit.unread().names()).map(String::as_str).collect();
    let unnamed = units.iter().any(|unit| unit.unread().has_unnamed());
    if names.is_empty() && !unnamed {
        return;
    }
    built.retain(|finding| {
        if !is_family(finding.rule, "unknown-") {
            return !(unnamed && is_family(finding.rule, "missing-"));
        }
        let text = sources.slice(finding.span());
        let word = text.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default();
        !unnamed && !names.contains(word)
    });
}

/// Says of a name that is missing in a graph in place, and that the graph around it has, how to hand it over.
pub(super) fn explain_hidden(built: &mut [Diagnostic], units: &[Unit], sources: &Sources) {
    let inner: Vec<_> = units.iter().filter_map(|unit| Some((unit.place()?, unit.hidden()))).collect();
    for finding in built.iter_mut().filter(|f| [rule::UNKNOWN_NAME, rule::UNKNOWN_BUDGET].contains(&f.rule)) {
        let at = finding.span();
        let around = inner
            .iter()
            .filter(|(place, _)| place.file == at.file && place.start <= at.start && at.end <= place.end);
        let Some((_, hidden)) = around.min_by_key(|(place, _)| place.end - place.start) else { continue };
        let name = sources.slice(at);
        if hidden.contains(name) {
            let text = if finding.rule == rule::UNKNOWN_BUDGET {
                format!(
                    "`{name}` belongs to the graph around this one; a called graph has budgets of its own"
                )
            } else {
                format!(
                    "`{name}` belongs to the graph around this one: hand it over with `with`, as an input"
                )
            };
            finding.help = vec![text];
        }
    }
}

/// The slugs of rules that report the same sort of fault begin with the same word.
fn is_family(rule: Rule, prefix: &str) -> bool {
    rule.slug().starts_with(prefix)
}

/// Makes one finding out of several that say the same. The findings are in order of the text.
pub(super) fn merge(findings: &mut Vec<Diagnostic>) {
    // Both the reading and the building may stumble over a value.
    findings.dedup_by(|b, a| a.rule == b.rule && a.span() == b.span());
    swallowed(findings);
    let mut first: FxHashMap<(FileId, Rule, String), usize> = FxHashMap::default();
    let mut places: FxHashMap<usize, usize> = FxHashMap::default();
    let mut distinct: Vec<Diagnostic> = Vec::with_capacity(findings.len());
    for finding in findings.drain(..) {
        if !is_family(finding.rule, "unknown-") {
            distinct.push(finding);
            continue;
        }
        let key = (finding.span().file, finding.rule, finding.message.clone());
        match first.get(&key) {
            None => {
                first.insert(key, distinct.len());
                distinct.push(finding);
            }
            Some(&at) => {
                for (known, own) in distinct[at].suggestions.iter_mut().zip(&finding.suggestions) {
                    known.edits.extend(own.edits.iter().cloned());
                }
                let more = places.entry(at).or_default();
                *more += 1;
                if *more <= MAX_SHOWN_PLACES {
                    distinct[at] = distinct[at].clone().also(finding.span(), "here too");
                }
            }
        }
    }
    for (at, more) in places {
        if more > MAX_SHOWN_PLACES {
            distinct[at].help.push(format!("it occurs at {} more places", more - MAX_SHOWN_PLACES));
        }
    }
    *findings = distinct;
}

/// A text whose quotes YAML took away is no name that is unknown: the one finding says what to write.
fn swallowed(findings: &mut Vec<Diagnostic>) {
    let mut i = 0;
    while i + 1 < findings.len() {
        let (quotes, name) = (&findings[i], &findings[i + 1]);
        let inside = quotes.span().file == name.span().file
            && quotes.span().start <= name.span().start
            && name.span().end <= quotes.span().end;
        if quotes.rule == rule::YAML_QUOTES && name.rule == rule::UNKNOWN_NAME && inside {
            findings[i].severity = Severity::Error;
            findings.remove(i + 1);
        }
        i += 1;
    }
}
