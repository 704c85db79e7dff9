//! Answers that `limits` narrows: the schema of the request, the test of the answer, and what is stored of both.

use std::sync::Arc;

use loopwright::machine::{EventKind, Request};
use loopwright::program::Program;
use loopwright::scenario::{PlayedRun, RunFacts};
use loopwright::value::Value;
use serde_json::{Value as Json, json};

use crate::played::{World, compiled, says};

/// A graph whose only node asks for an answer with these fields and limits.
fn program(fields: &str, limits: &str) -> Arc<Program> {
    let text = format!(
        "graph: narrow
input: {{names: list<string>}}
types:
  Move:
    {}
  Call: {{tool: string, args: map<any>}}
  Odd: {{tool: 'enum(search, find)', level: int?}}
state: {{move: Move?, told: string?}}
start: think
nodes:
  think:
    kind: model
    role: r
    prompt: \"'?'\"
    output: Move
    limits:
      {}
    into: move
    next: [{{to: done}}, {{to: done, on: error, do: \"told = error.kind + ': ' + error.message\"}}]
  done: {{kind: final}}
",
        fields.replace("; ", "\n    "),
        limits.replace("; ", "\n      ")
    );
    compiled(&[("narrow.yaml", &text)])
}

fn catalogue() -> [(&'static str, Value); 3] {
    let search = json!({
        "type": "object",
        "properties": {"query": {"type": "string"}, "near": {"$ref": "#/$defs/Near"}},
        "required": ["query"],
        "additionalProperties": false,
        "$defs": {"Near": {"type": "object", "properties": {"place": {"type": "string"}, "next": {"$ref": "#/$defs/Near"}}}},
    });
    let broken = json!({"type": 5});
    [("search", search), ("add", json!(null)), ("broken", broken)]
        .map(|(name, schema)| (name, Value::from_json(&schema)))
}

fn asked(program: &Program, inputs: &Json, answer: &Json) -> (PlayedRun, RunFacts) {
    World::new().inputs(inputs).catalogue(catalogue()).model(says(answer)).play(program)
}

/// The schema of the request that was made.
fn schema(run: &PlayedRun) -> Option<Json> {
    run.events.iter().find_map(|event| match &event.kind {
        EventKind::Called(call) => match &call.request {
            Request::Model { schema, .. } => Some(schema.to_json()),
            _ => None,
        },
        _ => None,
    })
}

fn told(facts: &RunFacts) -> String {
    facts.state.get("told").and_then(Value::as_str).unwrap_or("fits").to_owned()
}

type Case = (&'static str, &'static str, Json, &'static str);

/// Fields, limits, an answer, and what comes of it.
fn texts() -> Vec<Case> {
    vec![
        // A text, with and without null, with a default, in a list.
        ("tool: string", "tool: names", json!({"tool": "add"}), "fits"),
        (
            "tool: string",
            "tool: names",
            json!({"tool": "pay"}),
            r#"invalid_output: at tool: wanted one of "search", "add", found "pay""#,
        ),
        (
            "tool: string",
            "tool: names",
            json!({}),
            "invalid_output: at tool: wanted string, found nothing: the field is missing",
        ),
        ("tool: string?", "tool: names", json!({"tool": null}), "fits"),
        (
            "tool: string?",
            "tool: names",
            json!({"tool": ""}),
            r#"invalid_output: at tool: wanted one of "search", "add", null, found """#,
        ),
        ("tool: string = 'add'", "tool: names", json!({}), "fits"),
        (
            "tool: string = 'pay'",
            "tool: names",
            json!({}),
            r#"invalid_output: at tool: wanted one of "search", "add", found "pay""#,
        ),
        (
            "tool: enum(add, pay)",
            "tool: names",
            json!({"tool": "pay"}),
            r#"invalid_output: at tool: wanted "add", found "pay""#,
        ),
        ("tool: string(3)", "tool: names", json!({"tool": "add"}), "fits"),
        (
            "tool: any",
            "tool: names",
            json!({"tool": 7}),
            r#"invalid_output: at tool: wanted one of "search", "add", null, found 7"#,
        ),
        ("tool: any", "tool: names", json!({}), "fits"),
        ("many: list<string> = []", "many: names", json!({"many": ["add", "search", "add"]}), "fits"),
        (
            "many: list<string> = []",
            "many: names",
            json!({"many": ["add", "pay"]}),
            r#"invalid_output: at many[1]: wanted one of "search", "add", found "pay""#,
        ),
    ]
}

fn calls() -> Vec<Case> {
    const CALL: &str = "call: tool_calls(names)";
    vec![
        // A call, as a map, as a record, as anything, in a list.
        ("call: map<any>", CALL, json!({"call": {"tool": "search", "args": {"query": "bees"}}}), "fits"),
        ("call: map<any>", CALL, json!({"call": {"tool": "add", "args": {"any": 1}}}), "fits"),
        (
            "call: map<any>",
            CALL,
            json!({"call": {"tool": "pay", "args": {}}}),
            r#"invalid_output: at call.tool: wanted one of "search", "add", found "pay""#,
        ),
        (
            "call: map<any>",
            CALL,
            json!({"call": {}}),
            r#"invalid_output: at call.tool: wanted one of "search", "add", found null"#,
        ),
        (
            "call: map<any>",
            CALL,
            json!({"call": {"tool": "search", "args": {"q": 1}}}),
            "invalid_output: at call.args: Additional properties are not allowed ('q' was unexpected); at call.args: \"query\" is a required property",
        ),
        (
            "call: map<any>",
            CALL,
            json!({"call": {"tool": "search", "args": {"query": "a", "near": {"place": 7}}}}),
            "invalid_output: at call.args.near.place: 7 is not of type \"string\"",
        ),
        ("call: Call?", CALL, json!({"call": null}), "fits"),
        (
            "call: Call",
            CALL,
            json!({"call": {"tool": "search", "args": {"query": 7}}}),
            "invalid_output: at call.args.query: 7 is not of type \"string\"",
        ),
        (
            "call: any",
            CALL,
            json!({"call": "search"}),
            r#"invalid_output: at call.tool: wanted one of "search", "add", found null"#,
        ),
        (
            "calls: list<Call>",
            "calls: tool_calls(names)",
            json!({"calls": [{"tool": "add", "args": {}}, {"tool": "pay", "args": {}}]}),
            r#"invalid_output: at calls[1].tool: wanted one of "search", "add", found "pay""#,
        ),
        // A limit never widens the type.
        (
            "call: Odd?",
            "call: \"{'type': 'object', 'properties': {'tool': {'type': 'string', 'enum': names.distinct()}}, 'required': ['tool']}\"",
            json!({"call": {"tool": "search", "level": 4}}),
            "fits",
        ),
        (
            "call: Odd?",
            "call: \"{'type': 'object', 'properties': {'tool': {'type': 'string', 'enum': names.distinct()}}, 'required': ['tool']}\"",
            json!({"call": {"tool": "add"}}),
            r#"invalid_output: at call.tool: wanted enum(search, find), found "add""#,
        ),
        // What stands beside choices counts, too, and a field that is the same in all of them tells none apart.
        (
            "of: any",
            "of: \"{'type': 'object', 'required': ['x'], 'oneOf': [{'properties': {'k': {'const': 'a'}}}, {'properties': {'k': {'const': 'b'}}}]}\"",
            json!({"of": {"k": "a"}}),
            "invalid_output: at of: \"x\" is a required property",
        ),
        (
            "of: any",
            "of: \"{'type': 'object', 'oneOf': [{'properties': {'v': {'const': 1}}, 'required': ['a']}, {'properties': {'v': {'const': 1}}, 'required': ['b']}]}\"",
            json!({"of": {"v": 1, "b": 2}}),
            "fits",
        ),
        // A whole number is a number.
        ("n: float", "n: \"{'type': 'integer', 'minimum': 1}\"", json!({"n": 2}), "fits"),
        // Any JSON Schema.
        (
            "n: int; of: any",
            "n: \"{'minimum': 1}\"; of: \"{'type': 'object', 'properties': {'a': {'enum': names.distinct()}}}\"",
            json!({"n": 0, "of": {"a": "b"}}),
            "invalid_output: at n: 0 is less than the minimum of 1; at of.a: wanted one of \"search\", \"add\", found \"b\"",
        ),
    ]
}

#[test]
fn an_answer_is_held_against_the_limits_of_its_request() {
    for (fields, limits, answer, expected) in texts().into_iter().chain(calls()) {
        let program = program(fields, limits);
        let (run, facts) = asked(&program, &json!({"names": ["search", "add", "search"]}), &answer);
        assert_eq!(told(&facts), expected, "{fields}, {limits}, {answer}");
        // What fits, fits the schema that was sent as well.
        let sent =
            jsonschema::validator_for(&schema(&run).expect("the model was asked")).expect("a good schema");
        let whole = answer.as_object().is_some_and(|answer| !answer.is_empty());
        assert!(!whole || sent.is_valid(&answer) == (expected == "fits"), "{fields}, {limits}, {answer}");
    }
}

#[test]
fn the_schema_that_is_sent_is_the_narrowed_one() {
    let program = program(
        "why: string = ''; tool: string?; call: Call; odd: Odd?; many: list<string> = []",
        "tool: names; call: tool_calls(names); odd: \"{'properties': {'tool': {'enum': names}}}\"; many: names",
    );
    let answer = json!({"call": {"tool": "add", "args": {}}});
    let (run, facts) = asked(&program, &json!({"names": ["search", "add"]}), &answer);
    assert_eq!(told(&facts), "fits");
    insta::assert_snapshot!(serde_json::to_string_pretty(&schema(&run)).expect("it is JSON"));
}

#[test]
fn where_nothing_is_left_no_model_is_asked() {
    let none = "evaluation: `limits` of the field `x`: no value is allowed, and null is none of the type";
    let cases = [
        ("x: string", "x: names", json!([]), none),
        ("x: enum(a, b)", "x: names", json!(["c"]), none),
        ("x: string(3)", "x: names", json!(["long"]), none),
        ("x: map<any>", "x: tool_calls(names)", json!([]), none),
        ("x: map<any>", "x: tool_calls(names)", json!(["pay"]), "unknown_tool: no tool is called 'pay'"),
        (
            "x: map<any>",
            "x: tool_calls(names)",
            json!(["broken"]),
            "evaluation: `limits` of the field `x`: the schema cannot be used: ",
        ),
        (
            "x: map<any>",
            "x: \"{'type': 5}\"",
            json!([]),
            "evaluation: `limits` of the field `x`: the schema cannot be used: ",
        ),
    ];
    for (fields, limits, names, expected) in cases {
        let program = program(fields, limits);
        let (run, facts) = asked(&program, &json!({"names": names}), &json!({"x": null}));
        assert!(told(&facts).starts_with(expected), "{fields}, {limits}: {}", told(&facts));
        assert_eq!(schema(&run), None);
    }
    // Null, and no item at all, are answers.
    for (fields, limits, answer) in
        [("x: string?", "x: names", json!({"x": null})), ("x: list<string>", "x: names", json!({"x": []}))]
    {
        let program = program(fields, limits);
        let (_, facts) = asked(&program, &json!({"names": []}), &answer);
        assert_eq!(told(&facts), "fits");
        let (_, facts) = asked(&program, &json!({"names": []}), &json!({"x": ["a"]}));
        assert!(told(&facts).starts_with("invalid_output: at x: "), "{}", told(&facts));
    }
}

/// A schema whose references lead from one to the next, so many times.
fn chained(links: usize) -> Json {
    let link = |i: usize| (format!("a{i}"), json!({"$ref": format!("#/$defs/a{}", i + 1)}));
    let mut parts: serde_json::Map<String, Json> = (0..links).map(link).collect();
    parts.insert(format!("a{links}"), json!({"type": "string"}));
    json!({"type": "object", "properties": {"q": {"$ref": "#/$defs/a0"}}, "$defs": parts})
}

#[test]
fn references_that_lead_far_or_nowhere_let_anything_fit() {
    let program = program("call: map<any>", "call: tool_calls(names)");
    let named = json!({
        "type": "object",
        "properties": {"q": {"$ref": "#/$defs/P%5Bint%5D"}, "r": {"$ref": "#/$defs/none"}, "s": {"$ref": "#/$defs/%zz"}},
        "$defs": {"P[int]": {"type": "integer"}},
    });
    let ask = |schema: &Json, args: &Json| {
        let catalogue = [("search", Value::from_json(schema))];
        let answer = json!({"call": {"tool": "search", "args": args}});
        let world = World::new().inputs(&json!({"names": ["search"]})).catalogue(catalogue);
        told(&world.model(says(&answer)).play(&program).1)
    };
    assert_eq!(
        ask(&chained(3), &json!({"q": 1})),
        "invalid_output: at call.args.q: 1 is not of type \"string\""
    );
    for links in [100, 9_000] {
        assert_eq!(ask(&chained(links), &json!({"q": "a"})), "fits", "{links}");
    }
    assert_eq!(ask(&named, &json!({"q": 1, "r": 2, "s": 3})), "fits");
    assert_eq!(
        ask(&named, &json!({"q": "a"})),
        "invalid_output: at call.args.q: \"a\" is not of type \"integer\""
    );
}
