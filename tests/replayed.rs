//! `[replay]`: a run that was recorded with a hosted model is made again with no network and no key.

use std::io::Write as _;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

use crate::cli::Desk;
use crate::config::{good, read};
use crate::posted::Posted;

const KEY: &str = "sk-0123456789abcdef";

/// The answers of a hosted model, in order.
const ANSWERS: [&str; 2] = [
    r#"{"action": "call_tool", "tool_call": {"tool_id": "calculator", "params": {"expression": "17 * 43"}}}"#,
    r#"{"action": "complete", "tool_call": null}"#,
];

/// A hosted model that wants a key. It counts its requests.
fn hosted() -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}/v1", listener.local_addr().expect("an address"));
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let Some(_) = Posted::read(&mut stream) else { continue };
            let number = count.fetch_add(1, Ordering::SeqCst);
            let choice =
                json!({"choices": [{"delta": {"content": ANSWERS[number % 2]}, "finish_reason": "stop"}]});
            let usage = json!({"choices": [], "usage": {"prompt_tokens": 1000, "completion_tokens": 100}});
            let _ = write!(
                stream,
                "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\ndata: {choice}\n\ndata: {usage}\n\ndata: [DONE]\n\n"
            );
        }
    });
    (address, asked)
}

/// A desk with the recorded run `hosted`, and the number of requests that it made.
fn recorded() -> (Desk, Arc<AtomicUsize>) {
    let desk = Desk::new();
    let (address, asked) = hosted();
    desk.write(
        "hosted.toml",
        &format!(
            "[models.decider]\nprovider = \"openai\"\nmodel = \"large\"\nbase_url = \"{address}\"\nkey = {{env = \"HOSTED_KEY\"}}\nprice = {{input = \"$1\", output = \"$2\"}}\n"
        ),
    );
    desk.trust("hosted.toml");
    let ran =
        desk.run_with("run graphs/mini.yaml --config hosted.toml --run-id hosted", &[("HOSTED_KEY", KEY)]);
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    assert_eq!(asked.load(Ordering::SeqCst), 2);
    (desk, asked)
}

