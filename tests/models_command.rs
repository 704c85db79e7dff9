//! `loopwright models`: what it lists, and what the models say.

use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value as Json;

use crate::cli::Desk;
use crate::posted::Posted;

/// A key that nothing may print.
const KEY: &str = "sk-a-key-of-a-test";

/// A server that answers by the path: `/ok`, `/cut`, `/key`, `/busy`.
fn server() -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            count.fetch_add(1, Ordering::SeqCst);
            std::thread::spawn(move || answer(stream));
        }
    });
    (address, asked)
}

fn answer(mut stream: TcpStream) -> Option<()> {
    let posted = Posted::read(&mut stream)?;
    let body: Json = serde_json::from_slice(&posted.body).ok()?;
    assert_eq!(body["max_tokens"], 1, "one token is asked for: {body}");
    let key = posted.header("authorization").unwrap_or_default().to_owned();
    let (status, body) = match posted.path() {
        path if path.starts_with("/ok") => ("200 OK", said("yes", "stop")),
        path if path.starts_with("/cut") => ("200 OK", said("y", "length")),
        path if path.starts_with("/key") => (
            "401 Unauthorized",
            format!(r#"{{"error": {{"message": "wrong: {key}", "type": "invalid_api_key"}}}}"#),
        ),
        _ => ("503 Unavailable", r#"{"error": {"message": "loading", "type": "overloaded"}}"#.to_owned()),
    };
    let head = format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len());
    stream.write_all((head + &body).as_bytes()).ok()
}

fn said(text: &str, why: &str) -> String {
    let choice = serde_json::json!({"choices": [{"delta": {"content": text}, "finish_reason": why}]});
    format!("data: {choice}\n\ndata: [DONE]\n\n")
}

fn config(address: &str) -> String {
    let entry = |name: &str, path: &str, more: &str| {
        format!(
            "[models.{name}]\nprovider = \"openai\"\nmodel = \"{name}-1\"\nbase_url = \"{address}/{path}\"\n{more}\n"
        )
    };
    let key = "key = {env = \"KEY_OF_A_TEST\"}";
    let pace = "requests_per_minute = 60\nat_once = 4\nprice = {input = \"$0.15\", output = \"$0.60\"}";
    let list = "[models.decider]\nuse = [\"fast\", \"strong\"]\nalso_on = [\"invalid_output\"]\n";
    [
        list.to_owned(),
        entry("fast", "ok", &format!("{key}\n{pace}")),
        entry("strong", "cut", ""),
        entry("wrong", "key", key),
        entry("busy", "busy", ""),
        entry("keyless", "ok", "key = {env = \"NO_KEY_OF_A_TEST\"}"),
        entry("\"*\"", "ok", "").replace("\"*\"-1", "any-1"),
    ]
    .concat()
}

#[test]
fn models_are_listed_without_asking_them() {
    let (address, asked) = server();
    let desk = Desk::new();
    desk.write("loopwright.toml", &config(&address));
    // Nobody allowed the file: looking at it needs no consent.
    let env = [("KEY_OF_A_TEST", KEY)];
    let human = desk.run_with("models", &env);
    let json = desk.run_with("models --format json", &env);
    let both = format!("{}\n{}", human.transcript(), json.transcript()).replace(&address, "http://server");
    assert_eq!(asked.load(Ordering::SeqCst), 0, "nothing is sent");
    assert!(!both.contains(KEY) && !both.contains("sk-a"), "{both}");
    insta::assert_snapshot!(both);
}

#[test]
fn models_say_whether_they_answer() {
    let (address, _) = server();
    let desk = Desk::new();
    desk.write("loopwright.toml", &config(&address));
    let env = [("KEY_OF_A_TEST", KEY)];
    let refused = desk.run_with("models --ask", &env);
    assert_eq!(refused.code, Some(3), "nobody allowed it: {}", refused.transcript());
    desk.trust(".");
    let human = desk.run_with("models --ask", &env);
    assert_eq!(human.code, Some(1), "{}", human.transcript());
    let json = desk.run_with("models --ask --format json", &env);
    let document: Json = serde_json::from_str(&json.stdout).expect("it is JSON");
    let models = document["models"].as_array().expect("models");
    let answers = models.iter().map(|model| format!("{} {}", model["entry"], model["asked"]));
    let both = format!("{}\n{}\n", human.transcript(), answers.collect::<Vec<_>>().join("\n"));
    assert!(!both.contains(KEY) && both.contains("wrong: Bearer ***"), "{both}");
    insta::assert_snapshot!(both.replace(&address, "http://server"));
}

#[test]
fn models_that_all_answer_end_well() {
    let (address, _) = server();
    let desk = Desk::new();
    let all = config(&address);
    let first = all.split("[models.wrong]").next().expect("a beginning");
    desk.write("loopwright.toml", first);
    desk.trust(".");
    let ran = desk.run_with("models --ask", &[("KEY_OF_A_TEST", KEY)]);
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    assert_eq!(ran.stdout.matches("asked: it answers").count(), 2, "{}", ran.transcript());
}

#[test]
fn nothing_is_bound_where_there_is_no_file() {
    let desk = Desk::new();
    let both =
        [desk.run("models"), desk.run("models --ask --format json"), desk.run("models --config no.toml")];
    insta::assert_snapshot!(both.map(|ran| ran.transcript()).join("\n"));
}
