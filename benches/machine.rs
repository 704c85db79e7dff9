//! Transitions a second: a loop of four nodes with 13 counters and flags, a journal that grows to 200 entries, three
//! guards, 1,000 rounds. Every event is recorded. Beside it the distinct states a second of a search on one thread, each input of which
//! takes some of the same steps.

mod common;
#[path = "common/explored.rs"]
mod explored;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use loopwright::machine::{EventKind, Output, Snapshot, step};
use loopwright::value::Map;

fn four_nodes(criterion: &mut Criterion) {
    let program = common::program(&common::text("four_nodes.yaml"));
    let (snapshot, out) = common::begun(&program, Map::new());
    assert_eq!(snapshot.done.as_deref().map(|done| done.outcome.as_str()), Some("rounds"));
    let is_transition = |output: &&Output| matches!(output, Output::Record(event) if matches!(event.kind, EventKind::Took { .. }));
    let transitions = out.iter().filter(is_transition).count();
    let mut group = criterion.benchmark_group("machine");
    group.throughput(Throughput::Elements(transitions as u64));
    group.bench_function("four_nodes", |bencher| {
        let mut out = Vec::new();
        bencher.iter(|| {
            out.clear();
            let mut snapshot = Snapshot::default();
            step(&program, &mut snapshot, common::start(Map::new()), &mut out);
            snapshot.seq
        });
    });
    group.finish();
}

fn states(criterion: &mut Criterion) {
    const STATES: usize = 40_000;
    let graph = explored::Explored::new();
    let space = graph.space();
    let found = explored::search(&space, STATES);
    let mut group = criterion.benchmark_group("explore");
    group.sample_size(10).throughput(Throughput::Elements(found as u64));
    group.bench_function("states_of_v2", |bencher| bencher.iter(|| explored::search(&space, STATES)));
    group.finish();
}

criterion_group!(benches, four_nodes, states);
criterion_main!(benches);
