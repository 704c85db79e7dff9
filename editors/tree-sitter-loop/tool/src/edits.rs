//! Edits as editors hand them over: a tree that was brought up to date is the one of the text that came out.

use std::fs;

use tree_sitter::{InputEdit, Point};

use crate::language::parser;

/// Replacements for pieces of texts.
const PUT: [&str; 12] = ["", " ", "\n", "x", "{", "}", "->", "'", "# c\n", ";", "= 1", "when"];

/// Edits of each file, every second one of which undoes the one before.
const EDITS: usize = 400;

/// Changes files and takes the changes back, and holds each tree against that of the whole text.
pub(crate) fn hold(files: &[&str]) -> Result<(), String> {
    let (mut parser, mut state) = (parser()?, 7);
    let mut count = 0;
    for file in files {
        let mut text = fs::read_to_string(file).map_err(|fault| format!("{file}: {fault}"))?;
        let mut tree = parser.parse(&text, None).ok_or("the parser gave up")?;
        for _ in 0..EDITS / 2 {
            let at = text.floor_char_boundary(below(&mut state, text.len()));
            let end = text.ceil_char_boundary((at + below(&mut state, 4)).min(text.len()));
            let (old, put) = (text[at..end].to_owned(), PUT[below(&mut state, PUT.len())]);
            for (from, to) in [(old.as_str(), put), (put, old.as_str())] {
                let edit = replace(&mut text, at, from, to);
                tree.edit(&edit);
                tree = parser.parse(&text, Some(&tree)).ok_or("the parser gave up")?;
                let whole = parser.parse(&text, None).ok_or("the parser gave up")?;
                let (found, wanted) = (tree.root_node(), whole.root_node());
                // Trees of texts with errors may differ: what is left out depends on where the parser began.
                let same = wanted.has_error() || found.to_sexp() == wanted.to_sexp();
                if found.has_error() != wanted.has_error() || !same {
                    return Err(format!("{file}: another tree after {from:?} became {to:?} at byte {at}"));
                }
                count += 1;
            }
        }
    }
    println!("{count} edits");
    if count > 0 { Ok(()) } else { Err("no file is named".to_owned()) }
}

/// Puts a text in the place of another, and says so as the parser wants to be told.
fn replace(text: &mut String, at: usize, from: &str, to: &str) -> InputEdit {
    let (start_position, old_end_position) = (point(text, at), point(text, at + from.len()));
    text.replace_range(at..at + from.len(), to);
    InputEdit {
        start_byte: at,
        old_end_byte: at + from.len(),
        new_end_byte: at + to.len(),
        start_position,
        old_end_position,
        new_end_position: point(text, at + to.len()),
    }
}

fn point(text: &str, at: usize) -> Point {
    let before = &text[..at];
    Point::new(before.matches('\n').count(), at - before.rfind('\n').map_or(0, |line| line + 1))
}

/// A number that looks random and is the same in every run.
fn below(state: &mut u64, limit: usize) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    usize::try_from(*state >> 33).unwrap_or_default() % limit.max(1)
}
