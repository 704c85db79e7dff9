use proptest::collection::vec;
use proptest::prelude::*;

use super::{Cost, Function, FunctionForm, Functions};
use crate::program::fault::{Fault, FaultKind};
use crate::program::meter::{MAX_RESULT, Meter};
use crate::value::sample::value;
use crate::value::{List, Value, digest};

fn call(function: Function, args: &[Value], meter: &mut Meter) -> Result<Value, Fault> {
    Functions::new().call(function, args, meter)
}

/// Finds a function by how the table writes it: `.name` for a receiver, `-1` for the sign.
fn function(name: &str) -> Function {
    let found = match name.strip_prefix('.') {
        Some(name) => Function::receiver(name),
        None if name == "-1" => Some(Function::NEGATE),
        None => Function::global(name).or_else(|| {
            Function::ALL.iter().copied().find(|own| own.is_operator() && own.name() == Some(name))
        }),
    };
    found.unwrap_or_else(|| panic!("no function {name}"))
}

/// Runs one line of the table; the complaint, if it gives something else.
fn judge(line: &str) -> Option<String> {
    let (name, rest) = line.split_once(' ').expect("a name");
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
    let args = values.next().expect("arguments").expect("JSON");
    let expected = rest[values.byte_offset()..].trim();
    let args: Vec<Value> = args.as_list().expect("a list").iter().cloned().collect();
    let outcome = call(function(name), &args, &mut Meter::default());
    let good = match (&outcome, expected.strip_prefix("! ")) {
        (Err(fault), Some(part)) => fault.message.contains(part),
        // The debug form shows the variants as well.
        (Ok(found), None) => {
            let wanted: Value = serde_json::from_str(expected).expect("JSON");
            format!("{found:?}") == format!("{wanted:?}")
        }
        _ => false,
    };
    (!good).then(|| format!("{line}\n  gave {outcome:?}"))
}

