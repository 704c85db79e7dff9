//! The server over HTTP.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use serde_json::{Value, json};

use crate::cli::{Desk, Ran};
use crate::driver::signal;

/// `loopwright mcp serve --http`.
pub(crate) struct HttpServer {
    child: Child,
    pub(crate) url: String,
}

impl HttpServer {
    pub(crate) fn start(desk: &Desk, words: &[&str], env: &[(&str, &str)]) -> Self {
        let mut program = desk.program();
        program.args(["mcp", "serve", "--http", "127.0.0.1:0"]).args(words).envs(env.iter().copied());
        let mut child = program
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let mut line = String::new();
        let mut said = BufReader::new(child.stderr.take().expect("it has a standard error"));
        said.read_line(&mut line).expect("it says where it is");
        let url = line.trim().strip_prefix("serving MCP at ").unwrap_or_else(|| panic!("{line}")).to_owned();
        std::thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()));
        Self { child, url }
    }

    fn address(&self) -> &str {
        self.url.strip_prefix("http://").and_then(|rest| rest.split('/').next()).expect("it is an address")
    }

    /// The status and the text of the answer to a request.
    fn request(&self, method: &str, headers: &[(&str, &str)], body: &str) -> (u16, String) {
        let mut text =
            format!("{method} /mcp HTTP/1.1\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
        for (name, value) in headers {
            let _ = write!(text, "{name}: {value}\r\n");
        }
        if !headers.iter().any(|(name, _)| *name == "host") {
            let _ = write!(text, "host: {}\r\n", self.address());
        }
        text += "\r\n";
        let mut stream = TcpStream::connect(self.address()).expect("the server listens");
        stream.set_read_timeout(Some(Duration::from_secs(30))).expect("it can be set");
        stream.write_all(text.as_bytes()).expect("the server reads");
        // A server that refuses may not read all.
        let _refused = stream.write_all(body.as_bytes());
        let mut answer = Vec::new();
        let _cut = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status = answer.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or_default();
        (status, answer)
    }

    fn post(&self, headers: &[(&str, &str)], message: &Value) -> (u16, String) {
        let usual = [("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
        let headers: Vec<_> = usual.into_iter().chain(headers.iter().copied()).collect();
        self.request("POST", &headers, &message.to_string())
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _gone = self.child.wait();
    }
}

fn hello() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
    }})
}

fn session(answer: &str) -> String {
    let line = answer.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
    line.unwrap_or_else(|| panic!("no session: {answer}")).trim().to_owned()
}

#[test]
fn a_session_begins_calls_a_tool_and_ends() {
    let desk = Desk::new();
    let server = HttpServer::start(&desk, &[], &[]);
    let (status, answer) = server.post(&[], &hello());
    assert_eq!(status, 200, "{answer}");
    let id = session(&answer);
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "explain", "arguments": {"name": "no-otherwise"},
    }});
    let begun = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(server.post(&[("mcp-session-id", &id)], &begun).0, 202);
    let (status, answer) = server.post(&[("mcp-session-id", &id)], &call);
    assert!(status == 200 && answer.contains("# no-otherwise"), "{answer}");
    let (status, answer) = server.request("DELETE", &[("mcp-session-id", &id)], "");
    assert!((200..300).contains(&status), "{answer}");
    assert_eq!(server.post(&[("mcp-session-id", &id)], &call).0, 404);
}

#[test]
fn other_hosts_and_pages_of_other_origins_are_refused() {
    let desk = Desk::new();
    let server = HttpServer::start(&desk, &[], &[]);
    let port = server.address().rsplit(':').next().expect("it has a port").to_owned();
    for (name, value, wanted) in [
        ("host", "evil.example".to_owned(), 403),
        ("host", format!("evil.example:{port}"), 403),
        ("host", "127.0.0.1:1".to_owned(), 403),
        ("host", format!("localhost:{port}"), 200),
        ("origin", "http://evil.example".to_owned(), 403),
        ("origin", format!("https://localhost:{port}"), 403),
        ("origin", "http://localhost:1".to_owned(), 403),
        ("origin", "null".to_owned(), 403),
        ("origin", "\u{7f}".to_owned(), 403),
        ("origin", format!("http://localhost:{port}"), 200),
    ] {
        let (status, answer) = server.post(&[(name, &value)], &hello());
        let status = if status == 400 && wanted == 403 { 403 } else { status };
        assert_eq!(status, wanted, "{name}: {value}: {answer}");
    }
}

