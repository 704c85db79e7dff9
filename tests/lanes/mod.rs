//! Lanes side by side: in whatever order their calls come back, the run comes to the same.
//!
//! The *meaning* of a journal is what each lane did, in its own order: which lane an event belongs to is told by its path, and
//! numbers of events, frames and points of time are left out, since they only say how the lanes interleaved. What the runtime
//! charged is summed up. Where lanes compete for the last units of a budget, or one stops the others, the order decides who
//! comes first; there every lane still does a beginning of what it would have done.

mod driven;
mod meaning;
mod orders;
mod random;

use loopwright::machine::{Call, CallProgress, Outcome, Request, Usage};
use loopwright::program::Program;
use loopwright::value::{List, Map, Value};
use std::sync::Arc;

use crate::played::compiled;

const FILES: [(&str, &str); 9] = [
    ("calm.yaml", include_str!("calm.yaml")),
    ("list.yaml", include_str!("list.yaml")),
    ("leaf.yaml", include_str!("leaf.yaml")),
    ("pair.yaml", include_str!("pair.yaml")),
    ("tried.yaml", include_str!("tried.yaml")),
    ("fragile.yaml", include_str!("fragile.yaml")),
    ("stopped.yaml", include_str!("stopped.yaml")),
    ("breaks.yaml", include_str!("breaks.yaml")),
    ("contended.yaml", include_str!("contended.yaml")),
];

/// One of the graphs of this folder.
fn program(name: &str) -> Arc<Program> {
    let (own, others): (Vec<_>, Vec<_>) = FILES.into_iter().partition(|(file, _)| *file == name);
    compiled(&[own, others].concat())
}

/// The catalogue of these runs.
fn catalogue() -> List {
    let work = Map::from_iter([("name", Value::from("work")), ("delivery", Value::from("pure"))]);
    List::from_iter([Value::Map(work)])
}

/// What a call gets, whenever it is answered: the item's number and the step, with as many tokens as the number. In step 1 the
/// number 3 fails at first, in step 3 even numbers fail.
fn answer(call: &Call) -> Outcome {
    let Request::Tool { args, .. } = &call.request else { panic!("only tools are called") };
    let int = |name: &str| args.get(name).and_then(Value::as_int).expect("an argument");
    let (n, step) = (int("n"), int("step"));
    let usage = Usage { input_tokens: n.unsigned_abs(), ..Usage::default() };
    let failed = |kind: &str| Outcome::Failed {
        kind: kind.into(),
        message: ecow::eco_format!("{n} cannot be done"),
        details: Value::Null,
        usage,
        retry_after: None,
        progress: CallProgress::Unsaid,
        attempts: Vec::new(),
    };
    match (n, step) {
        (3, 1) if call.attempt < 3 => failed("unavailable"),
        (_, 3) if n % 2 == 0 => failed("tool_failed"),
        _ => Outcome::Answer { value: Value::Int(n * 10 + step), usage, attempts: Vec::new() },
    }
}

/// The tokens of an outcome.
fn tokens(outcome: &Outcome) -> i64 {
    i64::try_from(outcome.usage().input_tokens).expect("few tokens")
}
