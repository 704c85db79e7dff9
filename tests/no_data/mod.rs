//! No data takes the process down: lists, defaults and inputs of any size end in an outcome or a finding, on a small stack and
//! in bounded memory.

mod memory;
mod stack;

use std::fmt::Write as _;

use loopwright::check::{Checked, check_file};
use loopwright::compile::compile_as;
use loopwright::machine::{Event, EventKind, Input, InputKind, Output, Snapshot, Start, step};
use loopwright::model::{Files, load};
use loopwright::program::{Program, Semantics};
use loopwright::source::Sources;
use loopwright::value::{Map, Value};

/// The stack that is enough for everything: a quarter of what a thread of an embedding program usually has.
const STACK: usize = 512 << 10;

/// Does something on a stack of half a mebibyte.
fn on_small_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    on_stack(STACK, work)
}

/// Does something on a stack of so many bytes.
fn on_stack<T: Send>(bytes: usize, work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(bytes).spawn_scoped(scope, work);
        thread
            .expect("a thread can be started")
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// A graph that begins by calling a graph for each of so many items; the called one refuses all of them.
fn refused(items: usize, at_once: &str) -> [(&'static str, String); 2] {
    let child =
        "graph: c\ninput: {x: 'int where x < 0'}\nstart: f\nnodes: {f: {kind: final}}\noutput: {y: x}\n";
    let caller = format!(
        "
graph: g
types: {{T: {{ok: \"outputs('c.yaml')?\", error: any}}}}
state: {{r: 'list<T> = []', kind: string?}}
start: q
nodes:
  q:
    kind: each
    over: lists.range({items})
    as: i
    graph: c.yaml
    with: {{x: i}}
    into: r{at_once}
    on_error: collect
    next: [{{to: e}}, {{to: e, on: error, do: kind = error.kind}}]
  e: {{kind: final}}
output: {{size: size(r), kind: kind}}
"
    );
    [("g.yaml", caller), ("c.yaml", child.to_owned())]
}

fn compiled(files: &[(&str, String)], semantics: Semantics) -> Program {
    let mut texts = files.iter().fold(Files::new(), |all, (name, text)| all.with(*name, text.as_str()));
    let loaded = load(&mut Sources::new(), &mut texts, files[0].0);
    assert!(!loaded.has_errors(), "{:?}", loaded.findings);
    compile_as(&loaded.model.expect("a graph without errors has a model"), semantics).expect("it compiles")
}

/// The first step of a run: its output at the end, and its events.
fn run(program: &Program, input: Map) -> (String, Vec<Event>) {
    let start = Start { run: "r".into(), input, ..Start::default() };
    let (mut snapshot, mut out) = (Snapshot::new(), Vec::new());
    step(program, &mut snapshot, Input { at: 0, kind: InputKind::Started(Box::new(start)) }, &mut out);
    let done = snapshot.done.expect("the run ends");
    let events = out.into_iter().filter_map(|output| match output {
        Output::Record(event) => Some(event),
        _ => None,
    });
    (format!("{} {}", done.outcome, done.output.to_json()), events.collect())
}

#[test]
fn lanes_that_are_refused_at_once_take_no_stack() {
    let ended = on_small_stack(|| {
        Semantics::all()
            .map(|semantics| run(&compiled(&refused(20_000, ""), semantics), Map::new()).0)
            .collect::<Vec<_>>()
    });
    assert_eq!(ended, [r#"e {"size":20000,"kind":null}"#; 3]);
}

#[test]
fn lanes_start_in_order_however_many_run_at_once() {
    let [one, all] = ["\n    at_once: 1", ""].map(|at_once| {
        let (ended, events) = run(&compiled(&refused(50, at_once), Semantics::NEWEST), Map::new());
        assert_eq!(ended, r#"e {"size":50,"kind":null}"#);
        events
    });
    // The first event names the program, which is another one.
    assert!(one[1..] == all[1..]);
    let opened: Vec<u32> = one
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Opened { lane, .. } => Some(*lane),
            _ => None,
        })
        .collect();
    assert_eq!(opened, (0..50).collect::<Vec<_>>());
}

#[test]
fn what_is_told_of_lanes_is_bounded() {
    let ended = on_small_stack(|| run(&compiled(&refused(200_000, ""), Semantics::NEWEST), Map::new()));
    assert_eq!(ended.0, "too_large null");
    assert!(ended.1.len() < 300_000, "{}", ended.1.len());
    let why = ended.1.iter().rev().find_map(|event| match &event.kind {
        EventKind::Failed { error, .. } => Some(error.to_json().to_string()),
        _ => None,
    });
    let why = why.expect("it failed");
    assert!(why.contains("more than 40 MiB were recorded of"), "{why}");
}

#[test]
fn an_input_that_is_too_large_is_blamed_and_nothing_else() {
    let text = "
graph: g
input: {text: string, other: int = 1}
state: {q: 'list<int> = []', kind: string?}
start: a
nodes:
  a: {do: 'q += other', next: [{to: e}, {to: e, on: error, do: kind = error.kind}]}
  e: {kind: final}
output: {kind: kind}
";
    let program = compiled(&[("g.yaml", text.to_owned())], Semantics::NEWEST);
    let input = || Map::from_iter([("text", Value::from("x".repeat(70 << 20)))]);
    let start = Start { run: "r".into(), input: input(), ..Start::default() };
    let (mut snapshot, mut out) = (Snapshot::new(), Vec::new());
    step(&program, &mut snapshot, Input { at: 0, kind: InputKind::Started(Box::new(start)) }, &mut out);
    let done = snapshot.done.expect("the run ends");
    assert_eq!(done.outcome, "too_large");
    let message = done.error.as_map().and_then(|error| error.get("message")).and_then(Value::as_str);
    let wanted = "the state would begin with more than 64 MiB: text alone takes 70 MiB";
    assert_eq!(message, Some(wanted));
    // Runs of the first version find it out at the first write.
    let first = compiled(&[("g.yaml", text.to_owned())], Semantics::FIRST);
    assert_eq!(run(&first, input()).0, "too_large null");
}

/// Record types each of which has two fields of the one before, with its defaults.
fn doubling(levels: usize) -> String {
    let mut text = "graph: g\ntypes:\n  T0: {x: 'int = 1'}\n".to_owned();
    for level in 1..=levels {
        let below = level - 1;
        let _ = writeln!(text, "  T{level}: {{x: 'T{below} = T{below}{{}}', y: 'T{below} = T{below}{{}}'}}");
    }
    let _ =
        writeln!(text, "state: {{q: 'T{levels} = T{levels}{{}}'}}\nstart: a\nnodes: {{a: {{kind: final}}}}");
    text
}

fn checked(text: &str) -> Checked {
    check_file(&mut Sources::new(), &mut Files::new().with("g.yaml", text), "g.yaml")
}

#[test]
fn defaults_that_double_are_refused_before_they_are_built() {
    assert!(checked(&doubling(8)).is_sound());
    for levels in [14, 18, 30, 200] {
        let errors: Vec<String> = on_small_stack(|| checked(&doubling(levels)))
            .findings
            .iter()
            .filter(|finding| finding.severity == loopwright::diag::Severity::Error)
            .map(|finding| format!("{}: {}", finding.rule, finding.message))
            .collect();
        let wanted = "too-large: `T14` would be filled in with 49150 values from the defaults of its fields; at most 30000 are";
        // Every field that wants it says so, and nothing that only uses it does.
        assert!(!errors.is_empty() && errors.len() <= 2, "{errors:#?}");
        assert!(errors.iter().all(|error| error == wanted), "{errors:#?}");
    }
}

/// A graph that builds a record of 766 values in a hundred places for each of its fields.
fn built_often(fields: usize) -> String {
    let records = vec!["T8{}"; 100].join(", ");
    let small = doubling(8);
    let (types, _) = small.split_once("state:").expect("it has a state");
    let state = (0..fields).fold(String::new(), |mut state, field| {
        let _ = writeln!(state, "  s{field}: \"list<T8> = [{records}]\"");
        state
    });
    format!("{types}state:\n{state}start: a\nnodes: {{a: {{kind: final}}}}\n")
}

#[test]
fn defaults_in_many_places_share_a_limit() {
    assert!(checked(&built_often(3)).is_sound());
    let found = on_small_stack(|| checked(&built_often(500)));
    let errors: Vec<&str> = found
        .findings
        .iter()
        .filter(|finding| finding.rule.slug() == "too-large")
        .map(|finding| finding.message.as_str())
        .collect();
    let wanted = "defaults of fields would fill in more than 300000 values in all, with those of this record";
    assert!(!errors.is_empty() && errors.iter().all(|error| *error == wanted), "{errors:#?}");
}

/// A graph that keeps what an expression gives, with the list of the first 200 numbers as `xs`.
fn keeping(expression: &str) -> String {
    format!(
        "
graph: g
state: {{xs: 'list<int> = lists.range(200)', n: any, why: string?}}
start: a
nodes:
  a: {{do: \"n = {expression}\", next: [{{to: e, on: error, do: why = error.message}}, {{to: e}}]}}
  e: {{kind: final}}
output: {{why: why}}
"
    )
}

/// Macros inside of macros, over `xs` each, around an expression.
fn nested_macros(levels: usize, inner: &str) -> String {
    (0..levels).rev().fold(inner.to_owned(), |inner, level| format!("xs.map(a{level}, {inner})"))
}

#[test]
fn nested_macros_share_the_limit_of_one_result() {
    let macros = ["[a4]", "{'k': a4}", "xs"].map(|inner| nested_macros(5, inner));
    let maps = "xs.transformMap(i, v, lists.range(10000))".to_owned();
    for expression in macros.into_iter().chain([maps]) {
        let ended = |semantics| {
            on_small_stack(|| run(&compiled(&[("g.yaml", keeping(&expression))], semantics), Map::new()).0)
        };
        let refused = r#"e {"why":"the result would be larger than 16 MiB"}"#;
        assert_eq!(ended(Semantics::NEWEST), refused, "{expression}");
        assert_ne!(ended(Semantics::FIRST), refused, "{expression}");
    }
    // What was gathered and given up again does not count.
    let often = "lists.range(2000).map(i, size(xs.map(a, xs)))";
    let program = compiled(&[("g.yaml", keeping(often))], Semantics::NEWEST);
    assert_eq!(run(&program, Map::new()).0, r#"e {"why":null}"#);
}
