//! The conformance suite of the protocol against our server.

use std::path::Path;
use std::sync::mpsc::channel;

use loopwright::serve::protocol::http::HttpServer;

use super::super::part::Part;
use super::{fixture, http};
use crate::cli::Desk;

/// The scenarios that need nothing in particular from a server: they are run against the program itself, too.
const PLAIN: [&str; 8] = [
    "server-initialize",
    "logging-set-level",
    "ping",
    "tools-list",
    "resources-list",
    "prompts-list",
    "server-sse-multiple-streams",
    "dns-rebinding-protection",
];

/// The number of scenarios that the suite has for servers. All of them apply.
const SCENARIOS: usize = 32;

fn suite(part: &Part, url: &str, words: &[&str], folder: &Path) -> String {
    let output = part
        .node()
        .arg(part.script("conformance", "dist/index.js"))
        .args(["server", "--url", url])
        .args(words)
        .current_dir(folder)
        .output()
        .expect("node starts");
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?}: {text}");
    text
}

#[test]
fn the_server_passes_the_conformance_suite() {
    let Some(part) = Part::get() else { return };
    let (say, hear) = channel();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let serving = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        runtime.expect("threads start").block_on(async move {
            let address = "127.0.0.1:0".parse().expect("it is an address");
            let server = HttpServer::bind(address, None).await.expect("a port is free");
            say.send(server.url()).expect("the test waits");
            let stop = async move {
                let _dropped = stopped.await;
            };
            server.serve(fixture::offer(), stop).await.expect("it serves");
        });
    });
    let url = hear.recv().expect("the server says where it is");
    let folder = tempfile::tempdir().expect("a folder can be made");
    let said = suite(part, &url, &["--suite", "all"], folder.path());
    drop(stop);
    serving.join().expect("it ends");
    let passed = said.lines().filter(|line| line.starts_with('✓')).count();
    assert!(passed >= SCENARIOS && said.contains(", 0 failed\n"), "{said}");
}

#[test]
fn the_program_itself_passes_the_scenarios_that_need_no_fixture() {
    let Some(part) = Part::get() else { return };
    let desk = Desk::new();
    let server = http::HttpServer::start(&desk, &["graphs/mini.yaml"], &[]);
    for scenario in PLAIN {
        suite(part, &server.url, &["--scenario", scenario], desk.folder.path());
    }
}
