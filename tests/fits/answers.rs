//! The same for what models and people answer, where the place is narrower than the answer.

use loopwright::machine::{
    Input, InputKind, Outcome, Output, QuestionId, Snapshot, Start, check_answer, step,
};
use loopwright::program::{Program, Semantics};
use loopwright::value::Value;

use super::compiled;

const ASKS: &str = "
graph: g
state: {n: int(0..3) = 1, why: any}
start: a
nodes:
  a:
    NODE
    into: n
    next: [{to: e}, {to: failed, on: error, do: why = error.message}]
  e: {kind: final}
  failed: {kind: final}
output: {n: n, why: why}
";

fn program(node: &str) -> Program {
    compiled(&[("g.yaml", ASKS.replace("NODE", node))], Semantics::NEWEST)
}

fn begun(program: &Program) -> (Snapshot, Vec<Output>) {
    let mut snapshot = Snapshot::new();
    let tool = [("name", Value::from("t")), ("delivery", Value::from("at_most_once"))];
    let tools = [Value::Map(tool.into_iter().collect())].into_iter().collect();
    let start = Start { run: "r".into(), tools, ..Start::default() };
    let out = told(program, &mut snapshot, InputKind::Started(Box::new(start)));
    (snapshot, out)
}

fn told(program: &Program, snapshot: &mut Snapshot, kind: InputKind) -> Vec<Output> {
    let mut out = Vec::new();
    step(program, snapshot, Input { at: 0, kind }, &mut out);
    out
}

fn call(out: &[Output]) -> loopwright::machine::CallId {
    let call = out.iter().find_map(|output| match output {
        Output::Call(call) => Some(call.id.clone()),
        _ => None,
    });
    call.expect("a call is made")
}

fn ask(out: &[Output]) -> QuestionId {
    let ask = out.iter().find_map(|output| match output {
        Output::Ask(ask) => Some(ask.id.clone()),
        _ => None,
    });
    ask.expect("a person is asked")
}

#[test]
fn an_answer_of_a_model_fits_its_place_or_is_asked_for_again() {
    for output in ["int", "any"] {
        let node = format!(
            "kind: model\n    role: r\n    prompt: \"'how many?'\"\n    output: {output}\n    retry: {{attempts: 2, on: [recoverable], first: 0s}}"
        );
        let program = program(&node);
        let (mut snapshot, out) = begun(&program);
        let outcome = Outcome::answer("99");
        let resolved = InputKind::Resolved { call: call(&out), outcome: outcome.clone() };
        let out = told(&program, &mut snapshot, resolved);
        let resolved = InputKind::Resolved { call: call(&out), outcome };
        told(&program, &mut snapshot, resolved);
        let end = snapshot.done.expect("it ends").output.to_json().to_string();
        assert_eq!(end, r#"{"n":1,"why":"wanted int(0..3), found 99"}"#);
    }
}

#[test]
fn an_answer_of_a_person_fits_its_place() {
    let program = program("kind: human\n    ask: \"'how many?'\"\n    answer: int");
    let (mut snapshot, out) = begun(&program);
    let id = ask(&out);
    let found = check_answer(&program, &snapshot, &id, &Value::from(99_i64));
    assert_eq!(found, Err("wanted int(0..3), found 99".to_owned()));
    told(&program, &mut snapshot, InputKind::Answered { ask: id.clone(), answer: Value::from(99_i64) });
    assert!(snapshot.done.is_none(), "the question is put again");
    told(&program, &mut snapshot, InputKind::Answered { ask: id, answer: Value::from(3_i64) });
    assert_eq!(snapshot.done.expect("it ends").output.to_json().to_string(), r#"{"n":3,"why":null}"#);
}

#[test]
fn the_result_of_a_call_that_a_person_knows_of_fits_its_place() {
    let program = program("kind: tool\n    tool: t");
    let (mut snapshot, out) = begun(&program);
    let outcome = Outcome::Unknown { message: "lost".into() };
    let out = told(&program, &mut snapshot, InputKind::Resolved { call: call(&out), outcome });
    let id = ask(&out);
    let result = |n: i64| Value::Map([("result", Value::from(n))].into_iter().collect());
    let found = check_answer(&program, &snapshot, &id, &result(99));
    assert_eq!(found, Err("wanted int(0..3), found 99".to_owned()));
    told(&program, &mut snapshot, InputKind::Answered { ask: id, answer: result(2) });
    assert_eq!(snapshot.done.expect("it ends").output.to_json().to_string(), r#"{"n":2,"why":null}"#);
}

#[test]
fn the_result_of_a_model_that_a_person_knows_of_has_the_type_of_its_answer() {
    let text = "
graph: asks
start: ask
nodes:
  ask: {kind: model, role: r, prompt: \"'how many?'\", output: int, next: [{to: end, when: result > 1}, {to: end}]}
  end: {kind: final}
";
    let program = crate::played::compiled(&[("asks.yaml", text)]);
    let (mut snapshot, out) = begun(&program);
    let outcome = Outcome::Unknown { message: "lost".into() };
    let out = told(&program, &mut snapshot, InputKind::Resolved { call: call(&out), outcome });
    let result = Value::Map([("result", Value::from("many"))].into_iter().collect());
    let found = check_answer(&program, &snapshot, &ask(&out), &result);
    assert_eq!(found, Err("wanted int, found \"many\"".to_owned()));
}

#[test]
fn the_result_of_a_model_with_tools_is_a_reply() {
    let text = "
graph: asks
state: {reply: Reply?}
start: ask
nodes:
  ask: {kind: model, role: r, prompt: \"'how many?'\", offer: [t], into: reply, next: [{to: end}, {to: end, on: error}]}
  end: {kind: final}
output: {text: \"reply == null ? '' : reply.text\"}
";
    let program = crate::played::compiled(&[("asks.yaml", text)]);
    let (mut snapshot, out) = begun(&program);
    let outcome = Outcome::Unknown { message: "lost".into() };
    let out = told(&program, &mut snapshot, InputKind::Resolved { call: call(&out), outcome });
    let result = |reply: serde_json::Value| Value::from_json(&serde_json::json!({"result": reply}));
    let found = check_answer(&program, &snapshot, &ask(&out), &result(serde_json::json!(7)));
    assert_eq!(found, Err("wanted Reply, found 7".to_owned()));
    let message = serde_json::json!({"from": "assistant", "text": "Three."});
    let reply = serde_json::json!({"text": "Three.", "tool_calls": [], "finish": "stop", "message": message});
    told(&program, &mut snapshot, InputKind::Answered { ask: ask(&out), answer: result(reply) });
    assert_eq!(snapshot.done.expect("it ends").output.to_json().to_string(), r#"{"text":"Three."}"#);
}
