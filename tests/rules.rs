//! The registry of rules: sorted, complete, each with a page and a fixture.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use loopwright::diag::rule;

use crate::{check, parts};

/// Rules no file kept here can show: one refuses what is too large to keep, others speak after `check`, when the
/// bound is known, a graph is compiled or runs. All have tests where they are made.
const SHOWN_ELSEWHERE: &[&str] = &[
    "bound-exceeded",
    "denied-flow",
    "failed-run",
    "forbidden-file",
    "long-loop",
    "not-compiled",
    "too-large",
];
/// Rules about other files than graphs; the tests of those files show them.
const OF_OTHER_FILES: &[&str] = &["config-", "scenario-"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// The files of the code.
fn code() -> Vec<PathBuf> {
    parts::code().iter().flat_map(|folder| files(folder)).collect()
}

/// All files of a folder and below it, sorted.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in
        fs::read_dir(folder).expect("the folder is there").map(|e| e.expect("its entries can be read"))
    {
        let path = entry.path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

/// The slug of the rule that a constant of this name stands for.
fn slug_of(constant: &str) -> String {
    constant.to_lowercase().replace('_', "-")
}

/// The rule a fixture is for: the longest slug its name begins with.
pub(crate) fn rule_of(fixture: &str) -> Option<&'static str> {
    let stem = fixture.split('.').next().unwrap_or_default();
    let fits =
        |slug: &&str| stem == *slug || stem.strip_prefix(slug).is_some_and(|rest| rest.starts_with('-'));
    rule::ALL.iter().map(|r| r.slug()).filter(fits).max_by_key(|slug| slug.len())
}

#[test]
fn pages_of_rules_begin_with_their_slugs() {
    for rule in rule::ALL {
        assert!(
            rule.page().starts_with(&format!("# {}\n", rule.slug())),
            "docs/rules/{}.md begins with its slug",
            rule.slug()
        );
        assert!(
            rule.page().contains("```") && rule.page().contains("**Fix it.**"),
            "docs/rules/{}.md shows an example and how to mend it",
            rule.slug()
        );
        assert!(rule.summary().ends_with('.'), "the summary of {} is a sentence", rule.slug());
    }
}

#[test]
fn every_registered_rule_is_used_and_every_page_belongs_to_one() {
    let is_code = |p: &PathBuf| p.extension().is_some_and(|e| e == "rs") && !p.ends_with("diag/rule.rs");
    let sources: Vec<_> = code().into_iter().filter(is_code).collect();
    let text: String = sources.iter().map(|p| fs::read_to_string(p).expect("sources are text")).collect();
    let named = regex::Regex::new(r"rule::([A-Z_]+)").expect("the pattern is one");
    let used: BTreeSet<_> = named.captures_iter(&text).map(|c| slug_of(&c[1])).collect();
    let silent: Vec<_> = rule::ALL.iter().map(|r| r.slug()).filter(|slug| !used.contains(*slug)).collect();
    assert!(silent.is_empty(), "rules nobody uses: {silent:?}");
    for page in files(&root().join("docs/rules")) {
        let slug = page.file_stem().and_then(|s| s.to_str()).expect("pages have plain names").to_owned();
        assert!(rule::named(&slug).is_some(), "docs/rules/{slug}.md belongs to no rule");
    }
}

#[test]
fn rules_without_a_fixture_are_tested_where_they_are_made() {
    let own = Path::new(file!()).file_name();
    let is_test = |path: &PathBuf| {
        let inside = path.strip_prefix(root()).expect("it lies in the folder of the project");
        path.file_name() != own && (inside.iter().any(|part| part == "tests") || path.ends_with("tests.rs"))
    };
    let tests = files(&root().join("tests")).into_iter().chain(code()).filter(is_test);
    let code = tests.filter(|path| path.extension().is_some_and(|e| e == "rs"));
    let text: String = code.map(|path| fs::read_to_string(path).expect("tests are text")).collect();
    for slug in SHOWN_ELSEWHERE {
        assert!(
            text.contains(&format!("\"{slug}\""))
                || text.contains(&format!("[{slug}]"))
                || text.contains(&format!("rule::{}", slug.to_uppercase().replace('-', "_"))),
            "no test names {slug}"
        );
    }
}

#[test]
fn every_rule_has_a_fixture_that_makes_it_speak() {
    let mut shown: BTreeSet<&str> = SHOWN_ELSEWHERE.iter().copied().collect();
    for path in files(&root().join("tests/check")) {
        let name = path.file_name().and_then(|n| n.to_str()).expect("fixtures have plain names");
        let Some(slug) = rule_of(name) else { continue };
        let (checked, said) = check::said(&path);
        assert!(
            checked.findings.iter().any(|f| f.rule.slug() == slug),
            "{name} does not make `{slug}` speak:\n{said}"
        );
        shown.insert(slug);
    }
    let other = |slug: &str| OF_OTHER_FILES.iter().any(|prefix| slug.starts_with(prefix));
    let missing: Vec<_> =
        rule::ALL.iter().map(|r| r.slug()).filter(|slug| !shown.contains(slug) && !other(slug)).collect();
    assert!(missing.is_empty(), "add tests/check/<slug>.yaml for: {missing:?}");
}
