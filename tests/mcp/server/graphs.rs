//! Graphs as tools.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::super::client::{Bench, env};
use super::client::{Client, text};
use crate::cli::Desk;
use crate::until::until;

const ANSWER: &str = "\
graph: answer
title: Answer a question
doc: Answers a question in one sentence.
types:
  Reply: {text: string, sources: list<string>}
input: {question: string, style: 'string = \"short\"'}
state: {reply: Reply?}
texts: {ask: 'Answer {{ style }}: {{ question }}'}
start: think
nodes:
  think:
    kind: model
    role: writer
    prompt: ask
    output: Reply
    into: reply
    next: [{to: finished}, {to: failed, on: error}]
  finished: {kind: final}
  failed: {kind: final, ok: false}
output: {reply: reply, style: style}
";

const ANSWER_SCRIPT: &str = "model: {writer: [{text: because, sources: [a, b]}]}\n";

const PERSON: &str = "\
graph: person
state: {said: string?, sure: bool?}
start: ask
nodes:
  ask:
    kind: human
    ask: \"'Which colour?'\"
    options: [red, green]
    into: said
    next: [{to: again}]
  again:
    kind: human
    ask: \"'Sure?'\"
    answer: bool
    into: sure
    next: [{to: done}]
  done: {kind: final}
output: {said: said, sure: sure}
";

const APPROVED: &str = "\
graph: approved
start: write
nodes:
  write:
    kind: tool
    tool: write_file
    args: \"{'path': 'a.txt', 'content': 'hello'}\"
    next: [{to: done}, {to: refused, on: error}]
  done: {kind: final}
  refused: {kind: final, ok: false}
";

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("answer.yaml", ANSWER);
    desk.write("answer.script.yaml", ANSWER_SCRIPT);
    desk.write("person.yaml", PERSON);
    desk.write("approved.yaml", APPROVED);
    desk
}

/// A client that puts forms to its user.
fn with_forms() -> Value {
    json!({"elicitation": {"form": {}}})
}

fn tool(client: &mut Client, name: &str) -> Value {
    let listed = client.ask("tools/list", &json!({}));
    let tools = listed["tools"].as_array().expect("there is a list").clone();
    tools.into_iter().find(|tool| tool["name"] == name).unwrap_or_else(|| panic!("no tool {name}"))
}

#[test]
fn a_graph_is_a_tool_with_its_inputs_and_outputs_and_each_call_is_a_run() {
    let desk = desk();
    let words = ["--allow-run", "answer.yaml", "--script", "answer.script.yaml"];
    let mut client = Client::new(&desk, &words);
    let tool = tool(&mut client, "answer");
    insta::assert_json_snapshot!("graph_tool", tool);
    for _ in 0..2 {
        let id = client.begin(
            "tools/call",
            &json!({"name": "answer", "arguments": {"question": "why"}, "_meta": {"progressToken": "p"}}),
        );
        let answer = client.end(id);
        let result = &answer["result"];
        assert_eq!(result["isError"], false, "{answer}");
        let structured = &result["structuredContent"];
        assert!(jsonschema::is_valid(&tool["outputSchema"], structured), "{structured}");
        assert_eq!(structured["outcome"], "finished");
        assert_eq!(
            structured["output"],
            json!({"reply": {"text": "because", "sources": ["a", "b"]}, "style": "short"})
        );
    }
    let told: Vec<_> = client.heard.iter().map(|message| message["params"]["message"].clone()).collect();
    assert_eq!(told[..2], ["answer: think", "answer: finished"], "{told:?}");
    for arguments in [json!({}), json!({"question": 7}), json!({"question": "why", "db": "x"})] {
        let result = client.call("answer", &arguments);
        assert_eq!(result["isError"], true, "{result}");
        assert!(text(&result).starts_with("error: "), "{result}");
    }
    assert_eq!(client.close(), Some(0));
    let runs = desk.run("runs");
    assert_eq!(runs.stdout.matches("finished").count(), 2, "{}", runs.transcript());
}

