//! `grammar.js` to `src/`.

use std::fs;
use std::path::Path;

use tree_sitter_generate::{OptLevel, generate_parser_in_directory};

use crate::language::folder;

/// The version of the tables. The oldest that is generated is read by the most editors, Neovim 0.7 among them.
const ABI: usize = 14;

const FILES: [&str; 6] = [
    "grammar.json",
    "node-types.json",
    "parser.c",
    "tree_sitter/alloc.h",
    "tree_sitter/array.h",
    "tree_sitter/parser.h",
];

/// Writes `src/` anew.
pub(crate) fn write() -> Result<(), String> {
    into(&folder().join("src"))
}

/// Says whether `src/` is what the grammar gives.
pub(crate) fn check() -> Result<(), String> {
    let made = std::env::temp_dir().join(format!("tree-sitter-loop-{}", std::process::id()));
    let same = into(&made).and_then(|()| {
        let stale = FILES.iter().find(|file| !is_same(&made.join(file), &folder().join("src").join(file)));
        stale.map_or(Ok(()), |file| Err(format!("src/{file} is not what grammar.js gives: run `generate`")))
    });
    // What is left there does no harm.
    let _ = fs::remove_dir_all(&made);
    same
}

fn is_same(made: &Path, stored: &Path) -> bool {
    matches!((fs::read(made), fs::read(stored)), (Ok(made), Ok(stored)) if made == stored)
}

fn into(source: &Path) -> Result<(), String> {
    let mut notes = Vec::new();
    let grammar = folder();
    generate_parser_in_directory(
        &grammar,
        Some(source),
        None::<&Path>,
        ABI,
        None,
        Some("node"),
        true,
        OptLevel::default(),
        &mut notes,
    )
    .map_err(|fault| fault.to_string())?;
    notes.first().map_or(Ok(()), |note| Err(note.to_string()))
}
