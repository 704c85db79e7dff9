//! Names and signatures that are registered, or refused.

use loopwright::program::function::TypePattern as T;
use loopwright::program::function::{Functions, OwnFunction};
use loopwright::value::Value;

use super::{compiled, function, functions, graph};

const REFUSED: [&str; 28] = [
    "",
    "a b",
    "a-b",
    "1a",
    "é",
    "a.b",
    "math.abs",
    "a\n",
    "if",
    "when",
    "null",
    "true",
    "while",
    "is",
    "result",
    "error",
    "tools",
    "size",
    "contains",
    "startsWith",
    "dyn",
    "used",
    "has",
    "previous",
    "map",
    "all",
    "math",
    "cel",
];

#[test]
fn names_that_mean_something_else_are_refused() {
    let long = "x".repeat(65);
    let messages: Vec<String> = REFUSED
        .into_iter()
        .chain([long.as_str(), "four"])
        .map(|name| {
            let error = functions().register(function(name, |_| Ok(1))).expect_err(name);
            format!("{name:?}: {error}")
        })
        .collect();
    insta::assert_snapshot!(messages.join("\n"));
}

#[test]
fn signatures_that_no_value_has_are_refused() {
    let own = || function("f", |_| Ok(1));
    let deep = (0..20).fold(&T::Int, |inner, _| Box::leak(Box::new(T::List(inner))));
    let many = (0..65).fold(own(), |own, _| own.takes(T::Int));
    let wrong = [
        own().takes(T::T),
        own().gives(T::List(&T::T)),
        own().takes(T::TypeName),
        own().takes(T::OrNull(&T::OrNull(&T::Int))),
        own().gives(*deep),
        many,
    ];
    let messages = wrong.map(|own| Functions::new().register(own).expect_err("it is refused").to_string());
    insta::assert_snapshot!(messages.join("\n"));
}

#[test]
fn thousands_can_be_registered_and_no_more() {
    let mut functions = Functions::new();
    for n in 0..Functions::MAX_OWN {
        let number = i64::try_from(n).expect("it is small");
        functions = functions
            .register(function(&format!("f{n}"), move |_| Ok(number)).gives(T::Int))
            .expect("the name is free");
    }
    let found = super::value_of("f0() + f9999()", &functions);
    assert_eq!(found, Ok(Value::Int(9_999)));
    let error = compiled(&graph("", "f10000()"), &functions).expect_err("there is none");
    assert!(error.contains("there is no function `f10000`"), "{error}");
    let error = functions.register(function("more", |_| Ok(1))).expect_err("it is one too many");
    assert_eq!(error.to_string(), "`more` is one function too many; 10000 can be registered");
}

#[test]
fn a_clone_has_its_own_functions() {
    let one =
        Functions::new().register(OwnFunction::new("one", 1, |_| Ok::<_, String>(1))).expect("it is free");
    let two = one.clone().register(OwnFunction::new("two", 7, |_| Ok::<_, String>(2))).expect("it is free");
    assert_eq!((one.version("two"), two.version("two")), (None, Some(7)));
    assert_eq!(format!("{one:?} {two:?}"), r#"{"one"} {"one", "two"}"#);
    assert_eq!(two.own("one"), one.own("one"));
}
