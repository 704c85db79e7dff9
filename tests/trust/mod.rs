//! What a folder of somebody else asks for holds only where it was allowed.

mod changed;
mod digests;
mod grants;
mod notes;
mod places;
mod programs;
mod store;
mod stranger;
mod terminal;

use std::io::Write;
use std::net::TcpListener;
use std::sync::{Arc, Mutex, PoisonError};

use crate::cli::Ran;
use crate::posted::Posted;

/// A server that notes what is sent to it, and answers with a status.
pub(crate) struct Server {
    /// Its address, as `base_url` wants it.
    pub(crate) url: String,
    heard: Arc<Mutex<Vec<Option<Posted>>>>,
}

impl Server {
    /// Serves until the tests end.
    pub(crate) fn start(answer: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}/v1", listener.local_addr().expect("an address"));
        let heard = Arc::new(Mutex::new(Vec::new()));
        let notes = Arc::clone(&heard);
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let posted = Posted::read(&mut stream);
                notes.lock().unwrap_or_else(PoisonError::into_inner).push(posted);
                // Whoever goes away misses it.
                let _ = stream.write_all(answer.as_bytes());
            }
        });
        Self { url, heard }
    }

    /// One that refuses whatever is asked.
    pub(crate) fn refusing() -> Self {
        Self::start("HTTP/1.1 401 No\r\nconnection: close\r\ncontent-length: 0\r\n\r\n".to_owned())
    }

    /// The connections there were, with what was sent.
    pub(crate) fn heard(&self) -> Vec<Option<Posted>> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The digest in the command that a program named.
pub(crate) fn digest<'a>(ran: &'a Ran, flag: &str) -> &'a str {
    let said = if ran.stdout.contains(flag) { &ran.stdout } else { &ran.stderr };
    let behind = said.split(flag).nth(1).unwrap_or_else(|| panic!("no `{flag}`: {}", ran.transcript()));
    behind.get(..64).unwrap_or_else(|| panic!("no digest: {}", ran.transcript()))
}
