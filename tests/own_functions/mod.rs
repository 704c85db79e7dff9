//! Functions of whoever embeds the library, in expressions.

mod calls;
mod hostile;
mod registration;
mod stored;

use loopwright::check::check_file;
use loopwright::compile::compile;
use loopwright::diag::text;
use loopwright::machine::{Done, Input, InputKind, Output, Snapshot, step};
use loopwright::model::Files;
use loopwright::program::Program;
use loopwright::program::function::TypePattern as T;
use loopwright::program::function::{Functions, OwnFunction};
use loopwright::source::Sources;
use loopwright::value::Value;

fn text_of(value: &Value) -> Result<&str, String> {
    value.as_str().ok_or_else(|| "no text".to_owned())
}

fn function<R: Into<Value>>(
    name: &str,
    code: impl Fn(&[Value]) -> Result<R, String> + Send + Sync + 'static,
) -> OwnFunction {
    OwnFunction::new(name, 1, code)
}

/// The functions that most tests register.
fn functions() -> Functions {
    let all = [
        function("initials", |args| {
            Ok(text_of(&args[0])?.split(' ').filter_map(|word| word.chars().next()).collect::<String>())
        })
        .takes(T::String)
        .gives(T::String),
        function("total", |args| {
            let numbers =
                args[0].as_list().into_iter().flat_map(|list| list.iter()).filter_map(Value::as_int);
            Ok(numbers.sum::<i64>() + args[1].as_int().unwrap_or(0))
        })
        .takes(T::List(&T::Int))
        .takes(T::OrNull(&T::Int))
        .gives(T::Int),
        function("head", |args| Ok(args[0].as_list().and_then(|list| list.iter().next().cloned())))
            .takes(T::List(&T::OrNull(&T::String)))
            .gives(T::OrNull(&T::String)),
        function("pick", |args| {
            let found = args[0].as_map().and_then(|map| map.get(text_of(&args[1]).ok()?).cloned());
            found.ok_or_else(|| "there is none".to_owned())
        })
        .takes(T::Map(&T::Float))
        .takes(T::String)
        .gives(T::Float),
        function("same", |args| Ok(args[0].clone())).takes(T::Nullable).gives(T::Nullable),
        function("price", |args| Ok(args[0].clone())).takes(T::Usd).gives(T::Usd),
        function("pause", |args| Ok(args[0].clone())).takes(T::Duration).gives(T::Duration),
        function("four", |_| Ok(4)).gives(T::Int),
        function("texts", |args| Ok(args[0].clone())).takes(T::Nullable).gives(T::List(&T::String)),
        function("refuse", |args| Err::<Value, _>(text_of(&args[0])?.to_owned())).takes(T::String),
        function("strike", |args| -> Result<Value, String> { panic!("it struck {}", text_of(&args[0])?) })
            .takes(T::String),
        function("strike_dumb", |_| -> Result<Value, String> { std::panic::panic_any(7) }),
        function("long", |args| Ok("x".repeat(usize::try_from(args[0].as_int().unwrap_or(0)).unwrap_or(0))))
            .takes(T::Int)
            .gives(T::String),
        function("long_fault", |_| Err::<Value, _>("é".repeat(100_000))),
        function("nested", |args| {
            Ok((0..args[0].as_int().unwrap_or(0)).fold(Value::Null, |inner, _| Value::from(vec![inner])))
        })
        .takes(T::Int),
        function("costly", |_| Ok(true)).cost(1_000_000, 1).gives(T::Bool),
        function("thorough", |_| Ok(true)).cost(0, 100_000).takes(T::String).gives(T::Bool),
    ];
    all.into_iter()
        .fold(Functions::new(), |functions, own| functions.register(own).expect("the name is free"))
}

/// A graph that ends at once with the value of an expression.
fn graph(declared: &str, expression: &str) -> String {
    let quoted = serde_json::to_string(expression).expect("a text has a form in JSON");
    format!("graph: own\n{declared}start: end\nnodes: {{end: {{kind: final}}}}\noutput:\n  o: {quoted}\n")
}

/// Compiles a graph, or gives what is wrong with it.
fn compiled(text: &str, functions: &Functions) -> Result<Program, String> {
    let mut files = Files::new().with("own.yaml", text).with_functions(functions.clone());
    let mut sources = Sources::new();
    let checked = check_file(&mut sources, &mut files, "own.yaml");
    let model = checked.model.as_ref().filter(|_| checked.is_sound());
    let model = model.ok_or_else(|| text::render(&checked.findings, &sources, false))?;
    compile(model).map_err(|faults| format!("{faults:?}"))
}

/// Runs a program that ends without help.
fn ended(program: &Program) -> Done {
    let (mut snapshot, mut out) = (Snapshot::new(), Vec::new());
    let start = InputKind::Started(Box::default());
    step(program, &mut snapshot, Input { at: 0, kind: start }, &mut out);
    match out.pop() {
        Some(Output::Done(done)) => *done,
        other => panic!("it ends: {other:?}"),
    }
}

/// The value of an expression, or the message of the error that it ends with.
fn value_of(expression: &str, functions: &Functions) -> Result<Value, String> {
    let program = compiled(&graph("", expression), functions)?;
    let done = ended(&program);
    let part = |value: &Value, name: &str| value.as_map().and_then(|map| map.get(name)).cloned();
    if done.ok {
        return Ok(part(&done.output, "o").expect("the output"));
    }
    Err(format!("{}: {}", done.outcome, text_of(&part(&done.error, "message").expect("a message"))?))
}
