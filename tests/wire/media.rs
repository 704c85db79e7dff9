//! Images, documents and audio in messages: what is sent of them, and what is refused.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use futures::FutureExt;
use futures::future::ready;
use loopwright::machine::Outcome;
use loopwright::port::{BoxFuture, MessageFiles, UnreadFile};
use loopwright::value::{List, Value};
use serde_json::{Value as Json, json};

use super::encoded::{Part, encoded};
use super::world::{PROVIDERS, Reply, World};

/// Files in memory, whose content is their path. Counts how often one is read.
#[derive(Default)]
struct Files(Mutex<Vec<String>>);

impl MessageFiles for Files {
    fn read(&self, path: &str) -> BoxFuture<'static, Result<Vec<u8>, UnreadFile>> {
        self.0.lock().expect("nobody panicked").push(path.to_owned());
        let read = match path {
            "missing.png" => Err(UnreadFile("there is no file `missing.png`".to_owned())),
            "large.png" => Ok(vec![0; 20 << 20]),
            "larger.png" => Ok(vec![1; 20 << 20]),
            path => Ok(path.as_bytes().to_vec()),
        };
        ready(read).boxed()
    }
}

fn list(messages: &Json) -> List {
    let Value::List(messages) = Value::from_json(messages) else { panic!("a list") };
    messages
}

/// A user's message with these parts.
fn message(parts: &Json) -> List {
    list(&json!([{"from": "user", "text": "What is it?", "parts": parts}]))
}

fn reply(provider: &str) -> Reply {
    Reply::of(&encoded(provider, &[Part::Text("A bee.".to_owned())], "stop").expect("a reply"))
}

fn sent(provider: &str, messages: &List) -> Result<Json, String> {
    let world = World::new(provider, "").with_files(Arc::new(Files::default()));
    let (outcome, sent) = world.talk(messages, reply(provider));
    match outcome {
        Outcome::Answer { .. } => {
            let body: Json = serde_json::from_slice(&sent[0].body).expect("a body is JSON");
            let list = body.get("messages").or_else(|| body.get("contents")).expect("messages");
            Ok(list.as_array().expect("a list").last().expect("a message").clone())
        }
        Outcome::Failed { kind, message, .. } => {
            assert!(sent.is_empty(), "nothing was sent");
            Err(format!("{kind}: {message}"))
        }
        Outcome::Unknown { message } => panic!("{message}"),
    }
}

#[test]
fn every_provider_gets_files_in_its_own_way() {
    let rows = [
        ("a picture", json!([{"kind": "image", "file": "a/bee.png"}])),
        (
            "a picture of a type that is given",
            json!([{"kind": "image", "file": "bee", "media_type": "IMAGE/WebP"}]),
        ),
        (
            "a picture of another type",
            json!([{"kind": "image", "file": "bee.tiff", "media_type": "image/tiff"}]),
        ),
        (
            "texts around pictures",
            json!([
                {"kind": "image", "file": "1.jpg"},
                {"kind": "text", "text": "And this?"},
                {"kind": "image", "file": "2.gif"},
            ]),
        ),
        ("a document", json!([{"kind": "document", "file": "scan.PDF"}])),
        ("a text", json!([{"kind": "document", "file": "notes.md"}])),
        ("audio", json!([{"kind": "audio", "file": "buzz.mp3"}])),
        ("other audio", json!([{"kind": "audio", "file": "buzz.wav"}])),
    ];
    for provider in PROVIDERS {
        let mut told = String::new();
        for (name, parts) in &rows {
            let found = match sent(provider, &message(parts)) {
                Ok(message) => serde_json::to_string(&message).expect("it is JSON"),
                Err(why) => why,
            };
            let _ = writeln!(told, "{name}: {found}");
        }
        insta::assert_snapshot!(format!("media_{provider}"), told);
    }
}

#[test]
fn a_part_that_cannot_be_sent_is_refused_and_nothing_is_sent() {
    let from = |from: &str| {
        list(&json!([{"from": from, "text": "x", "parts": [{"kind": "image", "file": "a.png"}]}]))
    };
    let rows = [
        ("a file that is not there", message(&json!([{"kind": "image", "file": "missing.png"}]))),
        ("no file", message(&json!([{"kind": "image", "text": "x"}]))),
        ("an empty path", message(&json!([{"kind": "image", "file": ""}]))),
        ("a text with a file", message(&json!([{"kind": "text", "text": "x", "file": "a.png"}]))),
        ("a name that tells nothing", message(&json!([{"kind": "image", "file": "bee"}]))),
        ("a document as a picture", message(&json!([{"kind": "image", "file": "a.pdf"}]))),
        ("a picture as a document", message(&json!([{"kind": "document", "file": "a.png"}]))),
        ("a video", message(&json!([{"kind": "document", "file": "a", "media_type": "video/mp4"}]))),
        (
            "a media type that would leave its place",
            message(&json!([{"kind": "image", "file": "a.png", "media_type": "image/png;base64,AAAA"}])),
        ),
        ("no media type", message(&json!([{"kind": "image", "file": "a.png", "media_type": "png"}]))),
        (
            "too much",
            message(
                &json!([{"kind": "image", "file": "large.png"}, {"kind": "image", "file": "larger.png"}]),
            ),
        ),
        ("a message of an assistant", from("assistant")),
        ("a message of a tool", from("tool")),
        ("a system message", from("system")),
    ];
    let mut told = String::new();
    for (name, messages) in &rows {
        let refused = PROVIDERS.map(|provider| sent(provider, messages).expect_err(name));
        assert!(refused.iter().all(|one| *one == refused[0]), "{name}: {refused:?}");
        let _ = writeln!(told, "{name}: {}", refused[0]);
    }
    insta::assert_snapshot!(told);
}

#[test]
fn without_a_folder_nothing_is_sent() {
    let messages = message(&json!([{"kind": "image", "file": "a.png"}]));
    let (outcome, sent) = World::new("openai", "").talk(&messages, reply("openai"));
    let Outcome::Failed { kind, message, attempts, .. } = outcome else { panic!("{outcome:?}") };
    assert_eq!(kind, "denied");
    assert_eq!(message, "[models.any] has no `files`: `a.png` is not sent");
    assert!(sent.is_empty() && attempts.len() == 1 && !attempts[0].was_sent());
}

#[test]
fn a_file_is_read_once_and_its_digest_is_recorded() {
    let files = Arc::new(Files::default());
    let world = World::new("openai", "").with_files(files.clone());
    let part = json!({"kind": "image", "file": "a.png"});
    let messages = list(&json!([
        {"from": "user", "text": "This?", "parts": [part]},
        {"from": "assistant", "text": "A bee."},
        {"from": "user", "text": "And this?", "parts": [part, {"kind": "image", "file": "b.png"}]},
    ]));
    let (outcome, _) = world.talk(&messages, reply("openai"));
    let files = files.0.lock().expect("nobody panicked").clone();
    assert_eq!(files, ["a.png", "b.png"]);
    let recorded = &outcome.attempts()[0].files;
    let found: Vec<_> =
        recorded.iter().map(|file| (file.path.as_str(), file.digest.to_string(), file.bytes)).collect();
    let digest = |text: &str| blake3::hash(text.as_bytes()).to_hex().to_string();
    assert_eq!(found, [("a.png", digest("a.png"), 5), ("b.png", digest("b.png"), 5)]);
}
