//! Named things with facts about them, compared by name.

use rustc_hash::FxHashMap;

use super::change::Draft;
use super::order::moved;
use super::piece::{DraftSide, TextPiece};
use crate::source::Span;

/// One thing that is known of an item.
#[derive(Debug, Clone)]
pub(super) struct ItemFact {
    /// Its path below the item's, such as `limit`; may be empty.
    pub(super) key: String,
    /// The kind of change if it differs.
    pub(super) slug: &'static str,
    pub(super) abridged: DraftSide,
    /// The parts, if their order means nothing; [`None`] elsewhere.
    pub(super) parts: Option<Vec<String>>,
}

impl ItemFact {
    pub(super) fn of(key: &str, slug: &'static str, abridged: DraftSide) -> Self {
        Self { key: key.to_owned(), slug, abridged, parts: None }
    }

    pub(super) fn plain(
        key: impl Into<String>,
        slug: &'static str,
        text: impl Into<String>,
        span: Span,
    ) -> Self {
        Self { key: key.into(), slug, abridged: DraftSide::plain(text.into(), span), parts: None }
    }

    pub(super) fn list(key: impl Into<String>, slug: &'static str, parts: Vec<String>, span: Span) -> Self {
        let mut fact = Self::plain(key, slug, parts.join(", "), span);
        fact.parts = Some(parts);
        fact
    }
}

/// Something with a name.
#[derive(Debug, Clone)]
pub(super) struct DiffItem {
    /// The name by which it is found in the other version.
    pub(super) name: String,
    pub(super) path: String,
    /// In words: ``budget `rounds` ``.
    pub(super) owner: String,
    pub(super) span: Span,
    pub(super) facts: Vec<ItemFact>,
}

/// A list of items, and the names of its changes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Section<'s> {
    /// `budgets`
    pub(super) path: &'s str,
    pub(super) added: &'static str,
    pub(super) removed: &'static str,
    /// The kind of change if only the order differs.
    pub(super) order: Option<&'static str>,
    /// In words, for the order: `budgets`.
    pub(super) noun: &'s str,
}

/// Compares two lists of items: what is gone, what differs, what is new, what is elsewhere.
pub(super) fn compare(before: &[DiffItem], after: &[DiffItem], section: Section<'_>, out: &mut Vec<Draft>) {
    let places: FxHashMap<&str, usize> =
        (0..).zip(after).map(|(at, item)| (item.name.as_str(), at)).collect();
    let mut matched = Vec::new();
    let mut found = vec![false; after.len()];
    for (at, item) in before.iter().enumerate() {
        match places.get(item.name.as_str()) {
            Some(other) => {
                found[*other] = true;
                matched.push((at, *other));
                facts(item, &item.facts, &after[*other].facts, out);
            }
            None => out.push(whole(section.removed, item, true)),
        }
    }
    let new = after.iter().zip(found).filter(|(_, found)| !found);
    out.extend(new.map(|(item, _)| whole(section.added, item, false)));
    if let Some(slug) = section.order {
        order(before, after, &matched, section, slug, out);
    }
}

/// An item that is there in one version only.
pub(super) fn whole(slug: &'static str, item: &DiffItem, is_before: bool) -> Draft {
    let abridged = summary(&item.facts, item.span);
    let (before, after) = if is_before { (Some(abridged), None) } else { (None, Some(abridged)) };
    Draft::new(slug, item.path.clone(), item.owner.clone(), before, after)
}