#[test]
fn what_is_no_message_and_what_is_too_long_is_refused() {
    let desk = Desk::new();
    let server = HttpServer::start(&desk, &[], &[]);
    let headers = [("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for (body, wanted) in [
        ("{".to_owned(), 400..=422),
        ("[]".to_owned(), 400..=422),
        (deep, 400..=422),
        ("a".repeat(20 << 20), 413..=413),
    ] {
        let (status, answer) = server.request("POST", &headers, &body);
        assert!(wanted.contains(&status), "{}: {answer}", &body[..body.len().min(20)]);
    }
    assert_eq!(server.request("PUT", &headers, "").0, 405);
    assert_eq!(server.post(&[("mcp-session-id", "no-such")], &hello()).0, 404);
    assert_eq!(server.post(&[], &hello()).0, 200);
}

#[test]
fn sessions_are_bounded() {
    let desk = Desk::new();
    let server = HttpServer::start(&desk, &[], &[]);
    let statuses: Vec<u16> = (0..270).map(|_| server.post(&[], &hello()).0).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 256, "{statuses:?}");
    assert_eq!(statuses.last(), Some(&503));
}

#[test]
fn a_token_is_asked_for() {
    let desk = Desk::new();
    let server = HttpServer::start(&desk, &["--token-env", "MCP_TOKEN"], &[("MCP_TOKEN", "s3cret")]);
    for (value, wanted) in [
        (None, 401),
        (Some("Bearer wrong"), 401),
        (Some("Basic s3cret"), 401),
        (Some("s3cret"), 401),
        (Some("Bearer s3cret"), 200),
        (Some("bearer  s3cret"), 200),
    ] {
        let headers: Vec<_> = value.map(|value| ("authorization", value)).into_iter().collect();
        let (status, answer) = server.post(&headers, &hello());
        assert_eq!(status, wanted, "{value:?}: {answer}");
        assert!(!answer.contains("s3cret"), "{answer}");
    }
    let refused = |words: &str, env: &[(&str, &str)]| {
        let mut program = desk.program();
        program.envs(env.iter().copied());
        let ran = Ran::of(program, &words.split(' ').collect::<Vec<_>>());
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{}", ran.stderr);
        ran.stderr
    };
    insta::assert_snapshot!(
        "http_refused",
        [
            refused("mcp serve --http 0.0.0.0:0", &[]),
            refused("mcp serve --http 127.0.0.1:0 --token-env NO_SUCH", &[]),
            refused("mcp serve --http 0.0.0.0:0 --token-env EMPTY", &[("EMPTY", " ")]),
            refused("mcp serve --token-env EMPTY", &[]),
            refused("mcp serve --http localhost", &[]),
        ]
        .join("\n")
    );
}

#[test]
fn a_signal_ends_the_server_soon() {
    let desk = Desk::new();
    let mut server = HttpServer::start(&desk, &[], &[]);
    // A stream that stays open.
    let (_, answer) = server.post(&[], &hello());
    let id = session(&answer);
    let mut stream = TcpStream::connect(server.address()).expect("the server listens");
    let get = format!(
        "GET /mcp HTTP/1.1\r\nhost: {}\r\naccept: text/event-stream\r\nmcp-session-id: {id}\r\n\r\n",
        server.address()
    );
    stream.write_all(get.as_bytes()).expect("the server reads");
    std::thread::sleep(Duration::from_millis(200));
    let began = Instant::now();
    signal(&server.child, Signal::SIGTERM);
    let status = server.child.wait().expect("it is our child");
    assert_eq!(status.code(), Some(0));
    assert!(began.elapsed() < Duration::from_secs(8), "it took {:?}", began.elapsed());
}
