//! A server that refuses prompts over a size: the second ReAct loop is answered all the same.

use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value as Json, json};

use crate::cli::Desk;
use crate::posted::Posted;

/// The most bytes of texts that the server takes in a request.
const MOST: usize = 12_000;

/// The requests that the server got: the model that was asked, the size of its texts, and whether it was refused.
type Seen = Arc<Mutex<Vec<(String, usize, bool)>>>;

fn server(seen: Seen) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}/v1", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            answer(&mut stream, &seen);
        }
    });
    address
}

fn answer(stream: &mut TcpStream, seen: &Seen) -> Option<()> {
    let posted = Posted::read(stream)?;
    let body: Json = serde_json::from_slice(&posted.body).ok()?;
    let model = body["model"].as_str()?.to_owned();
    let texts = body["messages"].as_array()?.iter().filter_map(|one| one["content"].as_str());
    let size: usize = texts.map(str::len).sum();
    let refused = size > MOST;
    seen.lock().expect("nobody panicked").push((model.clone(), size, refused));
    let reply = if refused {
        let fault = json!({"error": {
            "message": "This model's maximum context length is 3000 tokens.",
            "type": "invalid_request_error",
            "code": "context_length_exceeded",
        }});
        format!(
            "HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n{fault}"
        )
    } else {
        let text = match model.as_str() {
            "decides" => json!({"action": "complete", "completion_summary": "All is done."}).to_string(),
            _ => "Much was said.".to_owned(),
        };
        let choice = json!({"choices": [{"delta": {"content": text}, "finish_reason": "stop"}]});
        format!("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\ndata: {choice}\n\ndata: [DONE]\n\n")
    };
    stream.write_all(reply.as_bytes()).ok()
}

#[test]
fn a_turn_ends_with_an_answer_though_the_server_refuses_long_prompts() {
    let (desk, seen) = (Desk::new(), Seen::default());
    let url = server(seen.clone());
    let model = |role: &str, name: &str| {
        format!(
            "[models.{role}]\nprovider = \"openai\"\nbase_url = \"{url}\"\nmodel = \"{name}\"\nattempts = 1\n"
        )
    };
    let config = model("decider", "decides") + &model("summarizer", "sums up");
    desk.write("models.toml", &config);
    desk.trust("models.toml");
    let block = |i: usize| json!({"type": "user.prompt", "author": "user", "turn_id": format!("t{i}"), "text": format!("{i} {}", "word ".repeat(300)), "tokens": 400});
    let history: Vec<Json> = (0..12).map(block).collect();
    desk.write("input.json", &json!({"request": "What is open?", "history": history}).to_string());
    let words = [
        "run",
        "graphs/react/v2.yaml",
        "--config",
        "models.toml",
        "--input",
        "@input.json",
        "--format",
        "json",
    ];
    let ran = desk.run_words(&words, &[]);
    let seen = seen.lock().expect("nobody panicked");
    assert_eq!(ran.code, Some(0), "{}\n{seen:?}", ran.transcript());
    let result: Json = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(result["output"]["answer"], "All is done.", "{result:#}");
    let decides: Vec<bool> = seen.iter().filter(|(model, ..)| model == "decides").map(|one| one.2).collect();
    assert_eq!(decides, [true, false], "{seen:?}");
    assert!(seen.iter().any(|(model, _, refused)| model == "sums up" && !refused), "{seen:?}");
}
