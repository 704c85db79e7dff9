//! Native calls of tools: replies with calls, in the shape of each provider, and the requests of a conversation.

use std::fmt::Write as _;

use loopwright::machine::Outcome;
use loopwright::value::{List, Value, json as text};
use serde_json::{Value as Json, json};

use super::encoded::{Part, encoded};
use super::world::{End, PROVIDERS, Reply, World};

/// The tools that are offered.
fn offered() -> List {
    List::from_iter(["search", "read.file", "pay"].map(Value::from))
}

/// A reply: its parts, and why it ends.
struct Case {
    name: String,
    parts: Vec<Part>,
    end: &'static str,
}

fn case(name: impl Into<String>, parts: Vec<Part>) -> Case {
    Case { name: name.into(), parts, end: "stop" }
}

fn said(text: &str) -> Part {
    Part::Text(text.to_owned())
}

fn call(id: &str, tool: &str, args: &Json) -> Part {
    Part::Call { id: id.to_owned(), tool: tool.to_owned(), args: args.to_string() }
}

/// Sixty replies: text and calls in all orders, arguments of every type and size, ids that are missing or doubled.
fn cases() -> Vec<Case> {
    let q = json!({"q": "bees"});
    let mut all = vec![
        case("a text alone", vec![said("Hello.")]),
        case("no text and no call", vec![]),
        case("a call alone", vec![call("c1", "search", &q)]),
        case("a call after a text", vec![said("Let me see."), call("c1", "search", &q)]),
        case("a call before a text", vec![call("c1", "search", &q), said("That is it.")]),
        case("a text on both sides", vec![said("One. "), call("c1", "search", &q), said("Two.")]),
        case("two calls", vec![call("c1", "search", &q), call("c2", "pay", &json!({"n": 1}))]),
        case("the same call twice", vec![call("c1", "search", &q), call("c2", "search", &q)]),
        case("calls of one id", vec![call("c1", "search", &q), call("c1", "pay", &json!({}))]),
        case("a call without an id", vec![call("", "search", &q)]),
        case("calls without ids", vec![call("", "search", &q), call("", "pay", &json!({}))]),
        case("a tool that was not offered", vec![call("c1", "delete", &q)]),
        case("a tool without a name", vec![call("c1", "", &q)]),
        case(
            "a name that the provider does not take",
            vec![call("c1", "read_file_3b9c574c", &json!({"path": "a"}))],
        ),
        case("no arguments", vec![call("c1", "pay", &json!({}))]),
        case(
            "null for arguments",
            vec![Part::Call { id: "c1".into(), tool: "pay".into(), args: "null".into() }],
        ),
        case("a list for arguments", vec![call("c1", "pay", &json!([1]))]),
        case("a text for arguments", vec![call("c1", "pay", &json!("all"))]),
        case("texts in a row", vec![said("One. "), said("Two.")]),
        case("a text between calls", vec![call("c1", "search", &q), said("And "), call("c2", "search", &q)]),
        case("an id of other signs", vec![call("call:1/ü", "search", &q)]),
        case(
            "reasoning between calls",
            vec![call("c1", "search", &q), Part::Reasoning("More.".into()), call("c2", "search", &q)],
        ),
        case(
            "reasoning before a call",
            vec![Part::Reasoning("Bees, then.".into()), call("c1", "search", &q)],
        ),
        case("reasoning before a text", vec![Part::Reasoning("Bees.".into()), said("Buzz.")]),
        case(
            "words of another script",
            vec![said("Grüße 🌍"), call("c1", "search", &json!({"q": "Köln 🌍"}))],
        ),
    ];
    for n in [3, 8, 33] {
        let many = (0..n).map(|i| call(&format!("c{i}"), "search", &json!({"q": i}))).collect();
        all.push(case(format!("{n} calls"), many));
    }
    let values = [
        json!(null),
        json!(true),
        json!(-1),
        json!(1.5),
        json!(9_007_199_254_740_993_i64),
        json!(""),
        json!("\"\\\n\t{}[]"),
        json!("data: x\n\nevent: y"),
        json!([]),
        json!([[], {}]),
        json!({}),
        json!({"a": {"b": {"c": [1, "2", null]}}}),
    ];
    for value in values {
        all.push(case(format!("an argument {value}"), vec![call("c1", "search", &json!({"q": value}))]));
    }
    for size in [1_000, 60_000] {
        let large = json!({"q": "x".repeat(size)});
        all.push(case(format!("an argument of {size} bytes"), vec![call("c1", "search", &large)]));
    }
    let deep = (0..40).fold(json!(1), |inner, _| json!([inner]));
    all.push(case("an argument that nests", vec![call("c1", "search", &json!({"q": deep}))]));
    let wide: Json = (0..200).map(|i| (format!("k{i}"), json!(i))).collect::<serde_json::Map<_, _>>().into();
    all.push(case("an argument with many fields", vec![call("c1", "search", &wide)]));
    for (name, parts) in [
        ("a text", vec![said("To be contin")]),
        ("no text", vec![]),
        ("a call", vec![call("c1", "search", &q)]),
        ("a text and a call", vec![said("Now "), call("c1", "search", &q)]),
    ] {
        all.push(Case { end: "length", ..case(format!("{name} up to the limit"), parts) });
        let parts = vec![said("No.")];
        all.push(Case { end: "refused", ..case(format!("a refusal in place of {name}"), parts) });
    }
    let odd = [
        "{",
        "{\"q\": }",
        "{\"q\": 1} x",
        "{\"q\": 1, \"q\": 2}",
        "{'q': 1}",
        "\u{fffd}",
        "{\"q\": NaN}",
        "[",
        "tru",
    ];
    for args in odd {
        let part = Part::Call { id: "c1".into(), tool: "search".into(), args: args.into() };
        all.push(case(format!("arguments `{args}`"), vec![said("So."), part]));
    }
    all
}