#[test]
fn a_run_with_a_hosted_model_is_made_again_without_network_and_key() {
    let (desk, asked) = recorded();
    desk.write("replay.toml", "[replay]\nfrom = \"hosted\"\n");
    let ran = desk.run("run graphs/mini.yaml --config replay.toml --run-id again");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "outcome: complete\n"), "{}", ran.transcript());
    assert_eq!(asked.load(Ordering::SeqCst), 2);
    let state = |run: &str| desk.run(&format!("show {run}")).stdout.replace(run, "ID");
    let lines = |text: String| {
        text.lines().filter(|line| !line.contains("20")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(lines(state("hosted")), lines(state("again")));
}

#[test]
fn tools_answer_from_the_record_where_that_is_asked_for() {
    let (desk, _) = recorded();
    // Without its calculator the run could not go on.
    desk.write("replay.toml", "[builtin]\ncalculator = false\n[replay]\nfrom = \"hosted\"\ntools = true\n");
    let ran = desk.run("run graphs/mini.yaml --config replay.toml --run-id again");
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    assert!(desk.run("log again").stdout.contains("answer 731"));
}

#[test]
fn a_request_that_was_not_recorded_fails_and_says_where_it_differs() {
    let (desk, asked) = recorded();
    desk.write("replay.toml", "[replay]\nfrom = \"hosted\"\n");
    let prompt = desk.text("graphs/prompts/decide.md");
    desk.write("graphs/prompts/decide.md", &format!("Be brief.\n{prompt}"));
    let ran = desk.run("run graphs/mini.yaml --config replay.toml --run-id other");
    assert_ne!(ran.code, Some(0), "{}", ran.transcript());
    assert_eq!(asked.load(Ordering::SeqCst), 2);
    let log = desk.run("log other --format jsonl").stdout;
    let message = log.lines().find(|line| line.contains("\"unavailable\"")).unwrap_or_default();
    for part in [
        "the run hosted has no answer to this request of `think` to the model decider",
        "next there is the request of `think` (hosted:think#1.1), whose ",
        " differs in line ",
        "Be brief.",
    ] {
        assert!(message.contains(part), "{part} is not in {message}");
    }
}

const THREE: &str = "
graph: three
state: {i: int = 0, words: 'list<string> = []', word: \"string = ''\"}
start: ask
nodes:
  ask:
    kind: model
    role: teller
    prompt: \"'Another word?'\"
    output: string
    into: word
    then: words += word
    next: [{to: ask, when: i < 2, do: i += 1}, {to: done}, {to: failed, on: error}]
  done: {kind: final}
  failed: {kind: final, ok: false}
output: {words: words}
";

/// Equal requests, whose answers are told apart by their order alone.
fn three() -> Desk {
    let desk = Desk::new();
    desk.write("three.yaml", THREE);
    desk.write("three.script.yaml", "model: [first, second, third]\n");
    let ran = desk.run("run three.yaml --script three.script.yaml --run-id told");
    assert!(ran.stdout.contains(r#"words: ["first","second","third"]"#), "{}", ran.transcript());
    desk.write("replay.toml", "[replay]\nfrom = \"told\"\n");
    desk
}

#[test]
fn a_run_that_is_resumed_goes_on_behind_its_calls() {
    let desk = three();
    let words =
        ["run", "three.yaml", "--config", "replay.toml", "--run-id", "again", "--interrupt-when", "i == 2"];
    assert_eq!(desk.run_words(&words, &[]).code, Some(3));
    let ran = desk.run("resume again --config replay.toml --answer resume");
    assert!(ran.stdout.contains(r#"words: ["first","second","third"]"#), "{}", ran.transcript());
}

#[test]
fn what_a_rollback_left_of_the_record_answers_nothing() {
    let desk = three();
    assert_eq!(desk.run_words(&["rollback", "told", "--when", "i == 1"], &[]).code, Some(0));
    desk.write("other.script.yaml", "model: [first, second, third, other, last]\n");
    assert_eq!(desk.run("resume told --script other.script.yaml").code, Some(0));
    let recorded = desk.run("show told").stdout;
    let ran = desk.run("run three.yaml --config replay.toml");
    let words = ran.stdout.lines().find_map(|line| line.strip_prefix("words: ")).unwrap_or_default();
    assert!(
        words.contains("other") && !words.contains("second") && recorded.contains(words),
        "{recorded}\n{}",
        ran.transcript()
    );
}

#[test]
fn a_configuration_that_was_only_found_reads_no_run() {
    let desk = three();
    desk.write("loopwright.toml", "[replay]\nfrom = \"told\"\n");
    let ran = desk.run("run three.yaml");
    assert!(ran.code == Some(2) && ran.stderr.contains("--config loopwright.toml"), "{}", ran.transcript());
    assert!(!ran.stderr.contains("first"), "{}", ran.transcript());
}

#[test]
fn a_run_that_is_not_there_is_refused() {
    let desk = Desk::new();
    desk.write("replay.toml", "[replay]\nfrom = \"nowhere\"\n");
    let ran = desk.run("run graphs/mini.yaml --config replay.toml");
    assert_eq!(ran.code, Some(2), "{}", ran.transcript());
    assert!(ran.stderr.contains("[replay] from = \"nowhere\": "), "{}", ran.transcript());
}

#[test]
fn the_table_is_read_and_its_faults_are_said() {
    let replay = good("[replay]\nfrom = \"a\"\ntools = true\n").replay.expect("it is there");
    assert_eq!((replay.from.as_str(), replay.tools), ("a", true));
    let said: Vec<String> = ["[replay]\ntools = true\n", "[replay]\nform = \"a\"\n", "[replay]\nfrom = 7\n"]
        .iter()
        .map(|text| read(text).expect_err("there is a fault"))
        .collect();
    insta::assert_snapshot!(said.join("\n"));
}
