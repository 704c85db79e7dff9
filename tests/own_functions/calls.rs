//! Calls: what they give, what they end with, and what `check` says of wrong ones.

use loopwright::check::check_file;
use loopwright::compile::compile;
use loopwright::model::{LoadError, Loader};
use loopwright::program::function::Functions;
use loopwright::program::function::TypePattern as T;
use loopwright::program::listing;
use loopwright::source::Sources;

use super::{compiled, function, functions, graph, value_of};
use crate::graphs::Repository;

#[test]
fn each_call_gives_what_the_table_says() {
    let functions = functions();
    let lines = include_str!("calls.txt").lines().filter(|line| !line.starts_with('#'));
    let mut wrong = Vec::new();
    for line in lines {
        let (expression, wanted) = line.rsplit_once(" => ").expect("an expression and what it gives");
        let found = value_of(expression, &functions);
        let wanted = match wanted.strip_prefix("! ") {
            Some(message) => Err(message.to_owned()),
            None => Ok(value_of(wanted, &Functions::new()).expect("a built-in value")),
        };
        if format!("{found:?}") != format!("{wanted:?}") {
            wrong.push(format!("{line}\n  gave {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_long_message_is_cut() {
    let message = value_of("long_fault()", &functions()).expect_err("it fails");
    assert!(message.ends_with("é…") && message.chars().count() < 1_100, "{message}");
}

#[test]
fn wrong_calls_are_reported() {
    let declared = "state:\n  maybe: string?\n  word: string = ''\nlet:\n  four: '5'\n";
    let wrong = [
        "initals('a')",
        "initials(7)",
        "initials()",
        "initials('a', 'b')",
        "initials(maybe)",
        "word.initials()",
        "word.initails()",
        "total(['a'], 1)",
        "head([1])",
        "pick({'a': 'b'}, 'a')",
        "four(1)",
        "price(1.0)",
        "initials('a') + 1",
        "initials",
        "len(initials('a'))",
    ];
    let messages = wrong.map(|expression| {
        let findings = compiled(&graph(declared, expression), &functions()).expect_err(expression);
        format!("{expression}\n{findings}")
    });
    insta::assert_snapshot!(messages.join("\n"));
}

#[test]
fn without_registration_a_call_is_of_an_unknown_function() {
    let found = compiled(&graph("", "initials('a')"), &Functions::new()).expect_err("it is refused");
    insta::assert_snapshot!(found);
}

#[test]
fn a_let_of_the_graph_goes_before_a_function_of_that_name() {
    let text = graph("let:\n  initials(x): x + x\n", "initials('a')");
    let with = compiled(&text, &functions()).expect("it compiles");
    let without = compiled(&text, &Functions::new()).expect("it compiles");
    assert_eq!(with.digest, without.digest);
}

#[test]
fn the_digest_names_the_functions_that_are_called() {
    let text = graph("", "total([four()], 1) + four()");
    let program = compiled(&text, &functions()).expect("it compiles");
    insta::assert_snapshot!(listing(&program));
    assert_eq!(program.own_functions(), [("four".into(), 1), ("total".into(), 1)]);

    // The order of registration and functions that are not called make no difference, a version does.
    let total =
        || function("total", |_| Ok(0)).takes(T::List(&T::Int)).takes(T::OrNull(&T::Int)).gives(T::Int);
    let four = |version| {
        loopwright::program::function::OwnFunction::new("four", version, |_| Ok::<_, String>(4)).gives(T::Int)
    };
    let digest = |version| {
        let functions =
            Functions::new().register(total()).and_then(|functions| functions.register(four(version)));
        compiled(&text, &functions.expect("the names are free")).expect("it compiles").digest
    };
    assert_eq!(digest(1), program.digest);
    assert_ne!(digest(2), program.digest);
}

/// The repository, with functions that its graphs do not call.
struct Registered(Repository);

impl Loader for Registered {
    fn load(&mut self, from: Option<&str>, path: &str) -> Result<(String, String), LoadError> {
        self.0.load(from, path)
    }

    fn functions(&self) -> Functions {
        functions()
    }
}

#[test]
fn functions_that_are_not_called_change_no_digest() {
    for path in ["graphs/tour/sum.yaml", "graphs/tour/04-people.yaml", "graphs/tour/05-called-graphs.yaml"] {
        let digest = |loader: &mut dyn Loader| {
            let checked = check_file(&mut Sources::new(), loader, path);
            compile(checked.model.as_ref().expect("a model")).expect("it compiles").digest
        };
        let with = digest(&mut Registered(Repository::whole()));
        assert_eq!(digest(&mut Repository::whole()), with, "{path}");
    }
}

/// Limits, defaults, lets, texts, guards and statements evaluate calls alike.
#[test]
fn calls_stand_wherever_expressions_do() {
    let text = r#"
graph: everywhere
budgets: {rounds: four()}
state: {n: "int = four()", word: "string = initials('Q R')"}
let: {twice(x): "total([x, x], null)", short: "initials(word)"}
texts: {line: "{{ short }}{{ n }}"}
start: again
nodes:
  again:
    do: |
      spend rounds
      n = twice(n)
    next:
      - {to: again, when: "four() == 4 && same(n) != null"}
      - {to: done, on: exhausted(rounds)}
  done: {kind: final}
output: {line: render(line)}
"#;
    let program = compiled(text, &functions()).unwrap_or_else(|findings| panic!("{findings}"));
    let done = super::ended(&program);
    assert_eq!(done.output.to_json().to_string(), r#"{"line":"Q64"}"#);
}
