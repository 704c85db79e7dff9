//! What is sent: one snapshot for each provider, of every kind of answer.

use std::fmt::Write as _;

use loopwright::llm::HttpRequest;
use loopwright::program::graph::LinkedNodeKind;
use loopwright::value::Value;
use serde_json::{Value as Json, json};

use super::world::World;
use crate::played::compiled;

const TYPES: &str = "
graph: answers
types:
  Step:
    tool: string(40)?
    level: int(0..9)
    mood: enum(calm, loud)?
    price: usd
    wait: duration
    notes: list<string(2000)>(3)
    why: string = '''none'''
  Open: {name: string, counts: map<int>, rest: any}
  Tree: {name: string, left: Tree?, right: Tree?}
  Twice: {first: Plain, second: Plain?}
  Plain: {name: string}
state: {x: any}
start: a
nodes:
  a: {kind: model, role: r, prompt: '''?''', output: Step, into: x, next: [{to: b}]}
  b: {kind: model, role: r, prompt: '''?''', output: Open, into: x, next: [{to: c}]}
  c: {kind: model, role: r, prompt: '''?''', output: Tree, into: x, next: [{to: d}]}
  d: {kind: model, role: r, prompt: '''?''', output: Twice, into: x, next: [{to: e}]}
  e: {kind: model, role: r, prompt: '''?''', output: list<int>, into: x, next: [{to: f}]}
  f: {kind: model, role: r, prompt: '''?''', output: any, into: x, next: [{to: end}]}
  end: {kind: final}
output: {x: x}
";

/// The schema of each kind of answer, with an answer that fits.
fn schemas() -> Vec<(&'static str, Value, Json)> {
    let program = compiled(&[("answers.yaml", TYPES)]);
    let schemas: Vec<Value> = program.graphs[0]
        .nodes
        .iter()
        .filter_map(|node| match &node.kind {
            LinkedNodeKind::Model(code) => Some(code.output.schema.clone()),
            _ => None,
        })
        .collect();
    let fits = [
        json!({"tool": null, "level": 9, "mood": null, "price": "0.25", "wait": "1m30s", "notes": ["a"], "why": "x"}),
        json!({"name": "n", "counts": {"a": 1}, "rest": [1]}),
        json!({"name": "n", "left": {"name": "m", "left": null, "right": null}, "right": null}),
        json!({"first": {"name": "a"}, "second": null}),
        json!([1, 2]),
        json!("anything"),
    ];
    let names =
        ["a record", "an open record", "a record that holds itself", "a record twice", "a list", "any"];
    let mut all: Vec<_> =
        names.into_iter().zip(schemas).zip(fits).map(|((name, schema), fits)| (name, schema, fits)).collect();
    let narrowed = json!({
        "type": "object",
        "properties": {
            "tool": {"type": ["string", "null"], "enum": ["add", "search", null]},
            "call": {"oneOf": [call("add", &json!({"type": "object"})), call("search", &args())]},
        },
        "required": ["call"],
        "additionalProperties": false,
    });
    let mut closed = narrowed.clone();
    closed["properties"]["call"] = json!({"oneOf": [call("search", &args())]});
    let fits = json!({"tool": "add", "call": {"tool": "search", "args": {"query": "bees"}}});
    all.push(("a narrowed record", Value::from_json(&narrowed), fits.clone()));
    all.push(("a narrowed record of described calls", Value::from_json(&closed), fits));
    all
}

fn args() -> Json {
    json!({"type": "object", "properties": {"query": {"type": "string", "minLength": 1}}, "required": ["query"]})
}

fn call(tool: &str, args: &Json) -> Json {
    json!({
        "type": "object",
        "properties": {"tool": {"type": "string", "const": tool}, "args": args},
        "required": ["tool", "args"],
        "additionalProperties": false,
    })
}

const CASES: [(&str, &str, &str); 5] = [
    ("anthropic", "anthropic", ""),
    ("gemini", "gemini", ""),
    ("ollama", "ollama", ""),
    ("openai", "openai", ""),
    ("llamacpp", "openai", "base_url = \"http://127.0.0.1:8080/v1\""),
];

const SAMPLING: &str = "temperature = 0.5\nseed = 7\nmax_tokens = 512";

#[test]
fn requests_have_the_shape_of_the_provider() {
    for (name, provider, more) in CASES {
        let world = World::new(provider, &format!("{more}\n{SAMPLING}"));
        let mut told = String::new();
        let mut say = |what: &str, request: &HttpRequest, full: bool| {
            let body: Json = serde_json::from_slice(&request.body).expect("a body is JSON");
            let shown = if full { body } else { asked_for(&body) };
            let _ =
                writeln!(told, "== {what}\n{}", serde_json::to_string_pretty(&shown).expect("it is JSON"));
        };
        let request = world.sent(Value::Null);
        let headers: Vec<String> =
            request.headers.iter().map(|(name, value)| format!("{name}: {}", value.reveal())).collect();
        say(&format!("text\nPOST {}\n{}", request.url, headers.join("\n")), &request, true);
        for (what, schema, _) in schemas() {
            say(what, &world.sent(schema), false);
        }
        for structured in ["json", "prompt"] {
            let world = World::new(provider, &format!("{more}\nstructured = \"{structured}\""));
            for (what, schema, _) in
                schemas().into_iter().filter(|(what, ..)| what.ends_with("list") || what.ends_with("twice"))
            {
                say(&format!("{what}, by {structured}"), &world.sent(schema), false);
            }
        }
        insta::assert_snapshot!(format!("requests_{name}"), told);
    }
}

/// What in a request has to do with the form of the answer.
fn asked_for(body: &Json) -> Json {
    let form =
        ["/output_config/format", "/generationConfig/responseJsonSchema", "/format", "/response_format"];
    let form = form.iter().find_map(|path| body.pointer(path));
    let mime = body.pointer("/generationConfig/responseMimeType");
    let text = serde_json::to_string(body).expect("it is JSON");
    let in_words = text.contains("Answer with one JSON value");
    json!({"form": form, "mime": mime, "schema in words": in_words})
}

#[test]
fn what_is_sent_never_forbids_what_the_type_allows_and_every_provider_can_say() {
    for (name, provider, more) in CASES {
        let world = World::new(provider, more);
        for (what, schema, fits) in schemas() {
            let whole = jsonschema::validator_for(&schema.to_json()).expect("a good schema");
            assert!(whole.is_valid(&fits), "{what}");
            let body: Json = serde_json::from_slice(&world.sent(schema).body).expect("a body is JSON");
            let sent = [
                "/output_config/format/schema",
                "/generationConfig/responseJsonSchema",
                "/format",
                "/response_format/json_schema/schema",
            ];
            let Some(sent) = sent.iter().find_map(|path| body.pointer(path)).filter(|sent| sent.is_object())
            else {
                continue;
            };
            let sent = jsonschema::validator_for(sent).expect("a good schema");
            assert!(sent.is_valid(&fits), "{name}: {what}");
        }
    }
}

#[test]
fn a_name_of_a_model_cannot_leave_its_place_in_the_address() {
    let address = |model: &str| World::named("gemini", model).sent(Value::Null).url;
    let home = "https://generativelanguage.googleapis.com/v1beta";
    assert_eq!(
        address("a?b#c d:e"),
        format!("{home}/models/a%3Fb%23c%20d%3Ae:streamGenerateContent?alt=sse")
    );
    assert_eq!(address("tunedModels/mine"), format!("{home}/tunedModels/mine:streamGenerateContent?alt=sse"));
}
