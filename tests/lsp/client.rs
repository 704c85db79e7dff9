//! A client of the server in this process, with a copy of some shipped files.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use loopwright::app::trust::{Consent, Digests, Notes};
use loopwright::drive::Disk;
use loopwright::lsp::{Connection, LanguageServer, Message};
use serde_json::{Value as Json, json};

use crate::cli::copy;

/// The longest wait for an answer.
const MAX_WAIT: Duration = Duration::from_mins(1);

/// A server with what nobody allowed.
pub(super) fn server() -> LanguageServer {
    let consent = Consent { notes: Notes::new(|_| {}), digests: Digests::default() };
    LanguageServer::new(Disk::default(), consent)
}

/// A folder with copies of files of the checkout.
pub(super) struct EditedFolder {
    folder: tempfile::TempDir,
}

impl EditedFolder {
    /// A copy of folders of the checkout, all in one.
    pub(super) fn of(folders: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder can be made");
        for from in folders {
            copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join(from), folder.path());
        }
        Self { folder }
    }

    pub(super) fn with(self, name: &str, text: &str) -> Self {
        fs::write(self.path(name), text).expect("a file can be written");
        self
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        // Without links, as the server names them.
        fs::canonicalize(self.folder.path()).expect("it is there").join(name)
    }

    pub(super) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("a file can be read")
    }

    pub(super) fn uri(&self, name: &str) -> String {
        format!("file://{}", self.path(name).display())
    }

    /// The parameters of the first request of a client that knows everything.
    pub(super) fn initialize(&self) -> Json {
        json!({
            "processId": null,
            "rootUri": self.uri(""),
            "capabilities": {
                "general": {"positionEncodings": ["utf-16"]},
                "textDocument": {"publishDiagnostics": {"relatedInformation": true}},
            },
        })
    }
}

/// A client that waits for each answer.
pub(super) struct LspClient {
    pub(super) folder: EditedFolder,
    connection: Option<Connection>,
    server: Option<JoinHandle<bool>>,
    requests: i32,
    /// The findings of each file that were published last, in the order in which they came first.
    pub(super) published: Vec<(String, Json)>,
}

impl LspClient {
    /// A client that works in a folder, and has said so.
    pub(super) fn new(folder: EditedFolder) -> Self {
        let (own, other) = Connection::memory();
        let server = thread::spawn(move || server().serve(&other));
        let mut client =
            Self { folder, connection: Some(own), server: Some(server), requests: 0, published: Vec::new() };
        let params = client.folder.initialize();
        client.request("initialize", &params);
        client.notify("initialized", &json!({}));
        client
    }

    pub(super) fn notify(&self, method: &str, params: &Json) {
        let message = json!({"method": method, "params": params});
        let message: Message = serde_json::from_value(message).expect("it is a message");
        self.connection.as_ref().expect("it is open").sender.send(message).expect("the server is there");
    }

    /// Sends a request and waits for the answer: the result, or the error.
    pub(super) fn request(&mut self, method: &str, params: &Json) -> Json {
        self.requests += 1;
        let message = json!({"id": self.requests, "method": method, "params": params});
        let message: Message = serde_json::from_value(message).expect("it is a message");
        self.connection.as_ref().expect("it is open").sender.send(message).expect("the server is there");
        loop {
            let answer = serde_json::to_value(self.receive()).expect("it is JSON");
            if answer["id"] == self.requests {
                return answer.get("result").unwrap_or(&answer["error"]).clone();
            }
        }
    }

    fn receive(&mut self) -> Message {
        let receiver = &self.connection.as_ref().expect("it is open").receiver;
        let message = receiver.recv_timeout(MAX_WAIT).expect("the server answers");
        if let Message::Notification(notification) = &message
            && notification.method == "textDocument/publishDiagnostics"
        {
            let uri = notification.params["uri"].as_str().expect("it has an address").to_owned();
            let findings = notification.params.clone();
            match self.published.iter_mut().find(|(file, _)| *file == uri) {
                Some((_, known)) => *known = findings,
                None => self.published.push((uri, findings)),
            }
        }
        message
    }

