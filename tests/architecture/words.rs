//! Plain words: names that mean one thing, limits that name their subject, comments that begin with what they describe.

use std::collections::{BTreeMap, BTreeSet};

/// Type names that stand three times or more and still wait for a better one. Take names out of this list; add none.
const REPEATED: &[&str] = &["Block", "NodeKind"];

/// The largest share of doc comments that may open with a question word, in thousandths.
const MAX_QUESTIONS_PER_THOUSAND: usize = 5;

/// Words that open a question.
const QUESTION_WORDS: [&str; 9] =
    ["Why ", "How ", "Where ", "Which ", "Whether ", "What ", "Who ", "When ", "Whose "];

/// Words that once had a meaning of their own here, with the plain word for it. As a part of a name none of them comes back.
const PRIVATE_WORDS: &[(&str, &str)] = &[
    ("behind", "after, following"),
    ("came", "arrived, the thing that arrived"),
    ("coming", "next, queued"),
    ("desk", "console, queue"),
    ("doubt", "uncertain"),
    ("doubts", "uncertain_calls"),
    ("drift", "difference, divergence"),
    ("echo", "replay_check"),
    ("kept", "stored, retained, recorded"),
    ("lack", "missing"),
    ("laying", "builder"),
    ("miss", "error, failed_attempt"),
    ("nobody", "unattended, default"),
    ("rough", "summary, abridged"),
    ("said", "reported, message, text"),
    ("spoilt", "partial, faulty"),
    ("spoken", "encoded"),
    ("spot", "position"),
    ("standing", "cached, properties_of"),
    ("stretch", "entry, range"),
    ("tenure", "lease_state"),
    ("told", "reported, described, rendered"),
    ("torn", "ends_in_text"),
    ("vain", "unbounding"),
    ("way", "path, choice, mode"),
    ("ways", "paths, alternatives, control-flow graph"),
];

/// A name of more parts is a sentence: the name of a test. It may use any word.
const MAX_NAME_PARTS: usize = 4;

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

/// The code of a text: comments, strings and characters are left out.
fn code(text: &str) -> String {
    let mut code = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['/', '"', '\'']) {
        code.push_str(&rest[..at]);
        rest = &rest[at..];
        let raw = code.trim_end_matches('#');
        let hashes = "#".repeat(code.len() - raw.len());
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with('"') && raw.ends_with('r') {
            rest[1..].find(&format!("\"{hashes}")).map_or(rest.len(), |end| end + 2 + hashes.len())
        } else if rest.starts_with('"') {
            literal(rest, '"').unwrap_or(rest.len())
        } else if rest.starts_with('\'') {
            // Without an end near by it is a lifetime.
            literal(rest, '\'')
                .filter(|end| rest[1..*end].starts_with('\\') || rest[..*end].chars().count() == 3)
                .unwrap_or(1)
        } else {
            1
        };
        rest = &rest[length..];
        code.push(' ');
    }
    code + rest
}

/// The length of a literal between these quotes, with them.
fn literal(text: &str, quote: char) -> Option<usize> {
    let mut escaped = true;
    let end = text.find(|c: char| {
        let ends = c == quote && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    Some(end? + 1)
}

/// The parts of a name in small letters: of `StoredRun` and `stored_run` they are `stored` and `run`.
fn name_parts(name: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut starts = true;
    let is_constant = !name.contains(char::is_lowercase);
    for c in name.chars() {
        match (c, parts.last_mut()) {
            ('_', _) => starts = true,
            (c, Some(part)) if !starts && (is_constant || !c.is_uppercase()) => {
                part.push(c.to_ascii_lowercase());
            }
            (c, _) => {
                parts.push(c.to_lowercase().collect());
                starts = false;
            }
        }
    }
    parts
}

/// The names in the code of a text that have a private word as a part.
fn private_names(text: &str) -> BTreeSet<String> {
    let code = code(text);
    let names = code.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|name| {
        let parts = name_parts(name);
        let is_private = |part: &String| PRIVATE_WORDS.iter().any(|(word, _)| part == word);
        parts.len() <= MAX_NAME_PARTS && parts.iter().any(is_private)
    });
    names.map(str::to_owned).collect()
}

#[test]
fn private_words_are_no_names() {
    let sources = super::sources();
    let found: Vec<_> = sources
        .iter()
        .flat_map(|(_, path, text)| {
            private_names(text).into_iter().map(move |name| format!("{}: {name}", path.display()))
        })
        .collect();
    let plain = |(word, plain): &(&str, &str)| format!("{word} ({plain})");
    let words: Vec<_> = PRIVATE_WORDS.iter().map(plain).collect();
    assert!(found.is_empty(), "use plain words for {}:\n{}", words.join(", "), found.join("\n"));

    let planted = r##"let told = 'x'; struct KeptRun<'way>; /* */ fn pick_way() { "it said"; r#"doubt"#; '\'' } // nobody
        const MOST_WAYS: u8 = b'"'; fn a_line_that_was_told_last() {} runaway keptness"##;
    assert_eq!(
        private_names(planted),
        ["KeptRun", "MOST_WAYS", "pick_way", "told", "way"].map(str::to_owned).into()
    );
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