#[test]
fn questions_are_put_to_the_user_of_the_client() {
    let desk = desk();
    let mut client = Client::with(&desk, &["--allow-run", "person.yaml"], &with_forms());
    client.answers = vec![
        json!({"action": "accept", "content": {"answer": "blue"}}),
        json!({"action": "accept", "content": {"answer": "green"}}),
        json!({"action": "accept", "content": {"answer": true}}),
    ];
    let result = client.call("person", &json!({}));
    assert_eq!(result["structuredContent"]["output"], json!({"said": "green", "sure": true}), "{result}");
    let asked: Vec<_> =
        client.heard.iter().filter(|message| message["method"] == "elicitation/create").collect();
    assert_eq!(asked.len(), 3, "an answer that does not fit is asked for again");
    assert_eq!(asked[0]["params"]["message"], "Which colour?");
    assert_eq!(
        asked[0]["params"]["requestedSchema"]["properties"]["answer"]["enum"],
        json!(["red", "green"])
    );
}

#[test]
fn a_question_without_an_answer_leaves_a_run_that_a_person_resumes() {
    for (capabilities, answers) in [(json!({}), vec![]), (with_forms(), vec![json!({"action": "decline"})])] {
        let desk = desk();
        let mut client = Client::with(&desk, &["--allow-run", "person.yaml"], &capabilities);
        client.answers = answers;
        let result = client.call("person", &json!({}));
        let structured = &result["structuredContent"];
        assert_eq!(
            (&structured["status"], &result["isError"]),
            (&json!("waiting"), &json!(false)),
            "{result}"
        );
        let command = structured["questions"][0]["command"].as_str().expect("it names a command").to_owned();
        assert!(text(&result).contains(&command), "{result}");
        assert_eq!(client.close(), Some(0));
        let words = command.strip_prefix("loopwright ").expect("it is our program").replace("ANSWER", "red");
        let resumed = desk.run(&words);
        assert_eq!(resumed.code, Some(3), "{}", resumed.transcript());
        assert!(resumed.stdout.contains("Sure?"), "{}", resumed.transcript());
    }
}

#[test]
fn approvals_are_the_operators_unless_he_says_otherwise() {
    let words = ["--allow-run", "approved.yaml", "--grant", "write_file"];
    let toml = "[builtin]\nwrite_file = {root = \"out\"}\n";
    let write = |desk: &Desk| {
        desk.write("loopwright.toml", toml);
        std::fs::create_dir(desk.folder.path().join("out")).expect("a folder can be made");
        desk.trust(".");
    };
    let own = desk();
    write(&own);
    let mut client = Client::with(&own, &words, &with_forms());
    let result = client.call("approved", &json!({}));
    assert!(
        client.heard.iter().all(|message| message["method"] != "elicitation/create"),
        "{:?}",
        client.heard
    );
    let question = &result["structuredContent"]["questions"][0];
    assert_eq!(question["reason"], "approval", "{result}");
    // Nothing that the client's agent could run says yes.
    assert!(
        question["command"].as_str().is_some_and(|line| line.starts_with("loopwright resume ")),
        "{result}"
    );
    assert!(!result.to_string().contains("approve "), "{result}");
    assert_eq!(own.text("out/a.txt"), "");

    let lent = desk();
    write(&lent);
    let words: Vec<&str> = words.into_iter().chain(["--client-may-approve"]).collect();
    let mut client = Client::with(&lent, &words, &with_forms());
    client.answers = vec![json!({"action": "accept", "content": {"answer": "approve"}})];
    let result = client.call("approved", &json!({}));
    assert_eq!(result["structuredContent"]["outcome"], "done", "{result}");
    assert_eq!(lent.text("out/a.txt"), "hello");
}