/// All facts: a field and a budget on one line as they are declared, others one a line; a single one without its key.
fn summary(facts: &[ItemFact], span: Span) -> DraftSide {
    let first = facts.first().map_or("", |fact| fact.key.as_str());
    let single = facts.iter().filter(|fact| !fact.key.is_empty()).count() <= 1;
    let mut pieces = Vec::new();
    for (at, fact) in facts.iter().enumerate() {
        let block = matches!(fact.abridged.written.as_slice(), [TextPiece::Statements(_)]);
        let lead = match (first, fact.key.as_str()) {
            (_, "type" | "") if at == 0 => String::new(),
            ("type", "default") => " = ".to_owned(),
            ("type", key) => format!(" {key} "),
            ("limit", "limit") => String::new(),
            ("limit", key) => format!(", {key} "),
            (_, "") => "\n".to_owned(),
            (_, key) => {
                let line = if at == 0 { "" } else { "\n" };
                let key =
                    if single { String::new() } else { format!("{key}:{}", if block { "\n" } else { " " }) };
                format!("{line}{key}")
            }
        };
        if !lead.is_empty() {
            pieces.push(TextPiece::Word(lead));
        }
        pieces.push(TextPiece::Part(fact.abridged.clone()));
    }
    let meaning = pieces.iter().map(|piece| match piece {
        TextPiece::Word(word) => word.as_str(),
        TextPiece::Part(part) => part.meaning.as_str(),
        _ => "",
    });
    DraftSide { meaning: meaning.collect(), written: pieces, span }
}

/// Compares facts about one item by their keys.
pub(super) fn facts(item: &DiffItem, before: &[ItemFact], after: &[ItemFact], out: &mut Vec<Draft>) {
    let by_key = |facts: &'_ [ItemFact]| -> FxHashMap<String, usize> {
        facts.iter().enumerate().map(|(at, fact)| (fact.key.clone(), at)).collect()
    };
    let (old, new) = (by_key(before), by_key(after));
    for fact in before {
        let other = new.get(&fact.key).map(|at| &after[*at]);
        if other.is_none_or(|other| other.abridged.meaning != fact.abridged.meaning) {
            out.push(difference(item, Some(fact), other));
        }
    }
    let added = after.iter().filter(|fact| !old.contains_key(&fact.key));
    out.extend(added.map(|fact| difference(item, None, Some(fact))));
}

fn difference(item: &DiffItem, before: Option<&ItemFact>, after: Option<&ItemFact>) -> Draft {
    let fact = before.or(after).expect("one of them is there");
    let dot = if item.path.is_empty() || fact.key.is_empty() { "" } else { "." };
    let path = format!("{}{dot}{}", item.path, fact.key);
    let reordered = before.zip(after).is_some_and(|(one, other)| same_parts(one, other));
    let slug = if reordered { "order-changed" } else { fact.slug };
    let abridged = |fact: Option<&ItemFact>| fact.map(|fact| fact.abridged.clone());
    let mut draft = Draft::new(slug, path, item.owner.clone(), abridged(before), abridged(after));
    if reordered {
        draft.noun = format!("order of `{}`", fact.key);
    } else if fact.key.contains('.') {
        draft.noun = format!("`{}`", fact.key);
    }
    draft
}

fn same_parts(one: &ItemFact, other: &ItemFact) -> bool {
    let sorted = |fact: &ItemFact| {
        let mut parts = fact.parts.clone()?;
        parts.sort_unstable();
        Some(parts)
    };
    sorted(one).is_some_and(|parts| Some(parts) == sorted(other))
}

/// The change of order, as one change.
fn order(
    before: &[DiffItem],
    after: &[DiffItem],
    matched: &[(usize, usize)],
    section: Section<'_>,
    slug: &'static str,
    out: &mut Vec<Draft>,
) {
    let positions: Vec<usize> = matched.iter().map(|(_, other)| *other).collect();
    let moved = moved(&positions);
    let Some(first) = moved.first() else { return };
    let (at, other) = matched[*first];
    let name = |item: &DiffItem| item.name.rsplit('.').next().unwrap_or_default().to_owned();
    let list = |items: Vec<&DiffItem>| items.into_iter().map(name).collect::<Vec<_>>().join(", ");
    let mut sorted = positions;
    sorted.sort_unstable();
    let one = list(matched.iter().map(|(at, _)| &before[*at]).collect());
    let two = list(sorted.iter().map(|at| &after[*at]).collect());
    let (one, two) = (DraftSide::plain(one, before[at].span), DraftSide::plain(two, after[other].span));
    out.push(Draft::new(slug, section.path, section.noun, Some(one), Some(two)));
}
