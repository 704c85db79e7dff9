//! `docs/api.md` and `docs/page.md`: their commands are run. The table of addresses is made from the document of the API.

use std::fmt::Write as _;
use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::PoisonError;

use serde_json::Value;

use crate::cli::Desk;
use crate::documents::{real, similar_asserts};
use crate::page::{DOCUMENT, DOCUMENT_IN_USE};

/// The port in the page. Another one is taken here.
const PORT: &str = "7788";

/// The table of all addresses.
fn addresses() -> String {
    let document: Value = serde_json::from_str(&loopwright::serve::web::openapi_json()).expect("it is JSON");
    let mut table = "| method | path | does |\n|---|---|---|\n".to_owned();
    for (path, item) in document["paths"].as_object().expect("an object") {
        for (method, operation) in item.as_object().expect("an object") {
            let does = operation["summary"].as_str().expect("each has a summary");
            let _ = writeln!(table, "| {} | `{path}` | {does} |", method.to_uppercase());
        }
    }
    table
}

/// Runs the commands of the page in one folder, and shows what they print.
fn replay(text: &str, desk: &Desk, port: &str) -> String {
    let mut out = String::new();
    let mut is_block = false;
    for line in text.lines() {
        match line {
            "```console serve" => is_block = true,
            "```" => is_block = false,
            _ if !is_block => {}
            line => {
                if let Some(command) = line.strip_prefix("$ ") {
                    let _ = write!(out, "{line}\n{}", run(command, desk, port));
                }
                continue;
            }
        }
        out += line;
        out.push('\n');
    }
    out
}

/// A server in the foreground goes on while the page does; what it says at the beginning is shown.
fn served(command: &str) -> String {
    let said = if command.contains("--token-file") { "serving" } else { "token" };
    format!(
        "test -e serve.pid && kill $(cat serve.pid); : >serve.log; {} >>serve.log 2>&1 & echo $! >serve.pid; until grep -q {said} serve.log; do sleep 0.1; done; cat serve.log",
        real(command)
    )
}

fn run(command: &str, desk: &Desk, port: &str) -> String {
    let is_foreground = command.starts_with("loopwright serve ") && !command.contains('&');
    let command = if is_foreground { served(command) } else { real(command) };
    let command = command.replace("serve notices", &format!("serve notices --listen 127.0.0.1:{port}"));
    let output = Command::new("sh")
        .args(["-c", &format!("{{ {}\n}} 2>&1", command.replace(&format!(":{PORT}/"), &format!(":{port}/")))])
        .env("XDG_STATE_HOME", desk.state())
        .current_dir(desk.folder.path())
        .stdin(Stdio::null())
        .output()
        .expect("sh runs");
    let text = String::from_utf8_lossy(&output.stdout).replace(&format!(":{port}"), &format!(":{PORT}"));
    if text.is_empty() || text.ends_with('\n') { text } else { text + "\n" }
}

/// Ends the server of a page that was not carried out to its end.
struct Guard<'d>(&'d Desk);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        let _gone = Command::new("kill").arg(self.0.text("serve.pid").trim()).stderr(Stdio::null()).status();
    }
}

/// A document of the repository, and the same after its commands were run.
fn run_again(document: &str) -> (String, String) {
    let text = fs::read_to_string(document).expect("the page can be read");
    let desk = Desk::new();
    let guard = Guard(&desk);
    let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port");
    let real = replay(&text, &desk, &free.port().to_string());
    drop(guard);
    (text, real)
}

fn compare(document: &str, text: &str, real: &str) {
    if std::env::var_os("LOOPWRIGHT_UPDATE").is_some() {
        fs::write(document, real).expect("the page can be written");
    } else {
        similar_asserts(Path::new(document), text, real);
    }
}

#[test]
fn the_page_of_the_api_does_what_it_shows() {
    let (text, real) = run_again("docs/api.md");
    let (before, rest) = real.split_once("<!-- addresses -->\n").expect("there is a table");
    let (_, after) = rest.split_once("<!-- /addresses -->").expect("the table ends");
    let real = format!("{before}<!-- addresses -->\n\n{}\n<!-- /addresses -->{after}", addresses());
    compare("docs/api.md", &text, &real);
}

#[test]
fn the_page_for_browsers_does_what_it_shows() {
    let _own = DOCUMENT_IN_USE.lock().unwrap_or_else(PoisonError::into_inner);
    let (text, real) = run_again(DOCUMENT);
    compare(DOCUMENT, &text, &real);
}