/// A form shows all of what it asks about, or is not put at all.
#[test]
fn a_call_that_is_too_long_to_be_seen_is_not_put_to_the_client() {
    let desk = desk();
    let graph =
        APPROVED.replace("start: write", "input: {text: string}\nstart: write").replace("'hello'", "text");
    desk.write("approved.yaml", &graph);
    desk.write("loopwright.toml", "[builtin]\nwrite_file = {root = \"out\"}\n");
    std::fs::create_dir(desk.folder.path().join("out")).expect("a folder can be made");
    desk.trust(".");
    let words = ["--allow-run", "approved.yaml", "--grant", "write_file", "--client-may-approve"];
    let mut client = Client::with(&desk, &words, &with_forms());
    client.answers = vec![json!({"action": "accept", "content": {"answer": "approve"}})];
    let result = client.call("approved", &json!({"text": "x".repeat(5_000)}));
    assert_eq!(result["structuredContent"]["status"], "waiting", "{result}");
    assert_eq!(desk.text("out/a.txt"), "");
}

#[test]
fn a_call_that_is_given_up_leaves_a_run_that_can_be_resumed() {
    let desk = desk();
    desk.write(
        "slow.yaml",
        "graph: slow\nstart: rest\nnodes:\n  rest: {kind: wait, delay: 1h, next: [{to: done}]}\n  done: {kind: final}\n",
    );
    let mut client = Client::new(&desk, &["--allow-run", "slow.yaml"]);
    let id =
        client.begin("tools/call", &json!({"name": "slow", "arguments": {}, "_meta": {"progressToken": 1}}));
    assert_eq!(client.hear()["params"]["message"], "slow: rest");
    client.notify("notifications/cancelled", &json!({"requestId": id}));
    assert_eq!(client.ask("ping", &json!({})), json!({}));
    // The lease is given back at once.
    until("the run is left", || desk.run("runs").stdout.contains("interrupted"));
    let listed = desk.run("runs");
    let run = listed.stdout.lines().find(|line| line.contains("interrupted"));
    let run =
        run.and_then(|line| line.split(' ').next()).unwrap_or_else(|| panic!("{}", listed.transcript()));
    // Nobody drives it any more: whoever wants may.
    let cancelled = desk.run(&format!("cancel {run}"));
    assert!(cancelled.stdout.contains("was cancelled"), "{}", cancelled.transcript());
    // The server ends soon though a run waits for an hour.
    client.begin("tools/call", &json!({"name": "slow", "arguments": {}}));
    let began = Instant::now();
    assert_eq!(client.close(), Some(0));
    assert!(began.elapsed() < Duration::from_secs(20), "it took {:?}", began.elapsed());
}

#[test]
fn graphs_that_may_not_be_run_are_refused_when_the_server_starts() {
    let desk = desk();
    desk.write("check.yaml", &ANSWER.replace("graph: answer", "graph: check"));
    desk.write("wrong.yaml", "graph: wrong\nstart: a\nnodes: {b: {kind: final}}\n");
    desk.write("loopwright.toml", "[tools.count]\ncommand = [\"wc\", \"-w\"]\nargs = {text = \"string\"}\n");
    desk.write(
        "counts.yaml",
        "graph: counts\nstart: a\nnodes:\n  a: {kind: tool, tool: count, args: \"{'text': 'x'}\", next: [{to: b}, {to: b, on: error}]}\n  b: {kind: final}\n",
    );
    let mut page = String::new();
    for words in [
        "mcp serve --allow-run no-such.yaml",
        "mcp serve --allow-run wrong.yaml",
        "mcp serve --allow-run answer.yaml",
        "mcp serve --allow-run check.yaml --script answer.script.yaml",
        "mcp serve --allow-run counts.yaml",
        "mcp serve --client-may-approve",
        "mcp serve wrong.yaml",
        "mcp serve answer.yaml answer.yaml",
    ] {
        let ran = desk.run(words);
        assert_eq!(ran.stdout, "", "{}", ran.transcript());
        assert_ne!(ran.code, Some(0), "{}", ran.transcript());
        page += &ran.transcript();
        page.push('\n');
    }
    insta::assert_snapshot!("start_refused", page);
}

