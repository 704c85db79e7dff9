//! Texts in the loop DSL: all that the repository has, and changed ones.

use std::fs;
use std::path::Path;

use regex::Regex;

use crate::dice::Dice;
use crate::expr::shipped::graphs;
use crate::loop_dsl::{fixture, root};
use crate::loop_grammar::{PUT, accepted, cases};

/// Signs and words that are put into lines, besides those of the repository's own texts.
const SIGNS: [&str; 14] = ["'", "\"", "'''", "\\", "#", "\n", " ", ";", "->", "in", "=", ".", "0x", "é"];

/// Files, fixtures and shown examples, also the broken ones, and every graph that is written in YAML.
pub(super) fn all() -> Vec<String> {
    let mut texts = Vec::new();
    for folder in ["graphs", "tests", "docs", "grammar", "examples", "fuzz/corpus/loop_dsl"] {
        read(&root().join(folder), &mut texts);
    }
    texts.extend(graphs());
    texts.extend(accepted());
    texts.extend(["accepted.txt", "refused.txt"].iter().flat_map(|name| cases(&fixture(name))));
    let faults = format!("\n{}", fixture("faults.txt"));
    texts.extend(faults.split("\n== ").filter_map(|case| Some(case.split_once('\n')?.1.to_owned())));
    texts.sort();
    texts.dedup();
    texts
}

fn read(folder: &Path, texts: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("the folder can be listed") {
        let path = entry.expect("its entries can be read").path();
        let end = path.extension().unwrap_or_default();
        if path.is_dir() {
            read(&path, texts);
        } else if end == "loop" || folder.ends_with("loop_dsl") {
            texts.extend(String::from_utf8(fs::read(&path).expect("the file can be read")));
        } else if end == "md" {
            let page = fs::read_to_string(&path).expect("the page can be read");
            let shown = page.split("```loop\n").skip(1).filter_map(|rest| rest.split("```").next());
            texts.extend(shown.map(str::to_owned));
        }
    }
}

/// A text with some of its tokens, one of its lines, or some of its characters changed.
pub(super) fn changed(text: &str, tokens: &Regex, dice: &mut Dice) -> String {
    match dice.below(4) {
        0 => lines(text, dice),
        1 => characters(text, dice),
        _ => dice.changed(text, tokens, &PUT),
    }
}

/// A line lost, doubled, moved or joined with the next.
fn lines(text: &str, dice: &mut Dice) -> String {
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    if lines.len() < 2 {
        return text.to_owned();
    }
    let (at, other) = (dice.below(lines.len()), dice.below(lines.len()));
    match dice.below(4) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(other, lines[at]),
        2 => lines.swap(at, other),
        _ => lines[at] = lines[at].trim_end_matches('\n'),
    }
    lines.concat()
}

/// Up to two characters lost, doubled, or something put before them.
fn characters(text: &str, dice: &mut Dice) -> String {
    let mut parts: Vec<String> = text.chars().map(String::from).collect();
    for _ in 0..=dice.below(2) {
        if parts.is_empty() {
            break;
        }
        let at = dice.below(parts.len());
        match dice.below(3) {
            0 => drop(parts.remove(at)),
            1 => parts.insert(at, parts[at].clone()),
            _ => parts.insert(at, SIGNS[dice.below(SIGNS.len())].to_owned()),
        }
    }
    parts.concat()
}
