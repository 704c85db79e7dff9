//! What the benches share: graphs from files to programs, and runs that have begun.

use std::path::Path;

use loopwright::check::check_file;
use loopwright::compile::compile;
use loopwright::machine::{Input, InputKind, Output, Snapshot, Start, step};
use loopwright::model::Files;
use loopwright::program::Program;
use loopwright::source::Sources;
use loopwright::value::{List, Map, Value};

/// The allocator of the command line.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The text of a graph in `benches/graphs/`.
pub(crate) fn text(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/graphs").join(name);
    std::fs::read_to_string(path).expect("the benches' graphs lie in the repository")
}

/// A graph's text as a program.
pub(crate) fn program(text: &str) -> Program {
    let mut files = Files::new().with("bench.yaml", text);
    let checked = check_file(&mut Sources::new(), &mut files, "bench.yaml");
    assert!(checked.is_sound(), "{:?}", checked.findings);
    compile(checked.model.as_ref().expect("a sound graph has a model")).expect("a sound graph compiles")
}

/// The first input of a run, which may call the tool `lookup`.
pub(crate) fn start(input: Map) -> Input {
    let lookup = Map::from_iter([("name", Value::from("lookup")), ("delivery", Value::from("pure"))]);
    let tools = List::from_iter([Value::Map(lookup)]);
    let start = Start { run: "bench".into(), input, tools, ..Start::default() };
    Input { at: 0, kind: InputKind::Started(Box::new(start)) }
}

/// A run that has begun and waits for something, and what it asked for.
pub(crate) fn begun(program: &Program, input: Map) -> (Snapshot, Vec<Output>) {
    let (mut snapshot, mut out) = (Snapshot::default(), Vec::new());
    step(program, &mut snapshot, start(input), &mut out);
    (snapshot, out)
}
