//! Large graphs, made as text.

use std::fmt::Write;

/// A chain of nodes that write, choose and go on; every tenth one is a choice with a way out.
pub(crate) fn long(nodes: usize) -> String {
    let mut text = String::from(
        "graph: long\nstate:\n  phase: enum(open, closed) = 'open'\n  note: string?\nbudgets:\n  rounds: 100\nstart: n0\nnodes:\n",
    );
    for node in 0..nodes {
        let next = node + 1;
        // Writing to a String cannot fail.
        let _ = match (node % 10, next == nodes) {
            (_, true) => writeln!(text, "  n{node}: {{kind: final, outcome: note ?? 'done'}}"),
            (0, _) => writeln!(
                text,
                "  n{node}:\n    kind: choice\n    next:\n      - {{to: n{}, when: phase == 'closed' && note != null}}\n      - {{to: n{next}}}",
                nodes - 1
            ),
            _ => writeln!(
                text,
                "  n{node}:\n    do: |\n      note = 'at {node}'\n      phase = size(note ?? '') > 100 ? 'closed' : 'open'\n    next:\n      - {{to: n{next}}}"
            ),
        };
    }
    text
}

/// The same in `.loop`.
pub(crate) fn long_loop(nodes: usize) -> String {
    let mut text = String::from(
        "graph long\nstate {\n  phase: enum(open, closed) = 'open'\n  note: string?\n}\nbudget rounds = 100\nstart n0\n",
    );
    for node in 0..nodes {
        let next = node + 1;
        // Writing to a String cannot fail.
        let _ = match (node % 10, next == nodes) {
            (_, true) => writeln!(text, "final n{node} outcome note ?? 'done'"),
            (0, _) => writeln!(
                text,
                "choice n{node} {{\n  -> n{} when phase == 'closed' && note != null\n  -> n{next}\n}}",
                nodes - 1
            ),
            _ => writeln!(
                text,
                "action n{node} {{\n  note = 'at {node}'\n  phase = size(note ?? '') > 100 ? 'closed' : 'open'\n  -> n{next}\n}}"
            ),
        };
    }
    text
}

/// As many nullable fields of state as nodes: each node sets one and reads it. What is known grows from node to node.
pub(crate) fn wide(nodes: usize) -> String {
    let mut text = String::from("graph: wide\nstate:\n");
    for node in 0..nodes {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "  s{node}: string?");
    }
    text.push_str("start: n0\nnodes:\n");
    for node in 0..nodes {
        let next = node + 1;
        let _ =
            writeln!(text, "  n{node}: {{do: \"s{node} = 'a'; s{node} = s{node} + 'b'\", next: n{next}}}");
    }
    let _ = writeln!(text, "  n{nodes}: {{kind: final}}");
    text
}
