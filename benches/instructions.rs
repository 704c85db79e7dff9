//! Instructions of the main kinds of work, against those that `benches/instructions.txt` has stored.
//!
//! Prints one row for each: its name, stored, counted, difference. Fails where a count is more than 3 % above the stored
//! one. `cargo bench --bench instructions -- --bless` stores the counts. A count is the difference between two runs of
//! this program, so that its start is not in it; they differ by less than 1 % from run to run.

#[path = "common/callgrind.rs"]
mod callgrind;
mod common;
#[path = "common/explored.rs"]
mod explored;
#[path = "common/large.rs"]
mod large;
#[path = "common/parts.rs"]
mod parts;

use std::fmt::Write;
use std::hint::black_box;
use std::path::PathBuf;
use std::process::ExitCode;

use loopwright::check::check_file;
use loopwright::model::Files;
use loopwright::render::{Drawing, Options, flow};
use loopwright::source::Sources;
use loopwright::value::Map;

/// Per cent above the stored count that are no fault.
const TOLERANCE: f64 = 3.0;

/// A kind of work: its name, and a function that makes it ready and does it so many times.
type Work = (&'static str, fn(u32));

const WORKS: [Work; 7] = [
    ("check_1000_nodes", |times| check(times, "bench.yaml", &large::long(1_000))),
    ("check_1000_nodes_loop", |times| check(times, "bench.loop", &large::long_loop(1_000))),
    ("check_1000_fields_of_state", |times| check(times, "bench.yaml", &large::wide(1_000))),
    ("compile_1000_nodes", compile),
    ("flow_1000_nodes", draw),
    ("run_of_1000_rounds", run),
    ("explore_4000_states", explore),
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().collect();
    if let Some(at) = args.iter().position(|arg| arg == "--work") {
        let work = WORKS.iter().find(|(name, _)| *name == args[at + 1]).expect("a name of the table");
        work.1(args[at + 2].parse().expect("a number of times"));
        return ExitCode::SUCCESS;
    }
    let Some(counts) = WORKS.iter().map(|(name, _)| count(name)).collect::<Option<Vec<u64>>>() else {
        println!("valgrind is missing: nothing was counted");
        return ExitCode::FAILURE;
    };
    if args.iter().any(|arg| arg == "--bless") {
        let rows = WORKS.iter().zip(&counts).fold(String::new(), |mut rows, ((name, _), count)| {
            // Writing to a String cannot fail.
            let _ = writeln!(rows, "{name} {count}");
            rows
        });
        std::fs::write(stored_file(), rows).expect("the file can be written");
        return ExitCode::SUCCESS;
    }
    compare(&counts)
}

fn compare(counts: &[u64]) -> ExitCode {
    let Ok(stored) = std::fs::read_to_string(stored_file()) else {
        println!(
            "benches/instructions.txt is not there: `cargo bench --bench instructions -- --bless` makes it"
        );
        return ExitCode::FAILURE;
    };
    let mut worse = false;
    for ((name, _), count) in WORKS.iter().zip(counts) {
        let row = stored.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok());
        let Some(before) = row else {
            println!("{name:28} {:>14} {count:>14}", "not stored");
            worse = true;
            continue;
        };
        #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
        let percent = (*count as f64 / before as f64 - 1.0) * 100.0;
        println!("{name:28} {before:>14} {count:>14} {percent:>+7.1} %");
        worse |= percent > TOLERANCE;
    }
    if worse { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn count(name: &str) -> Option<u64> {
    let counted = |times: &str| callgrind::instructions(&["--work", name, times]);
    Some(counted("2")? - counted("1")?)
}

fn stored_file() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/benches/instructions.txt"))
}

fn check(times: u32, name: &str, text: &str) {
    for _ in 0..times {
        let mut files = Files::new().with(name, text);
        let checked = check_file(&mut Sources::new(), &mut files, name);
        assert!(checked.is_sound(), "{:?}", checked.findings);
        black_box(checked);
    }
}

fn compile(times: u32) {
    let mut files = Files::new().with("bench.yaml", large::long(1_000));
    let checked = check_file(&mut Sources::new(), &mut files, "bench.yaml");
    let model = checked.model.as_ref().expect("a sound graph has a model");
    for _ in 0..times {
        black_box(loopwright::compile::compile(model).expect("a sound graph compiles"));
    }
}

fn draw(times: u32) {
    let mut files = Files::new().with("bench.yaml", parts::graph());
    let checked = check_file(&mut Sources::new(), &mut files, "bench.yaml");
    let model = checked.model.as_ref().expect("a sound graph has a model");
    for _ in 0..times {
        let drawing =
            Drawing::new(model, &checked.trees, &Options::default()).expect("the graph is small enough");
        black_box(flow(&drawing));
    }
}

fn run(times: u32) {
    let program = common::program(&common::text("four_nodes.yaml"));
    for _ in 0..times {
        let (snapshot, outputs) = common::begun(&program, Map::new());
        assert!(snapshot.done.is_some(), "the run ends");
        black_box(outputs);
    }
}

fn explore(times: u32) {
    let graph = explored::Explored::new();
    for _ in 0..times {
        black_box(explored::search(&graph.space(), 4_000));
    }
}
