//! From text to a program: a graph of 10,000 nodes in both syntaxes, and the time to the first node of a small one.

mod common;

use std::fmt::Write;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use loopwright::check::check_file;
use loopwright::model::Files;
use loopwright::source::Sources;
use loopwright::syntax;
use loopwright::value::Map;

/// A chain of nodes that write, choose and go on; every tenth one is a choice with a way out.
fn long(nodes: usize) -> String {
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
fn long_loop(nodes: usize) -> String {
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

/// Reads a file to its tree; the number of findings.
fn read(name: &str, text: &str) -> usize {
    let mut sources = Sources::new();
    let file = sources.add(name, text);
    syntax::read(&sources, file).1.len()
}

/// As many nullable fields of state as nodes: each node sets one and reads it. What is known grows from node to node.
fn wide(nodes: usize) -> String {
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

fn load(criterion: &mut Criterion) {
    let text = long(10_000);
    let mut group = criterion.benchmark_group("load");
    group.sample_size(10).measurement_time(Duration::from_secs(10));
    group.bench_function("check_10000_nodes", |bencher| {
        bencher.iter(|| {
            let mut files = Files::new().with("bench.yaml", &text);
            check_file(&mut Sources::new(), &mut files, "bench.yaml").findings.len()
        });
    });
    let dsl = long_loop(10_000);
    group.bench_function("check_10000_nodes_loop", |bencher| {
        bencher.iter(|| {
            let mut files = Files::new().with("bench.loop", &dsl);
            check_file(&mut Sources::new(), &mut files, "bench.loop").findings.len()
        });
    });
    group.bench_function("read_10000_nodes", |bencher| bencher.iter(|| read("bench.yaml", &text)));
    group.bench_function("read_10000_nodes_loop", |bencher| bencher.iter(|| read("bench.loop", &dsl)));
    let fields = wide(10_000);
    group.bench_function("check_10000_fields_of_state", |bencher| {
        bencher.iter(|| {
            let mut files = Files::new().with("bench.yaml", &fields);
            check_file(&mut Sources::new(), &mut files, "bench.yaml").findings.len()
        });
    });
    group.bench_function("check_and_compile_10000_nodes", |bencher| {
        bencher.iter(|| common::program(&text).ops.len());
    });
    let small = common::text("growing.yaml");
    group.bench_function("text_to_first_node", |bencher| {
        bencher.iter(|| common::begun(&common::program(&small), Map::new()).1.len());
    });
    group.finish();
}

criterion_group!(benches, load);
criterion_main!(benches);
