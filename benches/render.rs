//! From a model to text: a graph of 1,000 nodes in every form.

use std::fmt::Write;

use criterion::{Criterion, criterion_group, criterion_main};
use loopwright::check::check_file;
use loopwright::model::Files;
use loopwright::render::{Drawing, Options, dot, flow, state};
use loopwright::source::Sources;

/// The allocator of the command line.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A hundred composites with ten nodes each: choices, guards, titles, error edges.
fn graph() -> String {
    let mut text = String::from("graph: thousand\nstate:\n  note: string = ''\nstart: part0\nnodes:\n");
    for part in 0..100 {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "  part{part}:\n    title: Part {part}\n    start: n{part}_0\n    nodes:");
        for node in 0..8 {
            let next = node + 1;
            let _ = writeln!(
                text,
                "      n{part}_{node}:\n        title: \"step {node}: 'x' & more\"\n        do: note = 'at {node}'\n        next:\n          - {{to: n{part}_8, when: size(note) > 100 && note != 'x;y'}}\n          - {{to: n{part}_{next}}}\n          - {{to: n{part}_8, on: error}}"
            );
        }
        let to = if part == 99 { "last".to_owned() } else { format!("part{}", part + 1) };
        let _ = writeln!(text, "      n{part}_8: {{kind: final}}\n    next: [{{to: {to}}}]");
    }
    text.push_str("  last: {kind: final}\n");
    text
}

fn render(criterion: &mut Criterion) {
    let mut files = Files::new().with("bench.yaml", graph());
    let checked = check_file(&mut Sources::new(), &mut files, "bench.yaml");
    assert!(checked.is_sound(), "{:?}", checked.findings);
    let model = checked.model.as_ref().expect("a sound graph has a model");
    assert!(model.root().graph.node_count() >= 1_000);
    let drawing =
        || Drawing::new(model, &checked.trees, &Options::default()).expect("the graph is small enough");
    let mut group = criterion.benchmark_group("render");
    group.bench_function("state_1000_nodes", |bencher| bencher.iter(|| state(&drawing()).len()));
    group.bench_function("flow_1000_nodes", |bencher| bencher.iter(|| flow(&drawing()).len()));
    group.bench_function("dot_1000_nodes", |bencher| bencher.iter(|| dot(&drawing()).len()));
    group.finish();
}

criterion_group!(benches, render);
criterion_main!(benches);
