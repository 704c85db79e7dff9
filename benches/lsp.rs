//! The time from a key to findings, in a file of 1,000 nodes within a folder of 100 files. Prints percentiles for both syntaxes, and
//! the memory of the process with both servers (Linux only).

#[path = "common/large.rs"]
#[expect(dead_code, reason = "other benches need more of it")]
mod large;
#[path = "common/resident.rs"]
mod resident;

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use loopwright::app::trust::{Consent, Digests, Notes};
use loopwright::drive::Disk;
use loopwright::lsp::{LanguageServer, Message};
use resident::{mebibytes, resident};
use serde_json::{Value, json};

/// Nodes of the file that is edited, and of each other one.
const NODES: usize = 1_000;
const OTHER_NODES: usize = 20;

/// Files of the folder.
const FILES: usize = 100;

/// Keys that are typed.
const KEYS: usize = 300;

fn tell(server: &mut LanguageServer, message: Value) {
    let message: Message = serde_json::from_value(message).expect("it is a message");
    server.receive(message);
}

/// The times from a key to the findings of its file, sorted.
fn typed(folder: &Path, name: &str, text: &str) -> Vec<Duration> {
    let uri = |name: &str| format!("file://{}", folder.join(name).display());
    let consent = Consent { notes: Notes::new(|_| {}), digests: Digests::default() };
    let mut server = LanguageServer::new(Disk::default(), consent);
    let params = json!({"rootUri": uri(""), "capabilities": {}});
    tell(&mut server, json!({"id": 1, "method": "initialize", "params": params}));
    tell(&mut server, json!({"method": "initialized", "params": {}}));
    let document = json!({"uri": uri(name), "languageId": "", "version": 1, "text": text});
    tell(&mut server, json!({"method": "textDocument/didOpen", "params": {"textDocument": document}}));
    while server.has_work() {
        server.work();
    }
    let lines = text.lines().count();
    let mut times = Vec::new();
    for key in 0..KEYS {
        server.take_messages();
        // A letter is typed at the end of a line, and taken back.
        let line = (key / 2 * 37) % lines;
        let width = text.lines().nth(line).map_or(0, |line| line.encode_utf16().count());
        let end = width + key % 2;
        let range =
            json!({"start": {"line": line, "character": width}, "end": {"line": line, "character": end}});
        let change = json!({"range": range, "text": if key % 2 == 0 { "x" } else { "" }});
        let document = json!({"uri": uri(name), "version": key + 2});
        let params = json!({"textDocument": document, "contentChanges": [change]});
        let begun = Instant::now();
        tell(&mut server, json!({"method": "textDocument/didChange", "params": params}));
        server.work();
        let messages = server.take_messages();
        times.push(begun.elapsed());
        assert!(!messages.is_empty(), "the findings of the file are published");
        while server.has_work() {
            server.work();
        }
    }
    times.sort();
    times
}

fn main() {
    let folder = std::env::temp_dir().join(format!("loopwright-bench-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder can be made");
    for (name, text) in [("large.yaml", large::long(NODES)), ("large.loop", large::long_loop(NODES))] {
        fs::write(folder.join(name), text).expect("a file can be written");
    }
    for file in 2..FILES {
        fs::write(folder.join(format!("other_{file}.yaml")), large::long(OTHER_NODES))
            .expect("a file can be written");
    }
    let folder = folder.canonicalize().expect("it is there");
    for name in ["large.yaml", "large.loop"] {
        let text = fs::read_to_string(folder.join(name)).expect("it can be read");
        let times = typed(&folder, name, &text);
        let at = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)];
        println!(
            "{name}: {} keys, 50 % within {:.1?}, 95 % within {:.1?}, all within {:.1?}",
            times.len(),
            at(50),
            at(95),
            at(100)
        );
    }
    if let Some(bytes) = resident() {
        println!("the process has {:.0} MiB", mebibytes(bytes));
    }
    fs::remove_dir_all(&folder).expect("the folder can be removed");
}
