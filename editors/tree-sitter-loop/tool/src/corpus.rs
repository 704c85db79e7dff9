//! `test/corpus` in the form that tree-sitter's own tools read: a name between two lines of `=`, a text, a line of `-`, and the
//! tree of the text. A case with `:error` after its name has an error in it.

use std::fmt::Write as _;
use std::fs;

use crate::language::{folder, parser};

/// Holds every tree, or writes it.
pub(crate) fn hold(update: bool) -> Result<(), String> {
    let mut parser = parser()?;
    let mut files: Vec<_> = fs::read_dir(folder().join("test/corpus"))
        .map_err(|fault| fault.to_string())?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .collect();
    files.sort();
    let (mut count, mut faults) = (0, String::new());
    for file in files {
        let stored = fs::read_to_string(&file).map_err(|fault| fault.to_string())?;
        let mut written = String::new();
        for case in cases(&stored) {
            let tree = parser.parse(case.text, None).ok_or("the parser gave up")?;
            let shown = indented(&tree.root_node().to_sexp());
            // Writing to a String cannot fail.
            let _ = write!(
                written,
                "{RULE}\n{}\n{RULE}\n{}\n---\n\n{shown}\n\n",
                case.head,
                case.text.trim_end_matches('\n')
            );
            count += 1;
            if tree.root_node().has_error() != case.head.contains(":error") {
                let _ = writeln!(
                    faults,
                    "{}: {}: an error is there, or is not, against what its head says",
                    file.display(),
                    case.head
                );
            } else if !update && shown.trim() != case.tree.trim() {
                let _ = writeln!(
                    faults,
                    "{}: {}\nwanted:\n{}\nfound:\n{shown}",
                    file.display(),
                    case.head,
                    case.tree.trim()
                );
            }
        }
        if update {
            fs::write(&file, written.trim_end().to_owned() + "\n").map_err(|fault| fault.to_string())?;
        }
    }
    println!("{count} trees");
    if faults.is_empty() && count > 0 { Ok(()) } else { Err(faults) }
}

const RULE: &str = "==================";

struct Case<'t> {
    head: &'t str,
    text: &'t str,
    tree: &'t str,
}

fn cases(stored: &str) -> Vec<Case<'_>> {
    let parts: Vec<&str> = stored.split(&format!("{RULE}\n")).collect();
    parts[1..]
        .chunks(2)
        .filter_map(|pair| {
            let (text, tree) = pair.get(1)?.split_once("\n---\n")?;
            Some(Case { head: pair[0].trim(), text, tree })
        })
        .collect()
}

/// A tree with a line for each node.
fn indented(tree: &str) -> String {
    let (mut out, mut depth) = (String::new(), 0_usize);
    for (at, part) in tree.split(' ').enumerate() {
        let opens = part.starts_with('(') && at > 0;
        let field = part.ends_with(':');
        let after_field = out.ends_with(": ");
        if (opens && !after_field) || field {
            let _ = write!(out, "\n{}", "  ".repeat(depth));
        } else if at > 0 && !after_field {
            out.push(' ');
        }
        out.push_str(part);
        if field {
            out.push(' ');
        }
        depth += part.matches('(').count();
        depth -= part.matches(')').count();
    }
    out
}
