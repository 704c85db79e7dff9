//! Many runs at once over three workers, which are killed under them.

use std::time::{Duration, Instant};

use loopwright::machine::QuestionId;
use loopwright::value::Value;
use loopwright::worker::restate::RestateClient;

use super::balancer::Balancer;
use super::desk::{Client, Desk, Worker};
use super::server::Server;
use crate::until::within;

#[test]
fn many_runs_end_over_three_workers() {
    let Some(mut server) = Server::start("many runs over three workers") else { return };
    let (count, kills) = if crate::long::is_long() { (500, 30) } else { (40, 3) };
    let desk = Desk::new();
    let ports = Desk::ports("steps.script.yaml");
    let words = [&["steps.yaml"], &ports[..]].concat();
    let mut workers: Vec<Worker> = (0..3).map(|_| Worker::start(&desk, &words)).collect();
    let balancer = Balancer::start(workers.iter().map(|worker| worker.port).collect());
    let client = Client::new(&server);
    let admin = RestateClient::new(&server.admin()).expect("a client can be made");
    client.wait(admin.register(&balancer.url())).expect("they can be registered");
    let begun = Instant::now();
    let runs: Vec<String> = (0..count).map(|number| format!("m{number}")).collect();
    for run in &runs {
        client.begin(run).expect("it begins");
    }
    for kill in 0..kills {
        std::thread::sleep(Duration::from_millis(400));
        let worker = &mut workers[kill % 3];
        worker.kill();
        worker.begin();
        if kill == kills / 2 {
            server.kill();
            server.begin();
        }
    }
    for run in &runs {
        within(&format!("{run} waits"), Duration::from_mins(4), || client.status(run) == "Waiting");
        let ask = QuestionId(format!("{run}:ask#1.ask").into());
        client.wait(client.client.answer(run, ask, Value::from("well"))).expect("it is taken");
    }
    for run in &runs {
        client.until_done(run);
    }
    let took = begun.elapsed();
    let (ledger, mut unknown) = (desk.ledger(), 0);
    for run in &runs {
        let entries = client.wait(client.client.entries(run, 0)).expect("it can be read").entries;
        let text = format!("{:?}", entries.last().expect("it has entries"));
        let is_unknown = format!("{entries:?}").contains("Unknown");
        assert!(text.contains("\"end\""), "{run}: {text}");
        ledger.judge(run, is_unknown);
        unknown += usize::from(is_unknown);
    }
    // A call is unknown where a worker was killed in the middle of it, and each drives some of the runs.
    assert!(unknown <= kills * 6, "{unknown} of {count}");
    assert!(balancer.served().iter().all(|served| *served > 0), "{:?}", balancer.served());
    eprintln!(
        "{count} runs over 3 workers, {kills} workers and 1 server killed: all ended in {took:.1?}; {unknown} unknown"
    );
}
