//! Servers on this machine: a stranger's, and the model of the operator.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::json;

use crate::posted::Posted;

/// A server that notes all it gets, and answers as a model does.
#[derive(Clone)]
pub(super) struct Server {
    pub(super) address: String,
    seen: Arc<Mutex<Seen>>,
}

/// What came to a server.
#[derive(Default)]
struct Seen {
    connections: usize,
    posted: Vec<Posted>,
}

impl Server {
    /// Starts one on a port of its own; it serves until the tests end.
    pub(super) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let own = Self { address, seen: Arc::default() };
        let shared = own.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                shared.with(|seen| seen.connections += 1);
                let shared = shared.clone();
                std::thread::spawn(move || shared.answer(stream));
            }
        });
        own
    }

    fn answer(&self, mut stream: TcpStream) -> Option<()> {
        let posted = Posted::read(&mut stream)?;
        self.with(|seen| seen.posted.push(posted));
        let piece = json!({"choices": [{"delta": {"content": "{\"text\": \"fine\"}"}}]});
        let end = json!({"choices": [{"delta": {}, "finish_reason": "stop"}]});
        let reply = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\ndata: {piece}\n\ndata: {end}\n\ndata: [DONE]\n\n"
        );
        stream.write_all(reply.as_bytes()).ok()
    }

    fn with<T>(&self, does: impl FnOnce(&mut Seen) -> T) -> T {
        does(&mut self.seen.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// How often somebody connected.
    pub(super) fn connections(&self) -> usize {
        self.with(|seen| seen.connections)
    }

    /// All requests so far.
    pub(super) fn posted(&self) -> Vec<Posted> {
        self.with(|seen| seen.posted.clone())
    }
}
