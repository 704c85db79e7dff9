//! A server at an address.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use super::client::Bench;

/// A server over HTTP, which ends with the test.
struct HttpServer {
    child: Child,
    port: String,
}

impl HttpServer {
    fn start(bench: &Bench, env: &[(&str, &str)]) -> Self {
        let mut child = Command::new("python3")
            .args(["server.py", "http", "0"])
            .current_dir(bench.desk.folder.path())
            .envs(env.iter().copied())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("it is piped");
        BufReader::new(stdout).read_line(&mut line).expect("it says its port");
        let port = line.trim().rsplit(' ').next().unwrap_or_default().to_owned();
        Self { child, port }
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _ended = self.child.wait();
    }
}

fn configure(bench: &Bench, port: &str, path: &str, more: &str) {
    let url = format!("http://127.0.0.1:{port}/{path}");
    bench.desk.write("loopwright.toml", &format!("[mcp.t]\nurl = \"{url}\"\n{more}\n"));
    bench.desk.trust(".");
}

#[test]
fn tools_are_called_over_http() {
    let bench = Bench::new("");
    let server = HttpServer::start(&bench, &[]);
    configure(&bench, &server.port, "mcp", "timeout = \"3s\"");
    assert_eq!(bench.output("add", "{a: 2, b: 40}")["said"], serde_json::json!({"sum": 42}));
    assert_eq!(bench.output("ask", "{}")["said"], "{\"action\": \"cancel\"}");
    assert_eq!(bench.output("progress", "{}")["said"], "done");
    assert_eq!(bench.output("sleep", "{s: 30}")["failed"], "unknown");
    let locked = bench.desk.run("mcp lock");
    assert_eq!(locked.code, Some(0), "{}", locked.transcript());
    drop(server);
    let gone = bench.run("echo", "{text: '\"a\"'}", "");
    assert_eq!(gone.code, Some(2), "{}", gone.transcript());
}

#[test]
fn a_token_comes_from_the_environment_and_is_shown_nowhere() {
    let bench = Bench::new("");
    let server = HttpServer::start(&bench, &[("MCP_TOKEN", "very-secret-token")]);
    configure(
        &bench,
        &server.port,
        "mcp",
        "headers = {Authorization = {env = \"TOKEN\", prefix = \"Bearer \"}}",
    );
    bench.graph("echo", "{text: '\"very-\" + \"secret-\" + \"token\"'}");
    let run = |token: &str| bench.desk.run_with("run g.yaml --grant t.echo --log debug", &[("TOKEN", token)]);
    let ran = run("very-secret-token");
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    assert!(!ran.transcript().contains("very-secret-token"), "{}", ran.transcript());
    let refused = run("another-token");
    assert_eq!(refused.code, Some(2), "{}", refused.transcript());
    let unset = bench.desk.run("run g.yaml --grant t.echo");
    assert!(unset.stderr.contains("the variable TOKEN is not set"), "{}", unset.transcript());
}

#[test]
fn no_redirect_is_followed() {
    let bench = Bench::new("");
    let server = HttpServer::start(&bench, &[]);
    configure(&bench, &server.port, "moved", "");
    let ran = bench.run("echo", "{text: '\"a\"'}", "");
    assert_eq!(ran.code, Some(2), "{}", ran.transcript());
}
