//! A collector that keeps what it gets.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use crate::posted::Posted;

/// How a collector takes traces.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Takes {
    /// It takes them all.
    All,
    /// It answers with this head.
    Not(&'static str),
    /// It never answers.
    Silently,
}

/// A collector on a port of its own, until the tests end.
#[derive(Clone)]
pub(crate) struct Collector {
    pub(crate) url: String,
    got: Arc<Mutex<Vec<Posted>>>,
}

impl Collector {
    pub(crate) fn start(takes: Takes) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let own = Self { url, got: Arc::default() };
        let shared = own.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = shared.clone();
                std::thread::spawn(move || shared.serve(stream, takes));
            }
        });
        own
    }

    fn serve(&self, mut stream: TcpStream, takes: Takes) {
        while let Some(posted) = Posted::read(&mut stream) {
            self.got.lock().unwrap_or_else(PoisonError::into_inner).push(posted);
            let head = match takes {
                Takes::All => "200 OK\r\ncontent-type: application/json",
                Takes::Not(head) => head,
                Takes::Silently => continue,
            };
            let body = if matches!(takes, Takes::All) { "{}" } else { "" };
            let reply = format!("HTTP/1.1 {head}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
            if stream.write_all(reply.as_bytes()).is_err() {
                return;
            }
        }
    }

    /// What it got so far.
    pub(crate) fn got(&self) -> Vec<Posted> {
        self.got.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The spans it got as JSON, in the order in which they began.
    pub(crate) fn spans(&self) -> Vec<Value> {
        let all = self.resources().into_iter().flat_map(|(_, spans)| spans);
        let mut all: Vec<Value> = all.collect();
        let begin =
            |span: &Value| span["startTimeUnixNano"].as_str().and_then(|text| text.parse::<u64>().ok());
        all.sort_by_key(begin);
        all
    }

    /// The attributes of who sent spans as JSON, and the spans.
    pub(crate) fn resources(&self) -> Vec<(Value, Vec<Value>)> {
        let mut all = Vec::new();
        for posted in self.got() {
            let body: Value = serde_json::from_slice(&posted.body).expect("it is JSON");
            for resource in body["resourceSpans"].as_array().into_iter().flatten() {
                let scopes = resource["scopeSpans"].as_array().into_iter().flatten();
                let spans = scopes.flat_map(|scope| scope["spans"].as_array().cloned().unwrap_or_default());
                all.push((resource["resource"]["attributes"].clone(), spans.collect()));
            }
        }
        all
    }
}

/// An attribute out of a list of them.
pub(crate) fn attribute<'v>(attributes: &'v Value, name: &str) -> Option<&'v str> {
    let all = attributes.as_array()?.iter();
    all.clone().find(|pair| pair["key"] == name)?["value"]["stringValue"].as_str()
}
