//! Nanoseconds a guard: two comparisons, and two `exists` over 10 slots and 50 artifacts.

mod common;

use criterion::{Criterion, criterion_group, criterion_main};
use loopwright::program::eval::{Eval, Scratch, World};
use loopwright::value::{List, Map, Value};

fn record(entries: &[(&str, Value)]) -> Value {
    Value::Map(entries.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect())
}

/// Ten slots, the last one empty; fifty artifacts, the last one usable: each `exists` runs to the end of its list.
fn input() -> Map {
    let slots: List = (0..10)
        .map(|n| {
            record(&[
                ("name", format!("slot {n}").into()),
                ("filled", (n != 9).into()),
                ("artifact", Value::Null),
            ])
        })
        .collect();
    let artifacts: List = (0..50)
        .map(|n| {
            let kind = if n == 49 { "file" } else { "search" };
            record(&[("id", format!("artifact {n}").into()), ("kind", kind.into()), ("failed", false.into())])
        })
        .collect();
    let mut input = Map::new();
    input.set("slots", slots);
    input.set("artifacts", artifacts);
    input
}

fn guards(criterion: &mut Criterion) {
    let program = common::program(&common::text("guards.yaml"));
    let (snapshot, _) = common::begun(&program, input());
    let frame = &snapshot.lanes[0].as_deref().expect("the run waits for a person").frame;
    let world = World::default();
    let mut scratch = Scratch::default();
    let mut group = criterion.benchmark_group("guards");
    for (edge, name) in [(0, "two_comparisons"), (1, "two_exists")] {
        let guard = program.graphs[0].edges[edge].when.expect("the edge has a guard");
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                scratch.begin();
                let mut eval = Eval {
                    program: &program,
                    graph: &program.graphs[0],
                    frame,
                    world: &world,
                    scratch: &mut scratch,
                };
                assert!(eval.test(guard).expect("the guard has a value"));
            });
        });
    }
    group.finish();
}

criterion_group!(benches, guards);
criterion_main!(benches);
