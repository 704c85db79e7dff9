//! Memory of 10,000 runs alive in one process, each waiting for a tool. Prints mebibytes (Linux only).

mod common;
#[path = "common/resident.rs"]
mod resident;

use loopwright::value::Map;

use resident::{mebibytes, resident};

const RUNS: usize = 10_000;

fn main() {
    let program = common::program(&common::text("growing.yaml"));
    let _first = common::begun(&program, Map::new());
    let before = resident();
    let runs: Vec<_> = (0..RUNS).map(|_| common::begun(&program, Map::new()).0).collect();
    assert!(runs.iter().all(|run| run.calls().count() == 1), "every run waits for its tool");
    match (before, resident()) {
        (Some(before), Some(after)) => println!(
            "{} runs alive: {:.1} MiB, {} bytes each; the whole process {:.1} MiB",
            runs.len(),
            mebibytes(after.saturating_sub(before)),
            after.saturating_sub(before) / RUNS,
            mebibytes(after)
        ),
        _ => println!("resident memory cannot be read on this system"),
    }
}