#[test]
fn each_call_gives_what_the_table_says() {
    let lines = include_str!("calls.txt").lines().filter(|line| !line.starts_with('#'));
    let wrong: Vec<String> = lines.filter_map(judge).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn rows_are_whole() {
    for (at, function) in Function::ALL.iter().enumerate() {
        let row = function.built_in().expect("it is built in");
        assert!(row.doc.ends_with('.') && !row.doc.contains('\n'), "{}", row.name);
        let (expression, gives) = row.example;
        assert!(expression != gives && !gives.is_empty(), "{}", row.name);
        let (least, most) = row.arity();
        assert!(0 < least && least <= most, "{}", row.name);
        let others = Function::ALL[..at].iter().filter_map(|other| other.built_in());
        let same = others.filter(|other| other.name == row.name && row.form != FunctionForm::Operator);
        assert_eq!(same.count(), 0, "`{}` stands there twice", row.name);
    }
}

#[test]
fn names_find_their_functions() {
    assert_eq!(Function::global("math.least"), Some(Function::LEAST));
    assert_eq!(Function::global("size"), Some(Function::SIZE));
    assert_eq!(Function::receiver("size"), Some(Function::SIZE));
    assert_eq!(Function::receiver("keys"), None);
    assert_eq!(Function::global("split"), None);
    assert_eq!(
        call(Function::SIZE, &[], &mut Meter::default()).map_err(|fault| fault.message.to_string()),
        Err("`size` does not take 0 arguments".to_owned())
    );
}

#[test]
fn doubling_a_string_ends_in_a_clear_fault() {
    let mut text = Value::from("x".repeat(1024));
    let mut meter = Meter::default();
    let fault = loop {
        match call(Function::ADD, &[text.clone(), text], &mut meter) {
            Ok(longer) => text = longer,
            Err(fault) => break fault,
        }
    };
    assert_eq!(
        (fault.kind, fault.message.as_str()),
        (FaultKind::TooLarge, "the result would be larger than 16 MiB")
    );
}

#[test]
fn doubling_a_list_ends_in_a_clear_fault() {
    let mut list = Value::from(vec!["some text"; 64]);
    let fault = loop {
        match call(Function::ADD, &[list.clone(), list], &mut Meter::default()) {
            Ok(longer) => list = longer,
            Err(fault) => break fault,
        }
    };
    assert_eq!(fault.kind, FaultKind::TooLarge);
    // A list that holds itself twice over and over is huge without taking memory.
    let mut nest = Value::from(vec![1_i64]);
    for _ in 0..60 {
        nest = Value::List([nest.clone(), nest].into_iter().collect());
    }
    for name in ["json", "digest", "==", ".flatten", ".format"] {
        let args = match name {
            "==" => vec![nest.clone(), nest.clone()],
            ".flatten" => vec![nest.clone(), Value::Int(64)],
            ".format" => vec!["%s".into(), Value::List(List::from(vec![nest.clone()]))],
            _ => vec![nest.clone()],
        };
        let fault = call(function(name), &args, &mut Meter::default()).expect_err("too much");
        assert_ne!(fault.kind, FaultKind::Evaluation, "{name}");
    }
}

#[test]
fn a_meter_ends_work_that_goes_on_and_on() {
    let list = call(function("lists.range"), &[Value::Int(10_000)], &mut Meter::default()).expect("fits");
    let mut meter = Meter::new(1_000_000);
    let count = (0..1000)
        .take_while(|_| call(Function::SUM, std::slice::from_ref(&list), &mut meter).is_ok())
        .count();
    assert!((90..101).contains(&count), "{count}");
    assert_eq!(meter.used(), 1_000_000);
    assert_eq!(meter.charge(1).map_err(|fault| fault.kind), Err(FaultKind::Cost));
}

#[test]
fn an_expression_costs_the_same_compiled_or_kept() {
    let cost = || {
        let mut meter = Meter::default();
        call(function("matches"), &["abc".into(), "only here [a-z]+".into()], &mut meter).expect("matches");
        meter.used()
    };
    assert_eq!(cost(), cost());
}

#[test]
fn a_digest_is_that_of_the_value() {
    let found = call(function("digest"), &[Value::Float(1.0)], &mut Meter::default());
    assert_eq!(found, Ok(digest(&Value::Int(1)).to_string().into()));
}

proptest! {
    #[test]
    fn no_call_panics_or_gives_too_much(index in 0..Function::ALL.len(), args in vec(value(), 1..5)) {
        let function = Function::ALL[index];
        let (least, most) = function.built_in().expect("it is built in").arity();
        for count in least..=most.min(args.len()) {
            if let Some(args) = args.get(..count) && let Ok(result) = call(function, args, &mut Meter::default()) {
                prop_assert!(result.size_estimate() <= MAX_RESULT);
            }
        }
    }

    #[test]
    fn a_fixed_cost_is_the_same_for_all_arguments(index in 0..Function::ALL.len(), args in vec(value(), 1..5)) {
        let function = Function::ALL[index];
        let mut meter = Meter::default();
        if function.built_in().is_some_and(|row| row.cost == Cost::Fixed) && call(function, &args, &mut meter).is_ok() {
            prop_assert!(meter.used() <= 2, "{function:?} used {}", meter.used());
        }
    }

    #[test]
    fn no_text_function_panics(index in 0..Function::ALL.len(), text in ".{0,9}", part in ".{0,2}", more in ".{0,2}", place in -2_i64..12, end in -2_i64..12) {
        let function = Function::ALL[index];
        let (text, part, more) = (Value::from(text), Value::from(part), Value::from(more));
        for args in [
            vec![text.clone()],
            vec![text.clone(), part.clone()],
            vec![text.clone(), Value::Int(place)],
            vec![text.clone(), Value::Int(place), Value::Int(end)],
            vec![text.clone(), part.clone(), Value::Int(place)],
            vec![text.clone(), part.clone(), more.clone(), Value::Int(place)],
            vec![text.clone(), Value::List([part, more, Value::Int(place)].into_iter().collect())],
        ] {
            let _ = call(function, &args, &mut Meter::default());
        }
    }

    #[test]
    fn every_pattern_is_read_or_refused(pattern in r"[\\\[\]^a\-&~:QEdwsbDWSB(){}|*+?.<>é]{0,12}", text in "[a\\-\\[\\]é 0<]{0,8}") {
        let _ = call(function("matches"), &[text.into(), pattern.into()], &mut Meter::default());
    }
}
