//! Whether a step costs more when the state has grown: instructions of the last thousand of 100,000 steps against the first
//! thousand, with a list that grows by one entry each step. Counted by `valgrind --tool=callgrind`, as the difference
//! between two runs of this program; one line says so where valgrind is missing.

#[path = "common/callgrind.rs"]
mod callgrind;
mod common;

use loopwright::machine::{Input, InputKind, Outcome, Output, step};
use loopwright::value::Map;

fn main() {
    let mut args = std::env::args().skip_while(|arg| arg != "--steps");
    if let Some(steps) = args.nth(1).and_then(|steps| steps.parse().ok()) {
        run(steps);
        return;
    }
    let counted = |steps: i32| callgrind::instructions(&["--steps", &steps.to_string()]);
    let counts: Option<Vec<u64>> = [1_000, 2_000, 99_000, 100_000].into_iter().map(counted).collect();
    let Some([a, b, c, d]) = counts.and_then(|counts| <[u64; 4]>::try_from(counts).ok()) else {
        println!("valgrind is missing: growth was not measured");
        return;
    };
    let (first, last) = (b - a, d - c);
    #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
    let ratio = last as f64 / first as f64;
    println!("instructions a step: {} early, {} late; ratio {ratio:.2}", first / 1000, last / 1000);
}

/// So many steps, each the answer to a tool call that is kept.
fn run(steps: u32) {
    let program = common::program(&common::text("growing.yaml"));
    let (mut snapshot, mut out) = common::begun(&program, Map::new());
    for at in 0..i64::from(steps) {
        let call = out.drain(..).find_map(|output| match output {
            Output::Call(call) => Some(call.id),
            _ => None,
        });
        let kind =
            InputKind::Resolved { call: call.expect("every step calls"), outcome: Outcome::answer(at) };
        step(&program, &mut snapshot, Input { at, kind }, &mut out);
    }
}