    pub(super) fn open(&self, name: &str) {
        let text = self.folder.text(name);
        self.open_text(name, &text);
    }

    pub(super) fn open_text(&self, name: &str, text: &str) {
        let document = json!({
            "uri": self.folder.uri(name), "languageId": "loopwright", "version": 1, "text": text,
        });
        self.notify("textDocument/didOpen", &json!({"textDocument": document}));
    }

    /// Replaces the first occurrence of a text in a file.
    pub(super) fn replace(&self, name: &str, version: i32, old: &str, new: &str) {
        let range = self.range(name, old);
        let change = json!({"range": range, "text": new});
        self.notify(
            "textDocument/didChange",
            &json!({
                "textDocument": {"uri": self.folder.uri(name), "version": version},
                "contentChanges": [change],
            }),
        );
    }

    /// The range of the first occurrence of a text in a file on disk.
    pub(super) fn range(&self, name: &str, part: &str) -> Json {
        let text = self.folder.text(name);
        let at = text.find(part).unwrap_or_else(|| panic!("{name} has no `{part}`"));
        json!({"start": position(&text, at), "end": position(&text, at + part.len())})
    }

    /// The parameters of a request about a place: the middle of `part`, in its first occurrence after `after`.
    pub(super) fn place(&self, name: &str, after: &str, part: &str) -> Json {
        let text = self.folder.text(name);
        let from = text.find(after).unwrap_or_else(|| panic!("{name} has no `{after}`"));
        let at = from + text[from..].find(part).unwrap_or_else(|| panic!("{name} has no `{part}`"));
        json!({
            "textDocument": {"uri": self.folder.uri(name)},
            "position": position(&text, at + part.len().min(1)),
        })
    }

    /// Waits until the server has examined all files.
    pub(super) fn settle(&mut self) {
        self.request("workspace/symbol", &json!({"query": ""}));
    }

    /// A text without the place of the folder.
    pub(super) fn shown(&self, value: &Json) -> String {
        let mut value = value.clone();
        // Files in an order of their own.
        if let Some(changes) = value.get_mut("changes").and_then(Json::as_object_mut) {
            changes.sort_keys();
        }
        let text = serde_json::to_string_pretty(&value).expect("it is JSON");
        text.replace(&self.folder.uri(""), "FOLDER/")
            .replace(&self.folder.path("").display().to_string(), "FOLDER/")
    }

    /// The findings of all files that were published, in the order of their names, each on one line with what belongs to it.
    pub(super) fn findings(&self) -> String {
        let mut all: Vec<&(String, Json)> = self.published.iter().collect();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        let mut out = String::new();
        for (uri, params) in all {
            let _ = writeln!(out, "{uri} version {}", params["version"]);
            for found in params["diagnostics"].as_array().expect("a list") {
                let _ = writeln!(out, "  {found}");
            }
        }
        out.replace(&self.folder.uri(""), "")
    }

    /// Says goodbye. Gives what the server ended with.
    pub(super) fn leave(mut self) -> bool {
        assert_eq!(self.request("shutdown", &Json::Null), Json::Null);
        self.notify("exit", &Json::Null);
        self.server.take().expect("it was not awaited").join().expect("the server does not panic")
    }
}

impl Drop for LspClient {
    fn drop(&mut self) {
        self.connection.take();
        if let Some(server) = self.server.take() {
            let ended = server.join();
            assert!(thread::panicking() || ended.is_ok(), "the server panicked");
        }
    }
}

/// The position of a byte of a text that has no character outside of the basic plane.
pub(super) fn position(text: &str, at: usize) -> Json {
    let before = &text[..at];
    let start = before.rfind('\n').map_or(0, |i| i + 1);
    json!({"line": before.matches('\n').count(), "character": before[start..].encode_utf16().count()})
}

/// True for the name of a file in one of the syntaxes.
pub(super) fn is_source(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|end| end == "yaml" || end == "loop")
}
