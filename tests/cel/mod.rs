//! The public conformance tests of CEL: every test inside the subset passes, the others are counted by reason.

mod case;
mod page;
mod run;
mod scope;

use std::collections::BTreeMap;

use loopwright::source::{FileId, Fragment};
use loopwright::syntax::expr;
use loopwright::value::Value;

use case::{Case, Typed, Wanted};
use run::Ended;
use scope::Reason;

/// What became of a test.
enum Judged {
    Passed,
    Outside(Reason),
    Failed(String),
}

fn judge(case: &Case) -> Judged {
    if let Some(reason) = scope::outside(case) {
        return Judged::Outside(reason);
    }
    let mut found = Vec::new();
    let read = expr::expression(&Fragment::verbatim(case.text.as_str(), FileId(0), 0), &mut found);
    let Some(tree) = read else {
        let d = &found[0];
        return match case.wanted {
            Wanted::Error => Judged::Passed,
            Wanted::Value(_) => Judged::Failed(format!("not read: {}: {}", d.rule, d.message)),
        };
    };
    if let Some(reason) = scope::outside_by_tree(case, &tree) {
        return Judged::Outside(reason);
    }
    match (&case.wanted, run::run(case, &tree)) {
        (Wanted::Error, Ended::Refused(_) | Ended::Failed(_)) => Judged::Passed,
        (Wanted::Error, Ended::Value(value)) => Judged::Failed(format!("an error was wanted, not {value:?}")),
        (Wanted::Value(wanted), Ended::Value(value)) if same(wanted, &value) => Judged::Passed,
        (Wanted::Value(wanted), Ended::Value(value)) => {
            Judged::Failed(format!("{wanted:?} was wanted, not {value:?}"))
        }
        (Wanted::Value(_), Ended::Refused(_)) if case.unchecked => Judged::Outside(scope::UNCHECKED),
        (Wanted::Value(_), Ended::Refused(why)) => Judged::Failed(format!("refused: {why}")),
        (Wanted::Value(_), Ended::Failed(why)) => Judged::Failed(format!("failed: {why}")),
    }
}

/// Whether a value is exactly the one that is wanted: an int is no double.
fn same(wanted: &Typed, value: &Value) -> bool {
    let json = &wanted.json;
    match (wanted.kind.as_str(), value) {
        ("null", Value::Null) => true,
        ("bool", Value::Bool(own)) => json == own,
        ("int", Value::Int(own)) => json.as_i64() == Some(*own),
        ("double", Value::Float(own)) => {
            let wanted = run::float(wanted);
            wanted.partial_cmp(own).is_some_and(std::cmp::Ordering::is_eq) || wanted.is_nan() && own.is_nan()
        }
        ("string", Value::Str(own)) => json.as_str() == Some(own.as_str()),
        ("type", Value::Str(own)) => json.as_str().map(type_name) == Some(own.as_str()),
        ("list", Value::List(own)) => {
            let parts = wanted.parts();
            parts.len() == own.len() && parts.iter().zip(own.iter()).all(|(part, item)| same(part, item))
        }
        ("map", Value::Map(own)) => {
            let parts = wanted.parts();
            let found = |key: &Typed| key.json.as_str().and_then(|key| own.get(key));
            parts.len() == 2 * own.len()
                && parts.chunks(2).all(|entry| found(&entry[0]).is_some_and(|item| same(&entry[1], item)))
        }
        _ => false,
    }
}

/// The name this language has for a type of CEL.
fn type_name(cel: &str) -> &str {
    match cel {
        "double" => "float",
        "null_type" => "null",
        "google.protobuf.Duration" => "duration",
        other => other,
    }
}

/// The counts of one file of tests.
#[derive(Default)]
struct Counts {
    passed: usize,
    outside: BTreeMap<Reason, usize>,
}

#[test]
fn golden_cel_simple() {
    let mut files: Vec<(String, Counts)> = Vec::new();
    let mut examples: BTreeMap<Reason, String> = BTreeMap::new();
    let mut failures = Vec::new();
    let text = crate::golden::read("cel_simple.jsonl");
    let cases: Vec<Case> = text.lines().map(Case::new).collect();
    for case in &cases {
        if files.last().is_none_or(|(name, _)| *name != case.file) {
            files.push((case.file.clone(), Counts::default()));
        }
        let counts = &mut files.last_mut().expect("a file was just added").1;
        match judge(case) {
            Judged::Passed => counts.passed += 1,
            Judged::Outside(reason) => {
                *counts.outside.entry(reason).or_default() += 1;
                let example = examples.entry(reason).or_insert_with(|| case.text.clone());
                if case.text.len() < example.len() {
                    example.clone_from(&case.text);
                }
            }
            Judged::Failed(why) => {
                failures.push(format!("{}/{}: {}\n    {why}", case.file, case.name, case.text));
            }
        }
    }
    let passed: usize = files.iter().map(|(_, counts)| counts.passed).sum();
    println!("cel_simple.jsonl: {} cases, {passed} passed", cases.len());
    assert!(failures.is_empty(), "{} tests inside the subset fail:\n{}", failures.len(), failures.join("\n"));
    if crate::golden::is_own("cel_simple.jsonl") {
        page::keep_current(&page::page(&files, &examples, cases.len()));
    }
}
