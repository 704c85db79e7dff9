//! A client of the API that writes its requests by hand, so that it can write wrong ones.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

/// The time for which an answer is waited for.
const PATIENCE: Duration = Duration::from_mins(1);

/// A response.
#[derive(Debug)]
pub(super) struct Response {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: String,
}

impl Response {
    /// The body as JSON.
    #[track_caller]
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The header of that name.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// Checks that it is a problem of that status and kind.
    #[track_caller]
    pub(super) fn is_problem(&self, status: u16, kind: &str) -> Value {
        assert_eq!(self.status, status, "{self:?}");
        assert_eq!(self.header("content-type"), Some("application/problem+json"), "{self:?}");
        let problem = self.json();
        assert_eq!(problem["type"], format!("urn:loopwright:problem:{kind}"), "{self:?}");
        assert_eq!(problem["status"], status, "{self:?}");
        assert!(problem["detail"].as_str().is_some_and(|detail| !detail.is_empty()), "{self:?}");
        problem
    }

    #[track_caller]
    pub(super) fn is(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{self:?}");
        self
    }
}

/// A connection that reads what comes.
pub(super) struct Connection(BufReader<TcpStream>);

impl Connection {
    pub(super) fn open(address: &str) -> Self {
        let stream = TcpStream::connect(address).expect("the server listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("it can be set");
        Self(BufReader::new(stream))
    }

    pub(super) fn write(&mut self, text: &[u8]) {
        // A server that refuses may not read all.
        let _refused = self.0.get_mut().write_all(text);
    }

    /// The next line, without its end; none at the end.
    pub(super) fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        match self.0.read_line(&mut line) {
            Ok(0) | Err(_) => None,
            Ok(_) => Some(line.trim_end_matches(['\r', '\n']).to_owned()),
        }
    }

    /// The status and the headers of a response.
    pub(super) fn head(&mut self) -> Response {
        let first = self.line().unwrap_or_default();
        let status = first.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or_default();
        let mut headers = Vec::new();
        while let Some(line) = self.line().filter(|line| !line.is_empty()) {
            if let Some((name, value)) = line.split_once(':') {
                headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
            }
        }
        Response { status, headers, body: String::new() }
    }

    /// A whole response.
    pub(super) fn response(&mut self) -> Response {
        let mut response = self.head();
        let length = response.header("content-length").and_then(|length| length.parse().ok());
        let mut body = Vec::new();
        if let Some(length) = length {
            body.resize(length, 0);
            let _cut = self.0.read_exact(&mut body);
        } else if response.header("transfer-encoding") == Some("chunked") {
            while let Some(chunk) = self.chunk() {
                body.extend(chunk);
            }
        }
        response.body = String::from_utf8_lossy(&body).into_owned();
        response
    }

    /// The next chunk of a body; none at its end.
    pub(super) fn chunk(&mut self) -> Option<Vec<u8>> {
        let length = usize::from_str_radix(self.line()?.trim(), 16).ok().filter(|length| *length > 0)?;
        let mut chunk = vec![0; length + 2];
        self.0.read_exact(&mut chunk).ok()?;
        chunk.truncate(length);
        Some(chunk)
    }
}

/// A client of a server, with the headers of each request.
#[derive(Clone)]
pub(super) struct Client {
    pub(super) address: String,
    pub(super) headers: Vec<(String, String)>,
}

impl Client {
    /// The same with a further header, or another value of one.
    pub(super) fn with(&self, name: &str, value: &str) -> Self {
        let mut client = self.clone();
        client.headers.retain(|(own, _)| own != name);
        client.headers.push((name.to_owned(), value.to_owned()));
        client
    }

    /// The same without a header.
    pub(super) fn without(&self, name: &str) -> Self {
        let mut client = self.clone();
        client.headers.retain(|(own, _)| own != name);
        client
    }

    /// The text of a request.
    pub(super) fn text(&self, method: &str, path: &str, body: Option<&str>) -> String {
        let mut text = format!("{method} {path} HTTP/1.1\r\n");
        if !self.headers.iter().any(|(name, _)| name == "host") {
            let _ = write!(text, "host: {}\r\n", self.address);
        }
        if let Some(body) = body {
            let _ = write!(text, "content-length: {}\r\n", body.len());
            if !self.headers.iter().any(|(name, _)| name == "content-type") {
                text += "content-type: application/json\r\n";
            }
        }
        for (name, value) in &self.headers {
            let _ = write!(text, "{name}: {value}\r\n");
        }
        text + "\r\n" + body.unwrap_or_default()
    }

    pub(super) fn send(&self, method: &str, path: &str, body: Option<&str>) -> Response {
        let mut connection = Connection::open(&self.address);
        connection.write(self.text(method, path, body).as_bytes());
        connection.response()
    }

    pub(super) fn get(&self, path: &str) -> Response {
        self.send("GET", path, None)
    }

    pub(super) fn post(&self, path: &str, body: &Value) -> Response {
        self.send("POST", path, Some(&body.to_string()))
    }

    /// Opens a stream of events.
    pub(super) fn watch(&self, path: &str) -> EventStream {
        let mut connection = Connection::open(&self.address);
        connection.write(self.text("GET", path, None).as_bytes());
        let head = connection.head();
        assert_eq!((head.status, head.header("content-type")), (200, Some("text/event-stream")), "{head:?}");
        EventStream::of(connection)
    }
}

/// A message of a stream.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Message {
    pub(super) id: Option<String>,
    pub(super) event: String,
    pub(super) data: Value,
}

/// An open stream of events.
pub(super) struct EventStream {
    pub(super) connection: Connection,
    rest: String,
}

impl EventStream {
    /// The stream of a connection after its head.
    pub(super) const fn of(connection: Connection) -> Self {
        Self { connection, rest: String::new() }
    }

    /// The next message; none at the end. Signs of life are passed over.
    pub(super) fn next(&mut self) -> Option<Message> {
        loop {
            while let Some(end) = self.rest.find("\n\n") {
                let text: String = self.rest.drain(..end + 2).collect();
                if let Some(message) = message(&text) {
                    return Some(message);
                }
            }
            let chunk = self.connection.chunk()?;
            self.rest += std::str::from_utf8(&chunk).expect("chunks end with messages");
        }
    }

    /// The messages up to one that is wanted, with it.
    pub(super) fn until(&mut self, wanted: impl Fn(&Message) -> bool) -> Vec<Message> {
        let mut messages = Vec::new();
        loop {
            let message = self.next().unwrap_or_else(|| panic!("the stream ended after {messages:#?}"));
            let found = wanted(&message);
            messages.push(message);
            if found {
                return messages;
            }
        }
    }
}

fn message(text: &str) -> Option<Message> {
    let field = |name: &str| {
        let mut lines = text.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        lines.next().map(str::to_owned)
    };
    let data = serde_json::from_str(&field("data")?).expect("data are JSON");
    Some(Message { id: field("id"), event: field("event")?, data })
}
