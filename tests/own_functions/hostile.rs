//! Names, signatures and results that nobody expects.

use loopwright::program::function::TypePattern as T;
use loopwright::program::function::{Functions, OwnFunction};
use loopwright::value::Value;
use proptest::prelude::*;

use super::{compiled, graph};

const TYPES: [T; 12] = [
    T::Nullable,
    T::Value,
    T::Bool,
    T::Int,
    T::Float,
    T::Usd,
    T::Duration,
    T::String,
    T::Any,
    T::List(&T::Map(&T::String)),
    T::OrNull(&T::List(&T::OrNull(&T::Int))),
    T::Map(&T::OrNull(&T::Any)),
];

type Made = fn() -> Value;

/// Expressions, and what they give.
const VALUES: [(&str, Made); 9] = [
    ("null", || Value::Null),
    ("true", || Value::Bool(true)),
    ("-1", || Value::Int(-1)),
    ("1.5", || Value::Float(1.5)),
    ("usd('1')", || Value::Usd(1_000_000_000)),
    ("1s", || Value::Duration(1_000_000_000)),
    ("'é'", || Value::from("é")),
    ("[{'a': 'b'}]", || Value::from(vec![Value::Map([("a", Value::from("b"))].into_iter().collect())])),
    ("{'a': null}", || Value::Map([("a", Value::Null)].into_iter().collect())),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_name_is_refused_or_can_be_called(name in "[a-z_]{1,6}|[ -~]{0,8}|\\PC{0,4}") {
        let own = OwnFunction::new(name.as_str(), 1, |_| Ok::<_, String>(1)).gives(T::Int);
        if let Ok(functions) = Functions::new().register(own) {
            prop_assert!(super::value_of(&format!("{name}() + 1"), &functions) == Ok(Value::Int(2)), "{name}");
        }
    }

    #[test]
    fn a_signature_holds(param in 0..TYPES.len(), result in 0..TYPES.len(), given in 0..VALUES.len(), back in 0..VALUES.len()) {
        let made = VALUES[back].1;
        let own = OwnFunction::new("f", 1, move |_| Ok::<_, String>(made()));
        let functions = Functions::new().register(own.takes(TYPES[param]).gives(TYPES[result])).expect("it is registered");
        for argument in [VALUES[given].0.to_owned(), format!("dyn({})", VALUES[given].0)] {
            // Refused by `check`, ended by an error that names the function, or the value itself.
            match super::value_of(&format!("f({argument})"), &functions) {
                Ok(found) => prop_assert_eq!(found, made()),
                Err(message) => prop_assert!(message.contains("`f`") || message.contains("null"), "{}", message),
            }
        }
    }

    #[test]
    fn any_call_of_an_own_function_is_judged(text in "f?[fg]\\(([a-z0-9'\\[\\], .]|f\\(|\\)){0,20}\\)?") {
        let own = || OwnFunction::new("f", 1, |args| Ok::<_, String>(args[0].clone())).takes(T::Int).gives(T::Int);
        let functions = Functions::new().register(own()).expect("it is registered");
        // Nothing to hold but that it ends with a program or findings.
        if let Err(findings) = compiled(&graph("", &text), &functions) {
            prop_assert!(findings.contains("own.yaml:"), "{findings}");
        }
    }
}

#[test]
fn calls_in_calls_end_at_the_depth_of_expressions() {
    let own = OwnFunction::new("f", 1, |args| Ok::<_, String>(args[0].clone())).takes(T::Int).gives(T::Int);
    let functions = Functions::new().register(own).expect("it is registered");
    let nested = |depth: usize| format!("{}1{}", "f(".repeat(depth), ")".repeat(depth));
    assert_eq!(super::value_of(&nested(60), &functions), Ok(Value::Int(1)));
    let findings = compiled(&graph("", &nested(500)), &functions).expect_err("it is too deep");
    assert!(findings.contains("too-deep") || findings.contains("expression-limit"), "{findings}");
}

#[test]
fn a_panic_leaves_the_run_and_the_function_usable() {
    let functions = super::functions();
    for _ in 0..3 {
        let failed = super::value_of("strike('once')", &functions);
        assert_eq!(failed, Err("evaluation: `strike` panicked: it struck once".to_owned()));
    }
    assert_eq!(super::value_of("four()", &functions), Ok(Value::Int(4)));
}

#[test]
fn one_table_serves_many_threads() {
    let functions = super::functions();
    let program =
        compiled(&graph("", "[total([1], four()), nested(3).size()]"), &functions).expect("it compiles");
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..100 {
                    assert_eq!(super::ended(&program).output.to_json().to_string(), r#"{"o":[5,1]}"#);
                    super::value_of("strike('hard')", &functions).expect_err("it panics");
                }
            });
        }
    });
}
