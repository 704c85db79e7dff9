//! The library of functions: the example of each row, and the page that is made from the rows.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use loopwright::check::check_file;
use loopwright::compile::compile;
use loopwright::diag::Severity;
use loopwright::machine::{Input, InputKind, Output, Snapshot, step};
use loopwright::model::Files;
use loopwright::program::function::{Cost, Function, TOPICS};
use loopwright::source::Sources;
use loopwright::value::Value;

const OPENING: &str = "\
# Functions

Every operator and function of the expression language. This page is generated from the table of functions:
`LOOPWRIGHT_UPDATE=1 cargo test --locked --test main functions::the_page` updates it.

A program that embeds Loopwright can add [functions of its own](reference/language/expressions.md#own-functions).

`T` is any type, the same one everywhere in a row. `…` repeats the parameter before it.

The cost of a call counts towards the limits of an evaluation and of a step. *fixed*: it is always the same. *data*: it grows
with the size of the data that the function reads and makes. *sorted*: it grows as sorting that data does. *matched*: it
grows with that size times the size of the pattern or schema.
";

/// What becomes of expressions: their values, the rules that refuse them, or the kind of error that they end with.
#[derive(Debug)]
pub(crate) enum Came {
    To(Vec<Value>),
    Refused(Vec<&'static str>),
    Failed(String),
}

/// Works out expressions as the output of a graph that ends at once; `declared` are further sections of it, in YAML.
pub(crate) fn work_out(declared: &str, expressions: &[&str]) -> Came {
    let mut text =
        format!("graph: examples\n{declared}start: done\nnodes: {{done: {{kind: final}}}}\noutput:\n");
    for (at, expression) in expressions.iter().enumerate() {
        let quoted = serde_json::to_string(expression).expect("a text has a form in JSON");
        let _ = writeln!(text, "  o{at}: {quoted}");
    }
    let mut sources = Sources::new();
    let checked = check_file(&mut sources, &mut Files::new().with("examples.yaml", text), "examples.yaml");
    if !checked.is_sound() {
        return Came::Refused(
            checked
                .findings
                .iter()
                .filter(|f| f.severity == Severity::Error)
                .map(|f| f.rule.slug())
                .collect(),
        );
    }
    let program = compile(checked.model.as_ref().expect("a sound graph has a model")).expect("it compiles");
    let (mut snapshot, mut out) = (Snapshot::new(), Vec::new());
    let start = InputKind::Started(Box::default());
    step(&program, &mut snapshot, Input { at: 0, kind: start }, &mut out);
    match out.pop() {
        Some(Output::Done(done)) if done.ok => {
            let output = done.output.as_map().expect("outputs are a map").clone();
            let output = (0..expressions.len())
                .map(|at| output.get(&format!("o{at}")).expect("each output is there").clone());
            Came::To(output.collect())
        }
        Some(Output::Done(done)) => Came::Failed(done.outcome.to_string()),
        other => panic!("{expressions:?}: {other:?}"),
    }
}

fn outputs(expressions: &[&str]) -> Vec<Value> {
    match work_out("", expressions) {
        Came::To(values) => values,
        other => panic!("{expressions:?}: {other:?}"),
    }
}

#[test]
fn every_example_gives_what_its_row_says() {
    for function in Function::ALL {
        let row = function.built_in().expect("it is built in");
        let (expression, gives) = row.example;
        let found = outputs(&[expression, gives]);
        // The debug form tells an int from a float.
        assert_eq!(format!("{:?}", found[0]), format!("{:?}", found[1]), "{expression}");
        let sign = row.name.trim_matches(['[', ']']);
        assert!(expression.contains(sign), "the example of `{}` does not use it", row.name);
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
        "docs/functions.md is stale: run LOOPWRIGHT_UPDATE=1 cargo test --locked --test main functions::the_page"
    );
}

fn page() -> String {
    let mut page = OPENING.to_owned();
    for topic in &TOPICS {
        let _ = write!(page, "\n## {}\n\n| | gives | example | cost |\n|---|---|---|---|\n", topic.title);
        for row in topic.rows {
            let ways: Vec<String> = row.forms().iter().map(|way| format!("`{way}`")).collect();
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
