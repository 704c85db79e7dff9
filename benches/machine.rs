//! Transitions a second: a loop of four nodes with 13 counters and flags, a journal that grows to 200 entries, three
//! guards, 1,000 rounds. Every event is recorded.

mod common;

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

criterion_group!(benches, four_nodes);
criterion_main!(benches);
