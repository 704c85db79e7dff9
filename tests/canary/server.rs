//! A provider that gives away the key it was sent, in many ways.

use std::io::Write;
use std::net::{TcpListener, TcpStream};

use serde_json::{Value, json};

use super::{KEY, search};
use crate::posted::Posted;

/// So many ways there are.
pub(super) const WAYS: usize = 21;

/// Serves until the tests end; gives its address. The way is the first part of a request's path.
pub(super) fn start() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || answer(stream));
        }
    });
    format!("http://{address}")
}

fn answer(mut stream: TcpStream) -> Option<()> {
    let posted = Posted::read(&mut stream)?;
    // Without a key of its own the request is one of those that show what happens where nothing is hidden.
    let key = posted.header("authorization").map_or(KEY.to_owned(), |told| told.replace("Bearer ", ""));
    let way = posted.path().split('/').nth(1)?.parse::<usize>().ok()?;
    stream.write_all(reply(way, &key).as_bytes()).ok()
}

fn reply(way: usize, key: &str) -> String {
    let said = format!("the key is {key}, and that is all");
    let text = |text: &str| json!({"text": text}).to_string();
    match way {
        0 => stream(&text(&said), "stop"),
        1 => stream(&format!("{{\"text\": \"the key is {}\"}}", search::codes(key)), "stop"),
        2 => stream(&text(&search::base64(&format!("Bearer {key}, and more"))), "stop"),
        3 => stream(&text(&format!("https://example.org/?key={}&more", search::percent(key))), "stop"),
        4 => stream(&text(&search::hex(key)), "stop"),
        5 => refusal("401 Unauthorized", &json!({"error": {"message": said}}).to_string()),
        6 => refusal("403 Forbidden", &said),
        7 => refusal("401 Unauthorized", &json!({"error": {"message": "x".repeat(485) + key}}).to_string()),
        8 => refusal("500 Sorry", &json!({"error": {"message": said, "type": key}}).to_string()),
        9 => format!(
            "HTTP/1.1 307 Elsewhere\r\nlocation: https://example.org/?{key}\r\nconnection: close\r\n\r\n"
        ),
        10 => frame(&format!("{{\"text\": \"the key is {}", &key[..key.len() / 2])),
        11 => format!("{}data: no JSON but {key}\n\n", frame("{\"te")),
        12 => format!("{}data: {}\n\n", frame("{\"te"), json!({"error": {"message": said, "code": key}})),
        13 => stream(&text("nothing"), "stop").replacen("\r\n", &format!("\r\nx-echo: {key}\r\n"), 1),
        14 => format!(
            "{}data: {}\n\n",
            frame(""),
            json!({"choices": [{"delta": {"refusal": said}, "finish_reason": "stop"}]})
        ),
        15 => stream(&text(&said), "length"),
        16 => stream(&said, "stop"),
        17 => refusal(&format!("429 Slow\r\nretry-after: {key}"), &said),
        18 => stream(&text(&text(&text(&said))), "stop"),
        19 => format!("KEY/1.1 {key}\r\n\r\n"),
        20 => {
            let end = json!({"model": key, "choices": [{"delta": {}, "finish_reason": key}]});
            format!("{}data: {end}\n\ndata: [DONE]\n\n", frame(&text("nothing")))
        }
        _ => String::new(),
    }
}

fn refusal(status: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\nconnection: close\r\n\r\n{body}")
}

/// The beginning of a streamed answer. It comes in small pieces, so that a key is in several of them.
fn frame(text: &str) -> String {
    let mut out =
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n".to_owned();
    for piece in text.chars().collect::<Vec<_>>().chunks(5) {
        let chunk: Value = json!({"choices": [{"delta": {"content": String::from_iter(piece)}}]});
        out.extend(["data: ", &chunk.to_string(), "\n\n"]);
    }
    out
}

fn stream(text: &str, finish: &str) -> String {
    let end = json!({"choices": [{"delta": {}, "finish_reason": finish}]});
    format!("{}data: {end}\n\ndata: [DONE]\n\n", frame(text))
}
