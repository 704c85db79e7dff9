//! One fault, one finding: a good graph, broken in one place at a time, in every way people break graphs.
//!
//! `one_fault/cases.diff` holds the ways: a name, and the change to `one_fault/base.yaml`.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use loopwright::check::{Checked, check_file};
use loopwright::diag::text;
use loopwright::model::Loader;
use loopwright::source::Sources;

/// The broken graph under a name of its own; called graphs come from the fixtures of `check`.
struct Case<'a> {
    name: &'a str,
    text: &'a str,
}

impl Loader for Case<'_> {
    fn load(
        &mut self,
        _: Option<&str>,
        path: &str,
    ) -> Result<(String, String), loopwright::model::LoadError> {
        if path == self.name {
            return Ok((path.to_owned(), self.text.to_owned()));
        }
        let read = fs::read_to_string(folder().join("check").join(path));
        read.map(|text| (path.to_owned(), text)).map_err(|_| "there is no such file".into())
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

fn read(name: &str) -> String {
    fs::read_to_string(folder().join("one_fault").join(name)).expect("the fixture can be read")
}

fn check(name: &str, text: &str) -> (Checked, String) {
    let mut sources = Sources::new();
    let checked = check_file(&mut sources, &mut Case { name, text }, name);
    let said = text::render(&checked.findings, &sources, false);
    (checked, said)
}

/// The base with the hunks of a case put in: each names its old lines, which stand there once.
fn broken(base: &str, name: &str, hunks: &str) -> String {
    let mut text = base.to_owned();
    for hunk in hunks.split("@@\n").filter(|hunk| !hunk.is_empty()) {
        let side = |other: char| -> String {
            let own = hunk.lines().filter(|line| !line.starts_with(other));
            own.map(|line| line.get(1..).unwrap_or_default().to_owned() + "\n").collect()
        };
        let (old, new) = (side('+'), side('-'));
        assert_eq!(text.matches(&old).count(), 1, "{name}: these lines stand in the base once:\n{old}");
        text = text.replacen(&old, &new, 1);
    }
    text
}

#[test]
fn the_graph_that_is_broken_is_good() {
    let (checked, said) = check("base.yaml", &read("base.yaml"));
    assert!(checked.is_sound() && said.is_empty(), "{said}");
}

#[test]
fn one_fault_gives_one_finding() {
    let (base, cases) = (read("base.yaml"), read("cases.diff"));
    let (mut all, mut wrong, mut count) = (String::new(), String::new(), 0);
    for case in format!("\n{cases}").split("\n== ").skip(1) {
        let (name, hunks) = case.split_once('\n').expect("a case has a name and a change");
        let (checked, said) = check(&format!("{name}.yaml"), &broken(&base, name, hunks));
        if checked.findings.len() != 1 {
            let _ = writeln!(wrong, "{name}: {} findings\n{said}", checked.findings.len());
        }
        let _ = writeln!(all, "== {name}\n{}\n", said.trim_end());
        count += 1;
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(count > 200, "only {count} cases");
    insta::assert_snapshot!(all);
}
