//! From text to a program: a graph of 10,000 nodes in both syntaxes, and the time to the first node of a small one.

mod common;
#[path = "common/large.rs"]
mod large;

use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use loopwright::check::check_file;
use loopwright::model::Files;
use loopwright::source::Sources;
use loopwright::syntax;
use loopwright::value::Map;

/// Reads a file to its tree; the number of findings.
fn read(name: &str, text: &str) -> usize {
    let mut sources = Sources::new();
    let file = sources.add(name, text);
    syntax::read(&sources, file).1.len()
}

fn load(criterion: &mut Criterion) {
    let text = large::long(10_000);
    let mut group = criterion.benchmark_group("load");
    group.sample_size(10).measurement_time(Duration::from_secs(10));
    group.bench_function("check_10000_nodes", |bencher| {
        bencher.iter(|| {
            let mut files = Files::new().with("bench.yaml", &text);
            check_file(&mut Sources::new(), &mut files, "bench.yaml").findings.len()
        });
    });
    let dsl = large::long_loop(10_000);
    group.bench_function("check_10000_nodes_loop", |bencher| {
        bencher.iter(|| {
            let mut files = Files::new().with("bench.loop", &dsl);
            check_file(&mut Sources::new(), &mut files, "bench.loop").findings.len()
        });
    });
    group.bench_function("read_10000_nodes", |bencher| bencher.iter(|| read("bench.yaml", &text)));
    group.bench_function("read_10000_nodes_loop", |bencher| bencher.iter(|| read("bench.loop", &dsl)));
    let fields = large::wide(10_000);
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
