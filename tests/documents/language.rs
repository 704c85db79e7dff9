//! The reference of the language: nothing stands in it that is not run.
//!
//! Besides commands and the files they use, its pages have blocks that begin with three backticks and `expr`. A line holds an
//! expression and what becomes of it:
//!
//! ```text
//! state:
//!   note: string?
//!
//! note ?? 'none'  # => 'none'
//! 1 / 0           # fails: evaluation
//! 1 + 'a'         # refused: type-mismatch
//! ```
//!
//! What stands before an empty line are sections of the graph that the expressions belong to.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use super::named_file;
use crate::functions::{Came, work_out};

/// The folder of the reference.
pub(super) const FOLDER: &str = "docs/reference/language";

/// The folder of the book's pages that are printed or run.
pub(super) const BOOK: &str = "docs/reference";

/// A fenced block of a page: the line it begins on, the word behind its backticks, and its lines.
struct Fenced<'t> {
    line: usize,
    kind: &'t str,
    body: Vec<&'t str>,
}

fn pages() -> Vec<(PathBuf, String)> {
    let folders = [BOOK, FOLDER].map(|folder| Path::new(env!("CARGO_MANIFEST_DIR")).join(folder));
    let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).expect("the reference is there"));
    let mut pages: Vec<_> = entries
        .map(|entry| entry.expect("its entries can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .map(|path| (path.clone(), fs::read_to_string(path).expect("a page can be read")))
        .collect();
    pages.sort();
    pages
}

fn fenced(text: &str) -> Vec<Fenced<'_>> {
    let mut found: Vec<Fenced<'_>> = Vec::new();
    let mut inside = false;
    for (at, line) in text.lines().enumerate() {
        match line.strip_prefix("```") {
            Some(kind) if !inside => found.push(Fenced { line: at + 1, kind, body: Vec::new() }),
            None if inside => found.last_mut().expect("a block was begun").body.push(line),
            _ => {}
        }
        inside ^= line.starts_with("```");
    }
    found
}

/// The fault of a block, or [`None`].
fn fault(block: &Fenced<'_>, commands: &str) -> Option<String> {
    match block.kind {
        "console" => None,
        "expr" => examples(&block.body).err(),
        "yaml" | "loop" => match block.body.first().and_then(|line| named_file(line)) {
            Some(name) if commands.contains(name) => None,
            Some(name) => Some(format!("no command and no file uses {name}")),
            None => Some("its first line must name its file: `# loop.yaml`".to_owned()),
        },
        other => Some(format!("nothing runs a block of the kind `{other}`")),
    }
}

/// Works out each line of a block of expressions.
fn examples(lines: &[&str]) -> Result<usize, String> {
    let declared = match lines.iter().position(|line| line.is_empty()) {
        Some(at) if !lines[0].contains(" # ") => at,
        _ => 0,
    };
    let (sections, lines) = lines.split_at(declared);
    let sections: String = sections.iter().flat_map(|line| [*line, "\n"]).collect();
    let mut count = 0;
    for line in lines.iter().filter(|line| !line.is_empty()) {
        example(&sections, line)?;
        count += 1;
    }
    if count == 0 { Err("it has no expression".to_owned()) } else { Ok(count) }
}

fn example(sections: &str, line: &str) -> Result<(), String> {
    let marks = [" # => ", " # fails: ", " # refused: "];
    let at =
        marks.iter().find_map(|mark| line.find(mark)).ok_or_else(|| format!("`{line}` says no result"))?;
    let (expression, wanted) = (line[..at].trim(), &line[at + 3..]);
    let came = match wanted.strip_prefix("=> ") {
        Some(value) => work_out(sections, &[expression, value]),
        None => work_out(sections, &[expression]),
    };
    let real = match &came {
        // The debug form tells an int from a float.
        Came::To(values) if values.len() == 2 && format!("{:?}", values[0]) == format!("{:?}", values[1]) => {
            return Ok(());
        }
        Came::To(values) => format!("=> {:?}", values[0]),
        Came::Failed(kind) => format!("fails: {kind}"),
        Came::Refused(rules) => format!("refused: {}", rules.join(", ")),
    };
    if real == wanted {
        Ok(())
    } else {
        Err(format!("`{expression}`\n  page:    {wanted}\n  program: {real}"))
    }
}

#[test]
fn every_block_of_the_reference_is_run_and_true() {
    let mut wrong = String::new();
    let mut expressions = 0;
    for (path, text) in pages() {
        let blocks = fenced(&text);
        let uses = |block: &Fenced<'_>| usize::from(block.kind != "console");
        let commands: String = blocks
            .iter()
            .filter(|b| b.kind != "expr")
            .flat_map(|b| b.body.iter().skip(uses(b)))
            .copied()
            .collect();
        for block in &blocks {
            expressions += if block.kind == "expr" { block.body.len() } else { 0 };
            if let Some(fault) = fault(block, &commands) {
                let _ = writeln!(wrong, "{}:{}: {fault}", path.display(), block.line);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(expressions > 100, "the reference has only {expressions} lines of expressions");
}

#[test]
fn a_block_that_is_not_true_is_found() {
    let said = |text: &str| fault(&fenced(text)[0], "$ loopwright check used.yaml");
    assert_eq!(said("```expr\n1 + 1  # => 2\n```"), None);
    assert_eq!(said("```expr\nstate:\n  a: int = 4\n\na  # => 4\n```"), None);
    assert_eq!(said("```expr\n1 / 0  # fails: evaluation\n1 + 'a'  # refused: type-mismatch\n```"), None);
    assert_eq!(said("```yaml\n# used.yaml\n```"), None);
    for wrong in [
        "```expr\n1 + 1  # => 3\n```",
        "```expr\n1 + 1  # => 2.0\n```",
        "```expr\n1 + 1  # fails: evaluation\n```",
        "```expr\n1 / 0  # fails: too_large\n```",
        "```expr\n1 + 1\n```",
        "```expr\n```",
        "```yaml\ngraph: a\n```",
        "```yaml\n# unused.yaml\n```",
        "```text\nsomething\n```",
        "```\nsomething\n```",
    ] {
        assert!(said(wrong).is_some(), "{wrong}");
    }
}
