//! `docs/errors.md`: every rule with a file that breaks it and the real message.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use loopwright::diag::rule;

use crate::{check, rules::rule_of};

const OPENING: &str = "\
# What `loopwright check` says

Every rule with a file that breaks it and the real message. This page is made from the files in `tests/check/`:
`LOOPWRIGHT_UPDATE=1 cargo test --locked --test main errors_doc` writes it anew.
";

/// Longer files and messages are cut: the page is to be read.
const LONGEST: usize = 40;

fn fixtures() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/check");
    let entries = fs::read_dir(folder).expect("the fixtures are there");
    let mut found: Vec<_> =
        entries.map(|e| e.expect("its entries can be read").path()).filter(|p| p.is_file()).collect();
    found.sort();
    found
}

fn page() -> String {
    let fixtures = fixtures();
    let mut page = OPENING.to_owned();
    for rule in rule::ALL {
        let _ = write!(page, "\n## {}\n\n{}\n", rule.slug(), rule.summary());
        for path in &fixtures {
            let name = path.file_name().and_then(|n| n.to_str()).expect("fixtures have plain names");
            if rule_of(name) == Some(rule.slug()) {
                page.push_str(&example(name, path));
            }
        }
    }
    page
}

fn example(name: &str, path: &Path) -> String {
    let text = fs::read_to_string(path).expect("fixtures are text");
    let (_, said) = check::said(path);
    let syntax = if path.extension().is_some_and(|e| e == "yaml") { "yaml" } else { "" };
    format!(
        "\n`{name}`\n````{syntax}\n{}````\n````text\n{}````\n",
        shorten(&visible(&text)),
        shorten(said.trim_end())
    )
}

/// Characters that a page cannot show, as escapes.
fn visible(text: &str) -> String {
    let hidden = |c: char| c != '\n' && (c.is_control() || ('\u{200b}'..='\u{202e}').contains(&c));
    text.chars()
        .map(|c| if hidden(c) { format!("<U+{:04X}>", u32::from(c)) } else { c.to_string() })
        .collect()
}

fn shorten(text: &str) -> String {
    let mut short: String =
        text.lines().take(LONGEST).map(|line| line.trim_end().to_owned() + "\n").collect();
    if text.lines().count() > LONGEST {
        short.push_str("…\n");
    }
    short
}

#[test]
fn the_page_of_errors_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/errors.md");
    let page = page();
    if std::env::var_os("LOOPWRIGHT_UPDATE").is_some() {
        fs::write(&path, &page).expect("docs can be written");
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == page,
        "docs/errors.md is stale: run LOOPWRIGHT_UPDATE=1 cargo test --locked --test main errors_doc"
    );
}
