//! A worker that stands still between the mark of a call and the call.

use std::fs;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;

use super::balancer::Balancer;
use super::desk::{Client, Desk, Worker};
use super::server::Server;
use crate::until::until;
use loopwright::worker::restate::RestateClient;

const GRAPH: &str = "graph: pay
state:
  paid: list<outputs('payment.yaml')> = []
start: all
nodes:
  all:
    kind: each
    graph: payment.yaml
    over: \"['slow', 'pay']\"
    as: item
    with: {tool: item}
    into: paid
    next: [{to: end}, {to: failed, on: error}]
  end: {kind: final}
  failed: {kind: final, ok: false}
";

const PAYMENT: &str = "graph: payment
input: {tool: string}
start: which
nodes:
  which: {kind: choice, next: [{to: slow, when: \"tool == 'slow'\"}, {to: pay}]}
  slow: {kind: tool, tool: slow, next: [{to: done}, {to: failed, on: error}]}
  pay: {kind: tool, tool: pay, next: [{to: done}, {to: failed, on: [error, unknown]}]}
  done: {kind: final}
  failed: {kind: final, ok: false}
";

const TOOLS: &str = "[run]
at_once = 1

[tools.slow]
command = ['sh', 'wait.sh']
parse = 'text'
delivery = 'idempotent'

[tools.pay]
command = ['sh', 'note.sh', 'pay', 'x']
parse = 'text'
delivery = 'at_most_once'
probe = 'paid'

[tools.paid]
command = ['sh', 'paid.sh', '{key}']
parse = 'json'
delivery = 'pure'
";

/// Waits for the file `go`.
const WAIT: &str = "echo x >>waits\nwhile [ ! -e go ]; do sleep 0.1; done\n";

const PAID: &str =
    "if grep -q \"end.*$1\" calls 2>/dev/null; then echo '{\"happened\": true, \"result\": \"x\"}'
else echo '{\"happened\": false}'; fi\n";

#[test]
fn a_worker_that_stood_still_does_not_make_a_call_again() {
    let Some(server) = Server::start("a worker that stands still") else { return };
    let desk = Desk::new();
    let files = [("pay.yaml", GRAPH), ("payment.yaml", PAYMENT), ("wait.sh", WAIT), ("paid.sh", PAID)];
    for (name, text) in files {
        desk.write(name, text);
    }
    desk.configure(TOOLS);
    let words = ["pay.yaml", "--grant", "slow", "--grant", "pay", "--grant", "paid"];
    let mut workers: Vec<Worker> = (0..2).map(|_| Worker::start(&desk, &words)).collect();
    // The second one is there as soon as the first stands still.
    workers[1].kill();
    let balancer = Balancer::start(workers.iter().map(|worker| worker.port).collect());
    let client = Client::new(&server);
    let admin = RestateClient::new(&server.admin()).expect("a client can be made");
    client.wait(admin.register(&balancer.url())).expect("they can be registered");
    desk.at(&server, &["run", "pay.yaml", "--run-id", "a", "--detach"]).well();
    // One call takes the only place, and the other one, which is marked already, waits for it.
    let count = |name: &str, what: &str| {
        fs::read_to_string(desk.path(name)).unwrap_or_default().matches(what).count()
    };
    until("the first call begins", || count("waits", "x") == 1);
    until("the second one is marked", || {
        !server.query("SELECT id FROM sys_journal WHERE name LIKE 'intent %'").is_empty()
    });
    std::thread::sleep(Duration::from_millis(300));
    workers[0].signal(Signal::SIGSTOP);
    let stopped = Instant::now();
    workers[1].begin();
    balancer.part(0);
    until("the other worker takes over", || count("waits", "x") == 2);
    desk.write("go", "");
    client.until_done("a");
    std::thread::sleep(Duration::from_secs(12).saturating_sub(stopped.elapsed()));
    workers[0].signal(Signal::SIGCONT);
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(
        count("calls", "begin\tpay"),
        1,
        "{}",
        fs::read_to_string(desk.path("calls")).unwrap_or_default()
    );
    assert!(client.status("a").contains("ok: true"), "{}", client.status("a"));
}
