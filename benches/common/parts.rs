//! A large graph to draw.

use std::fmt::Write;

/// A hundred composites with ten nodes each: choices, guards, titles, error edges.
pub(crate) fn graph() -> String {
    of(100)
}

/// So many composites of that kind.
pub(crate) fn of(parts: usize) -> String {
    let mut text = String::from("graph: thousand\nstate:\n  note: string = ''\nstart: part0\nnodes:\n");
    for part in 0..parts {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "  part{part}:\n    title: Part {part}\n    start: n{part}_0\n    nodes:");
        for node in 0..8 {
            let next = node + 1;
            let _ = writeln!(
                text,
                "      n{part}_{node}:\n        title: \"step {node}: 'x' & more\"\n        do: note = 'at {node}'\n        next:\n          - {{to: n{part}_8, when: size(note) > 100 && note != 'x;y'}}\n          - {{to: n{part}_{next}}}\n          - {{to: n{part}_8, on: error}}"
            );
        }
        let to = if part + 1 == parts { "last".to_owned() } else { format!("part{}", part + 1) };
        let _ = writeln!(text, "      n{part}_8: {{kind: final}}\n    next: [{{to: {to}}}]");
    }
    text.push_str("  last: {kind: final}\n");
    text
}
