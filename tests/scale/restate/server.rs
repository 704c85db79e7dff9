//! The server.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::parts;
use crate::until::until;

/// The program, as `.ci/restate` installs it.
pub(super) fn program() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("restate/node_modules/@restatedev/restate-server-linux-x64/bin/restate-server")
}

/// A port that nobody has.
pub(super) fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    listener.local_addr().expect("it has an address").port()
}

/// A Restate server with a folder and ports of its own.
pub(super) struct Server {
    folder: tempfile::TempDir,
    ports: [u16; 3],
    child: Option<Child>,
}

impl Server {
    /// Starts one; none where it is not installed, which is said.
    pub(super) fn start(test: &str) -> Option<Self> {
        if !program().exists() {
            parts::skip(test, "restate-server is not installed; `.ci/restate` installs it");
            return None;
        }
        let folder = tempfile::tempdir().expect("a folder can be made");
        let mut server = Self { folder, ports: [0; 3], child: None };
        until("the server starts", || {
            server.ports = [free_port(), free_port(), free_port()];
            server.begins()
        });
        Some(server)
    }

    /// The address of its ingress.
    pub(super) fn ingress(&self) -> String {
        format!("http://127.0.0.1:{}", self.ports[0])
    }

    /// The address of its administration.
    pub(super) fn admin(&self) -> String {
        format!("http://127.0.0.1:{}", self.ports[1])
    }

    /// Starts it, again with what it has stored, and waits until it is well.
    pub(super) fn begin(&mut self) {
        until("the server starts again", || self.begins());
    }

    /// The same; false if it ended, since somebody else has taken one of its ports.
    fn begins(&mut self) -> bool {
        let log = File::options().create(true).append(true).open(self.folder.path().join("log"));
        let log = log.expect("a log can be written");
        let mut command = Command::new(program());
        command
            .args([
                "--no-logo",
                "--node-name",
                "n1",
                "--bind-ip",
                "127.0.0.1",
                "--advertised-host",
                "127.0.0.1",
            ])
            .arg("--base-dir")
            .arg(self.folder.path().join("data"))
            .args(["--bind-port", &self.ports[2].to_string()])
            .env("RESTATE_INGRESS__BIND_PORT", self.ports[0].to_string())
            .env("RESTATE_ADMIN__BIND_PORT", self.ports[1].to_string())
            .env("RESTATE_LISTEN_MODE", "tcp")
            .env("DO_NOT_TRACK", "1")
            .stdin(Stdio::null())
            .stdout(log.try_clone().expect("a log can be shared"))
            .stderr(log);
        let child = self.child.insert(command.spawn().expect("the server starts"));
        let [ingress, admin] = [(self.ports[0], "restate/health"), (self.ports[1], "health")]
            .map(|(port, path)| format!("http://127.0.0.1:{port}/{path}"));
        let mut has_ended = false;
        until("the server is well or has ended", || {
            let is_well = is_well(&ingress) && is_well(&admin);
            has_ended = child.try_wait().expect("it is a child").is_some();
            has_ended || is_well
        });
        !has_ended
    }

    /// Ends it at once, without a word.
    pub(super) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().expect("it can be killed");
            child.wait().expect("it ends");
        }
    }

    /// The rows of a question in SQL about its invocations.
    pub(super) fn query(&self, sql: &str) -> Vec<serde_json::Value> {
        let asked = serde_json::json!({"query": sql}).to_string();
        let reply = self.administer(&["-X", "POST", "-H", "accept: application/json", "-d", &asked], "query");
        let reply: serde_json::Value = serde_json::from_str(&reply).expect("it answers in JSON");
        reply["rows"].as_array().unwrap_or_else(|| panic!("no rows: {reply}")).clone()
    }

    /// Does something with the invocation of a segment, such as `cancel` and `purge`; false if there is no such invocation.
    pub(super) fn with_segment(&self, segment: &str, what: &str) -> bool {
        let sql = format!(
            "SELECT id FROM sys_invocation WHERE target_service_key = '{segment}' AND target_handler_name = 'run'"
        );
        let rows = self.query(&sql);
        let Some(id) = rows.first().and_then(|row| row["id"].as_str()) else { return false };
        self.administer(&["-X", "PATCH"], &format!("invocations/{id}/{what}"));
        true
    }

    fn administer(&self, words: &[&str], path: &str) -> String {
        let url = format!("{}/{path}", self.admin());
        let mut command = Command::new("curl");
        command.args(["-s", "-m", "60", "-H", "content-type: application/json"]).args(words).arg(url);
        let reply = command.output().expect("curl is there");
        String::from_utf8(reply.stdout).expect("it answers in text")
    }

    /// The size of what it has stored, in bytes.
    pub(super) fn stored(&self) -> u64 {
        size(self.folder.path())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

fn size(path: &Path) -> u64 {
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    entries
        .map(|entry| {
            entry.metadata().map_or(0, |meta| if meta.is_dir() { size(&entry.path()) } else { meta.len() })
        })
        .sum()
}

/// Returns true if an address answers with success.
pub(super) fn is_well(url: &str) -> bool {
    let Some((host, path)) = url.trim_start_matches("http://").split_once('/') else { return false };
    let Ok(mut stream) = std::net::TcpStream::connect(host) else { return false };
    let request = format!("GET /{path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
    let mut reply = String::new();
    stream.write_all(request.as_bytes()).is_ok()
        && stream.read_to_string(&mut reply).is_ok()
        && reply.starts_with("HTTP/1.1 200")
}
