//! From a model to text: a graph of 1,000 nodes in every form; and pictures of one with 200 nodes.

#[path = "common/parts.rs"]
mod parts;

use criterion::{Criterion, criterion_group, criterion_main};
use loopwright::check::check_file;
use loopwright::model::Files;
use loopwright::render::{Drawing, Options, dot, flow, state, svg};
use loopwright::source::Sources;

/// The allocator of the command line.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn render(criterion: &mut Criterion) {
    let mut files = Files::new().with("bench.yaml", parts::graph());
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
    let mut files = Files::new().with("bench.yaml", parts::of(20));
    let checked = check_file(&mut Sources::new(), &mut files, "bench.yaml");
    let model = checked.model.as_ref().expect("a sound graph has a model");
    assert!(model.root().graph.node_count() >= 200);
    // Boxes in boxes, and one level without any.
    for (name, flat) in [("svg_200_nodes", false), ("svg_200_nodes_flat", true)] {
        let options = Options { flat, ..Options::default() };
        let drawing = Drawing::new(model, &checked.trees, &options).expect("the graph is small enough");
        group.bench_function(name, |bencher| bencher.iter(|| svg(&drawing).map(|svg| svg.len())));
    }
    group.finish();
}

criterion_group!(benches, render);
criterion_main!(benches);
