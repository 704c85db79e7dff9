//! Highlights of files by `queries/highlights.scm`, one line for each part.

use std::fs;

use tree_sitter::{Query, QueryCursor, StreamingIterator as _};

use crate::language::{folder, language, parser};

/// Prints the highlighted parts of files, each with its place and its last, that is its deciding, name.
pub(crate) fn print(files: &[&str]) -> Result<(), String> {
    let query =
        fs::read_to_string(folder().join("queries/highlights.scm")).map_err(|fault| fault.to_string())?;
    let query = Query::new(&language(), &query).map_err(|fault| fault.to_string())?;
    for file in files {
        let text = fs::read_to_string(file).map_err(|fault| format!("{file}: {fault}"))?;
        let tree = parser()?.parse(&text, None).ok_or("the parser gave up")?;
        let mut cursor = QueryCursor::new();
        let mut captures = cursor.captures(&query, tree.root_node(), text.as_bytes());
        let mut found = std::collections::BTreeMap::new();
        while let Some((captured, at)) = captures.next() {
            let capture = captured.captures()[*at];
            let node = capture.node;
            let name = query.capture_names()[capture.index as usize];
            // A later pattern decides, as in editors.
            let pattern = captured.pattern_index;
            let place = (node.start_byte(), node.end_byte());
            let entry = found.entry(place).or_insert((pattern, name));
            if pattern >= entry.0 {
                *entry = (pattern, name);
            }
        }
        for ((start, end), (_, name)) in found {
            let line = text[..start].matches('\n').count() + 1;
            println!("{line}: {name}: {}", text[start..end].escape_debug());
        }
    }
    Ok(())
}
