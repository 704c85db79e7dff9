//! Files in messages on the command line: from the folder that the operator allowed, and not before that.

use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value as Json, json};

use crate::cli::Desk;
use crate::posted::Posted;

type Sent = Arc<Mutex<Vec<Json>>>;

/// A server that keeps what it is sent.
fn server() -> (String, Sent) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}/v1", listener.local_addr().expect("an address"));
    let sent = Sent::default();
    let own = sent.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            answer(stream, &own);
        }
    });
    (address, sent)
}

fn answer(mut stream: TcpStream, sent: &Sent) -> Option<()> {
    let posted = Posted::read(&mut stream)?;
    sent.lock().expect("nobody panicked").push(serde_json::from_slice(&posted.body).ok()?);
    let choice = json!({"choices": [{"delta": {"content": "A bee."}, "finish_reason": "stop"}]});
    let reply = format!("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\ndata: {choice}\n\ndata: [DONE]\n\n");
    stream.write_all(reply.as_bytes()).ok()
}

const GRAPH: &str = "
graph: look
input: {path: string}
state: {reply: Reply?, why: string?}
start: ask
nodes:
  ask:
    kind: model
    role: eye
    messages: \"[Message{from: 'user', text: 'What is it?', parts: [Part{kind: 'image', file: path}]}]\"
    output: Reply
    cache: true
    into: reply
    next: [{to: end}, {to: failed, on: error, do: why = error.message}]
  end: {kind: final}
  failed: {kind: final, ok: false}
output: {text: \"reply == null ? why : reply.text\"}
";

fn desk() -> (Desk, Sent) {
    let (desk, (address, sent)) = (Desk::new(), server());
    desk.write("look.yaml", GRAPH);
    std::fs::create_dir(desk.folder.path().join("pictures")).expect("a folder can be made");
    desk.write("pictures/bee.png", "bytes of a bee");
    desk.write("secret.png", "a secret");
    let entry = format!("[models.eye]\nprovider = \"openai\"\nmodel = \"m\"\nbase_url = \"{address}\"\n");
    desk.write("loopwright.toml", &(entry + "files = {root = \"pictures\"}\n"));
    (desk, sent)
}

#[test]
fn a_file_goes_to_the_model_once_it_was_allowed_and_a_replay_needs_neither() {
    let (desk, sent) = desk();
    let stranger = desk.run("run look.yaml --input path=bee.png");
    assert_eq!((stranger.code, sent.lock().expect("nobody panicked").len()), (Some(3), 0));
    let reach = "sends files below pictures that a graph names to http://127.0.0.1:";
    assert!(stranger.stderr.contains(reach), "{}", stranger.transcript());
    desk.trust(".");
    let ran = desk.run("run look.yaml --input path=bee.png --run-id a");
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (Some(0), "outcome: end\ntext: A bee.\n"),
        "{}",
        ran.transcript()
    );
    let body = sent.lock().expect("nobody panicked")[0].clone();
    let part =
        json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,Ynl0ZXMgb2YgYSBiZWU="}});
    assert_eq!(body["messages"][0]["content"], json!([{"type": "text", "text": "What is it?"}, part]));
    let log = desk.run("log a --format jsonl").stdout;
    let digest = blake3::hash(b"bytes of a bee").to_hex().to_string();
    assert!(
        log.contains(&format!("\"files\":[{{\"path\":\"bee.png\",\"digest\":\"{digest}\",\"bytes\":14}}]")),
        "{log}"
    );
    assert!(!log.contains("Ynl0ZXM"), "the content is not stored: {log}");
    // Another picture under the same name is another question: the cache does not answer it.
    desk.write("pictures/bee.png", "another");
    assert_eq!(desk.run("run look.yaml --input path=bee.png").code, Some(0));
    assert_eq!(sent.lock().expect("nobody panicked").len(), 2);
    std::fs::remove_dir_all(desk.folder.path().join("pictures")).expect("it can be removed");
    desk.write("loopwright.toml", "");
    assert_eq!(desk.run("replay a").code, Some(0));
}

#[test]
fn no_path_of_a_graph_leaves_the_folder() {
    let (desk, sent) = desk();
    std::os::unix::fs::symlink("../secret.png", desk.folder.path().join("pictures/link.png"))
        .expect("a link can be made");
    desk.trust(".");
    for path in ["../secret.png", "/etc/passwd", "link.png", "missing.png", "pictures/../../secret.png"] {
        let ran = desk.run(&format!("run look.yaml --input path={path}"));
        assert_eq!(ran.code, Some(1), "{}", ran.transcript());
        assert!(!ran.stdout.contains("A bee."), "{}", ran.transcript());
    }
    assert!(sent.lock().expect("nobody panicked").is_empty());
    // What is put in the place of the folder is not what was allowed.
    std::fs::rename(desk.folder.path().join("pictures"), desk.folder.path().join("moved"))
        .expect("it can be moved");
    std::os::unix::fs::symlink(".", desk.folder.path().join("pictures")).expect("a link can be made");
    let ran = desk.run("run look.yaml --input path=secret.png");
    assert_ne!(ran.code, Some(0), "{}", ran.transcript());
    assert!(sent.lock().expect("nobody panicked").is_empty());
}
