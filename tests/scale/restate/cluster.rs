//! Three nodes, of which one is killed.

use std::fs::File;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use loopwright::machine::QuestionId;
use loopwright::worker::restate::{ClientError, RestateClient};

use super::desk::{Client, Desk, Worker};
use super::server::{free_port, is_well, program};
use crate::until::{until, within};

/// A node of a cluster.
struct Node {
    child: Child,
    ingress: String,
    admin: String,
}

impl Drop for Node {
    fn drop(&mut self) {
        // One that was killed already is as good.
        let _ended = (self.child.kill(), self.child.wait());
    }
}

/// Starts three nodes that keep everything twice.
fn nodes(folder: &std::path::Path) -> Vec<Node> {
    let ports: Vec<[u16; 3]> = (0..3).map(|_| [free_port(), free_port(), free_port()]).collect();
    let addresses: Vec<String> =
        ports.iter().map(|ports| format!("http://127.0.0.1:{}/", ports[2])).collect();
    let addresses = format!("[{}]", addresses.join(","));
    let start = |(number, ports): (usize, &[u16; 3])| {
        let log = File::create(folder.join(format!("log-{number}"))).expect("a log can be written");
        let mut command = Command::new(program());
        command
            .args(["--no-logo", "--cluster-name", "c", "--node-name", &format!("n{number}")])
            .args([
                "--bind-ip",
                "127.0.0.1",
                "--advertised-host",
                "127.0.0.1",
                "--bind-port",
                &ports[2].to_string(),
            ])
            .args(["--auto-provision", if number == 0 { "true" } else { "false" }])
            .arg("--base-dir")
            .arg(folder.join(format!("n{number}")))
            .env("RESTATE_METADATA_CLIENT__ADDRESSES", &addresses)
            .env("RESTATE_DEFAULT_REPLICATION", "2")
            .env("RESTATE_LISTEN_MODE", "tcp")
            .env("RESTATE_INGRESS__BIND_PORT", ports[0].to_string())
            .env("RESTATE_ADMIN__BIND_PORT", ports[1].to_string())
            .env("DO_NOT_TRACK", "1")
            .stdin(Stdio::null())
            .stdout(log.try_clone().expect("a log can be shared"))
            .stderr(log);
        let child = command.spawn().expect("a node starts");
        let address = |port: u16| format!("http://127.0.0.1:{port}");
        Node { child, ingress: address(ports[0]), admin: address(ports[1]) }
    };
    let nodes: Vec<Node> = ports.iter().enumerate().map(start).collect();
    for node in &nodes {
        let (ingress, admin) = (format!("{}/restate/health", node.ingress), format!("{}/health", node.admin));
        within("a node is well", Duration::from_mins(2), || is_well(&ingress) && is_well(&admin));
    }
    nodes
}

#[test]
fn runs_end_although_a_node_is_killed() {
    if !crate::long::is_long() {
        return;
    }
    if !program().exists() {
        crate::parts::skip("a cluster", "restate-server is not installed; `.ci/restate` installs it");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder can be made");
    let mut nodes = nodes(folder.path());
    let desk = Desk::new();
    desk.write("slow", "0.1");
    let worker = Worker::start(&desk, &[&["steps.yaml"], &Desk::ports("steps.script.yaml")[..]].concat());
    let first = Client::at(&nodes[0].ingress);
    let admin = RestateClient::new(&nodes[0].admin).expect("a client can be made");
    until("the worker is registered", || first.wait(admin.register(&worker.url())).is_ok());
    let runs: Vec<String> = (0..60).map(|number| format!("c{number}")).collect();
    for run in &runs {
        until("a run begins", || matches!(first.begin(run), Ok(()) | Err(ClientError::Exists(_))));
    }
    std::thread::sleep(Duration::from_millis(500));
    let killed = &mut nodes[2].child;
    killed.kill().expect("it can be killed");
    killed.wait().expect("it ends");
    // Answers come through another node than the one that the runs were begun at.
    let second = Client::at(&nodes[1].ingress);
    let mut unknown = 0;
    for run in &runs {
        within(&format!("{run} waits"), Duration::from_mins(5), || second.status(run) == "Waiting");
        let ask = QuestionId(format!("{run}:ask#1.ask").into());
        until("an answer is taken", || {
            second.wait(second.client.answer(run, ask.clone(), "well".into())).is_ok()
        });
    }
    for run in &runs {
        within(&format!("{run} ends"), Duration::from_mins(2), || second.status(run).starts_with("Done"));
        let entries = second.wait(second.client.entries(run, 0)).expect("it can be read").entries;
        let is_unknown = format!("{entries:?}").contains("Unknown");
        desk.ledger().judge(run, is_unknown);
        unknown += u32::from(is_unknown);
    }
    // The worker stays: what it had in progress came to its end, whatever node it told.
    assert!(unknown <= 12, "{unknown} of {}", runs.len());
    eprintln!("{} runs on 3 nodes of which 1 was killed: all ended, {unknown} unknown", runs.len());
}
