//! The library of functions: the example of each row, and the page that is made from the rows.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use loopwright::check::check_file;
use loopwright::compile::compile;
use loopwright::machine::{Input, InputKind, Output, Snapshot, step};
use loopwright::model::Files;
use loopwright::program::function::{Cost, Form, Function, Overload, TOPICS};
use loopwright::source::Sources;
use loopwright::value::Value;

const OPENING: &str = "\
# Functions

Every operator and function of the expression language. This page is made from the rows of the functions:
`LOOPWRIGHT_UPDATE=1 cargo test --test main functions` writes it anew.

`T` is any type, the same one everywhere in a row. `…` repeats the parameter before it.

The cost counts to what one evaluation and one step may take. It is *fixed*; or it grows with the *data* that are read and
made; or with those when they are *sorted*; or with those times the pattern or schema that they are *matched* with.
";

/// The output of a graph that ends at once.
fn outputs(expressions: &[&str]) -> Vec<Value> {
    let mut text = "graph: examples\nstart: done\nnodes: {done: {kind: final}}\noutput:\n".to_owned();
    for (at, expression) in expressions.iter().enumerate() {
        let quoted = serde_json::to_string(expression).expect("a text has a form in JSON");
        let _ = writeln!(text, "  o{at}: {quoted}");
    }
    let mut sources = Sources::new();
    let checked = check_file(&mut sources, &mut Files::new().with("examples.yaml", text), "examples.yaml");
    let said: Vec<_> = checked.findings.iter().map(|finding| &finding.message).collect();
    assert!(checked.is_sound(), "{expressions:?}: {said:?}");
    let program = compile(checked.model.as_ref().expect("a sound graph has a model")).expect("it compiles");
    let (mut snapshot, mut out) = (Snapshot::new(), Vec::new());
    let start = InputKind::Started(Box::default());
    step(&program, &mut snapshot, Input { at: 0, kind: start }, &mut out);
    match out.pop() {
        Some(Output::Done(done)) if done.ok => {
            let output = done.output.as_map().expect("outputs are a map").clone();
            (0..expressions.len())
                .map(|at| output.get(&format!("o{at}")).expect("each output is there").clone())
                .collect()
        }
        other => panic!("{expressions:?}: {other:?}"),
    }
}

#[test]
fn every_example_gives_what_its_row_says() {
    for function in Function::ALL {
        let (expression, gives) = function.row().example;
        let found = outputs(&[expression, gives]);
        // The debug form tells an int from a float.
        assert_eq!(format!("{:?}", found[0]), format!("{:?}", found[1]), "{expression}");
        let sign = function.name().trim_matches(['[', ']']);
        assert!(expression.contains(sign), "the example of `{}` does not use it", function.name());
    }
}

#[test]
fn the_page_says_what_the_rows_say() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/functions.md");
    let wanted = page();
    if std::env::var_os("LOOPWRIGHT_UPDATE").is_some() {
        fs::write(&path, wanted).expect("the page can be written");
        return;
    }
    let found = fs::read_to_string(&path).expect("the page is there");
    assert!(
        found == wanted,
        "docs/functions.md is stale: run LOOPWRIGHT_UPDATE=1 cargo test --test main functions"
    );
}

fn page() -> String {
    let mut page = OPENING.to_owned();
    for topic in &TOPICS {
        let _ = write!(page, "\n## {}\n\n| | gives | example | cost |\n|---|---|---|---|\n", topic.title);
        for row in topic.rows {
            let ways: Vec<String> =
                row.overloads.iter().map(|way| format!("`{}`", written(row.name, row.form, way))).collect();
            let cost = match row.cost {
                Cost::Fixed => "fixed",
                Cost::Data => "data",
                Cost::Sorting => "sorted",
                Cost::Matching => "matched",
            };
            let (expression, gives) = row.example;
            let _ = writeln!(
                page,
                "| {} | {} | `{expression}` is `{gives}` | {cost} |",
                ways.join("<br>"),
                row.doc
            );
        }
    }
    page
}

/// A way to call a function, with its types.
fn written(name: &str, form: Form, way: &Overload) -> String {
    let mut params: Vec<String> = way.params.iter().map(ToString::to_string).collect();
    if way.rest {
        params.push("…".to_owned());
    }
    match (form, params.as_slice()) {
        (Form::Operator, [_]) => format!("{name}a"),
        (Form::Operator, _) if name == "[]" => "a[b]".to_owned(),
        (Form::Operator, _) => format!("a {name} b"),
        (Form::Receiver, [first, rest @ ..]) => {
            format!("{first}.{name}({}): {}", rest.join(", "), way.result)
        }
        _ => format!("{name}({}): {}", params.join(", "), way.result),
    }
}