/// Words of the outcome in one line: an answer whole, an error with its message.
fn shown(outcome: &Outcome) -> String {
    let short = |text: String| match text.char_indices().nth(260) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text,
    };
    match outcome {
        Outcome::Answer { value, .. } => short(text::canonical(value)),
        Outcome::Failed { kind, message, .. } => short(format!("{kind}: {message}")),
        Outcome::Unknown { message } => panic!("a model's call has no unknown end: {message}"),
    }
}

#[test]
fn calls_are_read() {
    assert!(cases().len() >= 60, "{} cases", cases().len());
    for provider in PROVIDERS {
        let world = World::new(provider, "");
        let mut told = String::new();
        for case in cases() {
            let Some(bytes) = encoded(provider, &case.parts, case.end) else { continue };
            let outcome = world.converse(&offered(), Reply::of(&bytes)).0;
            let _ = writeln!(told, "{}: {}", case.name, shown(&outcome));
        }
        insta::assert_snapshot!(format!("calls_{provider}"), told);
    }
}

/// True if replies are cut at each byte, and come in pieces of each size.
fn every() -> bool {
    std::env::var_os("LOOPWRIGHT_EVERY").is_some()
}

#[test]
fn calls_are_the_same_however_the_bytes_come() {
    for provider in PROVIDERS {
        let world = World::new(provider, "");
        for case in cases() {
            let Some(bytes) = encoded(provider, &case.parts, case.end) else { continue };
            let whole = world.converse(&offered(), Reply::of(&bytes)).0;
            let sizes = match (every(), bytes.len() > 4_000) {
                (true, true) => (1..=200).collect(),
                (true, false) => (1..=bytes.len()).collect(),
                (false, true) => vec![1, 7, 4_000],
                (false, false) => vec![1, 2, 3, 5, 8, 13, 64, 500],
            };
            for size in sizes {
                let outcome = world.converse(&offered(), Reply::in_pieces(&bytes, size)).0;
                assert_eq!(outcome, whole, "{provider}/{} by {size}", case.name);
            }
        }
    }
}

#[test]
fn a_reply_that_is_cut_off_makes_no_call() {
    for provider in PROVIDERS {
        let world = World::new(provider, "");
        for case in cases() {
            let Some(bytes) = encoded(provider, &case.parts, case.end) else { continue };
            let whole = world.converse(&offered(), Reply::of(&bytes)).0;
            let step = if every() { 1 } else { (bytes.len() / 400).max(1) };
            for cut in (0..bytes.len()).step_by(step) {
                for end in [End::Whole, End::Broken] {
                    let outcome = world.converse(&offered(), Reply { end, ..Reply::of(&bytes[..cut]) }).0;
                    if let Outcome::Answer { value, .. } = &outcome {
                        let Outcome::Answer { value: wanted, .. } = &whole else {
                            panic!("{provider}/{} cut at {cut}: {outcome:?}", case.name)
                        };
                        assert_eq!(value, wanted, "{provider}/{} cut at {cut}", case.name);
                    }
                }
            }
        }
    }
}

/// A conversation of two rounds with two calls in one turn.
fn conversation() -> Json {
    json!([
        {"from": "system", "text": "You are brief.", "cached": true},
        {"from": "user", "text": "About bees?"},
        {"from": "assistant", "text": "Let me see.", "tool_calls": [
            {"id": "c1", "tool": "search", "args": {"q": "bees"}},
            {"id": "c2", "tool": "read.file", "args": {"path": "bees.md"}},
        ]},
        {"from": "tool", "tool_call": "c1", "name": "search", "text": "3 hits"},
        {"from": "tool", "tool_call": "c2", "name": "read.file", "text": "Bees buzz.", "cached": true},
        {"from": "assistant", "text": "They buzz."},
        {"from": "user", "text": "Who?"},
    ])
}

#[test]
fn conversations_have_the_shape_of_the_provider() {
    for provider in PROVIDERS {
        let world = World::new(provider, "");
        let Value::List(messages) = Value::from_json(&conversation()) else { panic!("a list") };
        let sent = world.sent_for(&messages, &offered());
        let body: Json = serde_json::from_slice(&sent.body).expect("JSON is sent");
        insta::assert_snapshot!(
            format!("conversation_{provider}"),
            serde_json::to_string_pretty(&body).expect("it is JSON")
        );
    }
}

#[test]
fn what_was_sent_stays_as_it_was() {
    for provider in PROVIDERS {
        let world = World::new(provider, "");
        let Json::Array(all) = conversation() else { panic!("a list") };
        let mut before: Vec<Json> = Vec::new();
        for end in [2, 5, 7] {
            let Value::List(messages) = Value::from_json(&json!(all[..end])) else { panic!("a list") };
            let sent = world.sent_for(&messages, &offered());
            let mut body: Json = serde_json::from_slice(&sent.body).expect("JSON is sent");
            without_marks(&mut body);
            let list = body.get("messages").or_else(|| body.get("contents")).and_then(Json::as_array);
            let list = list.expect("a list of messages").clone();
            assert_eq!(list[..before.len()], before[..], "{provider}");
            before = list;
        }
    }
}

fn without_marks(value: &mut Json) {
    match value {
        Json::Object(fields) => {
            fields.remove("cache_control");
            fields.values_mut().for_each(without_marks);
        }
        Json::Array(items) => items.iter_mut().for_each(without_marks),
        _ => {}
    }
}
