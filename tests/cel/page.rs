//! The page `docs/cel-conformance.md`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use super::Counts;
use super::scope::Reason;

const HEAD: &str = "\
# Conformance with CEL

Expressions are a statically typed subset of the [Common Expression Language](https://cel.dev). The public *simple*
conformance tests of [cel-spec](https://github.com/google/cel-spec) are run by the test `golden_cel_simple`; this page
is written by it. **Every test inside the subset passes.** A test that wants an error also passes when the checker
refuses the expression before it runs. The other tests use something this language leaves out; they are counted by the
first reason that applies. No test is excluded by its name.

The type of a value has the name this language has for it: `float` where CEL says `double`, `null` where it says
`null_type`, `duration` where it says `google.protobuf.Duration`.

";

/// The page for these counts.
pub(super) fn page(files: &[(String, Counts)], examples: &BTreeMap<Reason, String>, total: usize) -> String {
    let mut out = HEAD.to_owned();
    let passed: usize = files.iter().map(|(_, c)| c.passed).sum();
    let mut outside: BTreeMap<Reason, usize> = BTreeMap::new();
    for (reason, count) in files.iter().flat_map(|(_, c)| &c.outside) {
        *outside.entry(reason).or_default() += count;
    }
    let left_out: usize = outside.values().sum();
    writeln!(out, "| tests | |\n|---|---:|\n| all | {total} |\n| passed | {passed} |\n| outside the subset | {left_out} |\n")
        .expect("a string takes any text");
    out.push_str("## What is left out\n\n| reason | tests | for example |\n|---|---:|---|\n");
    let mut reasons: Vec<(&Reason, &usize)> = outside.iter().collect();
    reasons.sort_by_key(|(reason, count)| (std::cmp::Reverse(**count), **reason));
    for (reason, count) in reasons {
        writeln!(out, "| {reason} | {count} | {} |", code(&examples[reason]))
            .expect("a string takes any text");
    }
    out.push_str("\n## By file\n\n| file | passed | outside |\n|---|---:|---:|\n");
    for (name, counts) in files {
        writeln!(out, "| {name} | {} | {} |", counts.passed, counts.outside.values().sum::<usize>())
            .expect("a string takes any text");
    }
    out
}

/// A text as code inside a table.
fn code(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|");
    if line.contains('`') { format!("`` {line} ``") } else { format!("`{line}`") }
}

/// Compares the page with the one in `docs/`, or writes it where `LOOPWRIGHT_UPDATE` is set.
pub(super) fn keep_current(page: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/cel-conformance.md");
    if std::env::var_os("LOOPWRIGHT_UPDATE").is_some() {
        std::fs::write(&path, page).expect("the page can be written");
    }
    let present = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(
        present, page,
        "docs/cel-conformance.md is out of date: run the tests with LOOPWRIGHT_UPDATE=1"
    );
}
