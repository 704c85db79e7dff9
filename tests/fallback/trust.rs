//! What a configuration with lists asks for, and that nothing is asked before it was allowed.

use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::cli::Desk;

/// A server that answers nobody and counts who connects.
fn server() -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}/v1", listener.local_addr().expect("an address"));
    let count = Arc::new(AtomicUsize::new(0));
    let own = count.clone();
    std::thread::spawn(move || {
        for _ in listener.incoming() {
            own.fetch_add(1, Ordering::SeqCst);
        }
    });
    (address, count)
}

fn entry(name: &str, address: &str, key: &str) -> String {
    format!(
        "[models.{name}]\nprovider = \"openai\"\nmodel = \"{name}-1\"\nbase_url = \"{address}\"\nkey = {{env = \"{key}\"}}\n"
    )
}

#[test]
fn a_list_routes_nothing_before_it_was_allowed() {
    let (address, connections) = server();
    let desk = Desk::new();
    let entries = entry("fast", &address, "FAST_KEY") + &entry("strong", &address, "STRONG_KEY");
    desk.write("loopwright.toml", &format!("[models.decider]\nuse = [\"fast\"]\n{entries}"));
    let env = [("FAST_KEY", "key-of-the-fast"), ("STRONG_KEY", "key-of-the-strong")];
    let stranger = desk.run_with("run graphs/mini.yaml --run-id a", &env);
    assert_eq!(
        (stranger.code, connections.load(Ordering::SeqCst)),
        (Some(3), 0),
        "{}",
        stranger.transcript()
    );
    desk.trust(".");
    // Another entry in the list is another content: what was allowed no longer counts.
    desk.write("loopwright.toml", &format!("[models.decider]\nuse = [\"strong\", \"fast\"]\n{entries}"));
    let changed = desk.run_with("run graphs/mini.yaml --run-id b", &env);
    assert_eq!((changed.code, connections.load(Ordering::SeqCst)), (Some(3), 0), "{}", changed.transcript());
    let shown = desk.run("trust .");
    let said = [stranger, changed, shown].map(|ran| ran.transcript().replace(&address, "http://server/v1"));
    let said: String = said.join("\n");
    let lines: Vec<&str> = said.lines().filter(|line| !line.contains("--digest")).collect();
    insta::assert_snapshot!(lines.join("\n"));
}