#[test]
fn prompts_and_resources_are_there_to_write_and_explain_graphs() {
    let desk = desk();
    let mut client = Client::new(&desk, &["answer.yaml", "graphs/tour/05-called-graphs.yaml"]);
    let prompts = client.ask("prompts/list", &json!({}));
    insta::assert_json_snapshot!("prompts", prompts);
    let prompt = client
        .ask("prompts/get", &json!({"name": "write_a_graph", "arguments": {"task": "sum\u{1b}[2J numbers"}}));
    let said = prompt["messages"][0]["content"]["text"].as_str().expect("it is a text").to_owned();
    insta::assert_snapshot!("write_a_graph", said);
    let prompt =
        client.ask("prompts/get", &json!({"name": "explain_this_loop", "arguments": {"graph": ANSWER}}));
    assert!(prompt["messages"][0]["content"]["text"].as_str().is_some_and(|text| text.contains(ANSWER)));
    for arguments in [json!({}), json!({"task": ""}), json!({"task": 7}), json!({"task": "a", "more": "b"})] {
        let answer = client.answer("prompts/get", &json!({"name": "write_a_graph", "arguments": arguments}));
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
    let listed = client.ask("resources/list", &json!({}));
    let addresses: Vec<String> = listed["resources"]
        .as_array()
        .expect("there is a list")
        .iter()
        .map(|resource| resource["uri"].as_str().expect("it has an address").to_owned())
        .collect();
    insta::assert_json_snapshot!("resources", addresses);
    for address in &addresses {
        let read = client.ask("resources/read", &json!({"uri": address}));
        assert!(read["contents"][0]["text"].as_str().is_some_and(|text| !text.is_empty()), "{address}");
        assert!(!read.to_string().contains(&*desk.folder.path().to_string_lossy()), "{address}");
    }
    let drawing = client.ask("resources/read", &json!({"uri": "loopwright://graphs/answer/drawing"}));
    assert!(drawing["contents"][0]["text"].as_str().is_some_and(|text| text.starts_with("stateDiagram-v2")));
    let text = client.ask("resources/read", &json!({"uri": "loopwright://graphs/answer/text"}));
    assert_eq!(text["contents"][0]["text"], ANSWER);
    let rule = client.ask("resources/read", &json!({"uri": "loopwright://rules/no-otherwise"}));
    assert!(rule["contents"][0]["text"].as_str().is_some_and(|text| text.starts_with("# no-otherwise")));
    let completed = client.ask(
        "completion/complete",
        &json!({
            "ref": {"type": "ref/resource", "uri": "loopwright://rules/{name}"},
            "argument": {"name": "name", "value": "yaml-"},
        }),
    );
    assert!(completed["completion"]["values"].as_array().is_some_and(|all| all.len() > 5), "{completed}");
    // Graphs that are only shown are no tools.
    let tools = client.ask("tools/list", &json!({}));
    assert_eq!(tools["tools"].as_array().map(Vec::len), Some(6));
    assert_eq!(
        client.ask("resources/subscribe", &json!({"uri": "loopwright://graphs/answer/text"})),
        json!({})
    );
    assert_eq!(client.ask("logging/setLevel", &json!({"level": "debug"})), json!({}));
}

#[test]
fn a_served_graph_calls_tools_of_servers_and_leaves_none_of_them() {
    let bench = Bench::new("");
    bench.graph("add", "{a: 2, b: 40}");
    let mut program = bench.desk.program();
    program.args(["mcp", "serve", "--allow-run", "g.yaml", "--grant", "t.*"]).envs(env(""));
    let mut client = Client::of(program);
    client.greet(&json!({}));
    // The server that was started to look at the tools is gone.
    bench.nothing_is_left();
    let result = client.call("works", &json!({}));
    assert_eq!(result["structuredContent"]["output"]["said"], json!({"sum": 42}), "{result}");
    bench.nothing_is_left();
    assert_eq!(client.close(), Some(0));
    assert_eq!(bench.calls().len(), 1);
}
