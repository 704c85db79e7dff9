//! Plain words: names that mean one thing, limits that name their subject, comments that begin with what they describe.

use std::collections::BTreeMap;

/// Type names that stand three times or more and still wait for a better one. Take names out of this list; add none.
const REPEATED: &[&str] = &[
    "Args",
    "Block",
    "Declared",
    "Entry",
    "Fault",
    "Field",
    "Kind",
    "Lines",
    "Meter",
    "NodeKind",
    "Note",
    "Part",
    "Place",
    "Reader",
    "State",
    "Statement",
    "Stop",
];

/// The largest share of doc comments that may open with a question word, in thousandths.
const MAX_QUESTIONS_PER_THOUSAND: usize = 48;

/// Words that open a question.
const QUESTION_WORDS: [&str; 9] =
    ["Why ", "How ", "Where ", "Which ", "Whether ", "What ", "Who ", "When ", "Whose "];

/// The name after one of these words at the head of a declaration.
fn declared<'t>(line: &'t str, keywords: &[&str]) -> Option<&'t str> {
    let mut rest = line.trim_start();
    if let Some(after) = rest.strip_prefix("pub") {
        rest = match after.strip_prefix('(') {
            Some(scope) => scope.split_once(')')?.1.trim_start(),
            None => after.strip_prefix(' ')?,
        };
    }
    let rest = keywords.iter().find_map(|keyword| rest.strip_prefix(keyword)?.strip_prefix(' '))?;
    Some(rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or(rest))
}

/// Type names that are declared three times or more, with their number.
fn repeated<'t>(texts: impl Iterator<Item = &'t str>) -> BTreeMap<&'t str, usize> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for line in texts.flat_map(str::lines) {
        // An indented `type` is an associated type: its name is the trait's.
        let associated = line.starts_with(' ') && line.trim_start().starts_with("type ");
        if let Some(name) = declared(line, &["struct", "enum", "trait", "type", "union"])
            && !associated
        {
            *counts.entry(name).or_default() += 1;
        }
    }
    counts.retain(|_, count| *count >= 3);
    counts
}

/// The number of doc comments, and of those that open with a question word.
fn questions<'t>(texts: impl Iterator<Item = &'t str>) -> (usize, usize) {
    let (mut all, mut asking) = (0, 0);
    for text in texts {
        let mut inside = false;
        for line in text.lines().map(str::trim_start) {
            let comment = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
            if let Some(comment) = comment
                && !inside
            {
                all += 1;
                asking +=
                    usize::from(QUESTION_WORDS.iter().any(|word| comment.trim_start().starts_with(word)));
            }
            inside = comment.is_some();
        }
    }
    (all, asking)
}

#[test]
fn type_names_mean_one_thing() {
    let sources = super::sources();
    let found = repeated(sources.iter().map(|(_, _, text)| text.as_str()));
    let new: Vec<_> = found.iter().filter(|(name, _)| !REPEATED.contains(name)).collect();
    assert!(new.is_empty(), "types of these names stand three times or more: give each a prefix: {new:?}");
    let stale: Vec<_> = REPEATED.iter().filter(|name| !found.contains_key(**name)).collect();
    assert!(
        stale.is_empty(),
        "these names stand less than three times now: take them out of the list: {stale:?}"
    );

    let planted = "struct Odd;\npub(super) enum Odd {\n    pub type Odd<T> = u8;\ntype Own = u8;\n";
    assert_eq!(repeated([planted, "trait Odd {"].into_iter()), BTreeMap::from([("Odd", 4)]));
}

#[test]
fn limits_name_their_subject() {
    let sources = super::sources();
    let is_bare = |line: &str| declared(line, &["const"]) == Some("MOST");
    let bare: Vec<_> = sources
        .iter()
        .filter(|(_, _, text)| text.lines().any(is_bare))
        .map(|(_, path, _)| path.display().to_string())
        .collect();
    assert!(bare.is_empty(), "write `MAX_SUBJECT_UNIT` for `MOST` in {bare:?}");
    assert!(is_bare("    pub const MOST: usize = 3;") && !is_bare("const MOST_LINES: usize = 3;"));
}

#[test]
fn doc_comments_begin_with_what_they_describe() {
    let sources = super::sources();
    let (all, asking) = questions(sources.iter().map(|(_, _, text)| text.as_str()));
    assert!(
        asking * 1000 <= all * MAX_QUESTIONS_PER_THOUSAND,
        "{asking} of {all} doc comments open with a question word, at most {MAX_QUESTIONS_PER_THOUSAND} of 1,000 may: \
         begin with a noun or a verb"
    );
    let planted = "/// Whether it holds.\n/// What else.\nfn a() {}\n//! Facts.\n";
    assert_eq!(questions([planted].into_iter()), (2, 1));
}
