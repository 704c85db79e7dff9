//! The library of functions, the calls of the language and the items of templates: the example of each row.

use std::fmt::Write as _;

use loopwright::check::check_file;
use loopwright::compile::compile;
use loopwright::diag::Severity;
use loopwright::machine::{Input, InputKind, Output, Snapshot, step};
use loopwright::model::Files;
use loopwright::model::typing::{FORMS, MACROS};
use loopwright::program::function::Function;
use loopwright::program::template::library::{FILTERS, FUNCTIONS, TESTS};
use loopwright::source::Sources;
use loopwright::value::Value;

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
fn every_example_of_a_macro_gives_what_its_row_says() {
    for call in MACROS.iter().chain(FORMS) {
        let (expression, gives) = call.example.expect("it needs no run");
        let found = outputs(&[expression, gives]);
        assert_eq!(format!("{:?}", found[0]), format!("{:?}", found[1]), "{expression}");
        assert!(expression.contains(call.name), "the example of `{}` does not use it", call.name);
    }
}

#[test]
fn every_example_of_a_template_renders_to_what_its_row_says() {
    for item in FILTERS.iter().chain(TESTS).chain(FUNCTIONS) {
        let text = serde_json::to_string(item.example).expect("a text has a form in JSON");
        let found = match work_out(&format!("texts: {{shown: {text}}}\n"), &["render(shown)"]) {
            Came::To(values) => values[0].as_str().expect("it is a text").to_owned(),
            other => panic!("{}: {other:?}", item.example),
        };
        assert_eq!(found, item.gives, "{}", item.example);
        assert!(item.example.contains(item.name), "the example of `{}` does not use it", item.name);
    }
}
