//! The cost of an effect.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use loopwright::worker::restate::RestateClient;

use super::desk::{Desk, Stage};
use super::server::free_port;
use crate::until::{until, within};

#[test]
fn an_effect_costs_as_much_at_the_end_as_at_the_start() {
    // With a limit each call is counted over all segments, and that costs no more with each, either.
    let desk = Desk::new();
    desk.configure("[limits.tools.calculator]\ncalls = 1000000\n");
    let Some(stage) = Stage::of("the cost of an effect", desk, &["count.yaml"]) else { return };
    let rounds: u32 = if crate::long::is_long() { 100_000 } else { 1_500 };
    let begun = Instant::now();
    stage.begin("count.yaml", "a", &["--input", &format!("rounds={rounds}")]);
    within("the run ends", Duration::from_hours(1), || stage.client.status("a").starts_with("Done"));
    let took = begun.elapsed();
    let mut ats = Vec::new();
    let mut next = 0;
    loop {
        let reply = stage.client.wait(stage.client.client.entries("a", next)).expect("it can be read");
        if reply.entries.is_empty() {
            break;
        }
        next = reply.next;
        ats.extend(reply.entries.iter().map(|entry| entry.at));
    }
    assert!(ats.len() > rounds as usize, "{} entries", ats.len());
    let fifth = ats.len() / 5;
    let per_effect =
        |from: usize| (ats[from + fifth - 1] - ats[from]) / i64::try_from(fifth).expect("few") / 1000;
    let fifths: Vec<i64> = (0..5).map(|part| per_effect(part * fifth)).collect();
    let status = stage.client.wait(stage.client.client.status("a")).expect("it is there");
    eprintln!(
        "{rounds} effects in {took:.1?} and {} segments; by fifths {fifths:?} microseconds each; {} MB stored",
        status.segment + 1,
        stage.server.stored() / 1_000_000
    );
    bare(&stage);
    // Nothing that grows with the run would stay below that.
    assert!(fifths[4] < fifths[0].max(fifths[1]) * 2, "{fifths:?}");
}

/// Ends a process with what it is for.
struct Ends(Child);

impl Drop for Ends {
    fn drop(&mut self) {
        // One that has ended already is as good.
        let _ended = (self.0.kill(), self.0.wait());
    }
}

/// Says what steps of Restate's own cost there, of about as many bytes as a step of a run.
fn bare(stage: &Stage) {
    let program = Path::new(env!("CARGO_BIN_EXE_loopwright")).with_file_name("examples").join("bare_restate");
    if !program.exists() {
        eprintln!(
            "not measured: Restate's own steps; `cargo build --all-features --example bare_restate` builds them"
        );
        return;
    }
    let port = free_port();
    let service = Command::new(program).arg(format!("127.0.0.1:{port}")).stdin(Stdio::null()).spawn();
    let _service = Ends(service.expect("it starts"));
    until("it listens", || std::net::TcpStream::connect(("127.0.0.1", port)).is_ok());
    let admin = RestateClient::new(&stage.server.admin()).expect("a client can be made");
    stage.client.wait(admin.register(&format!("http://127.0.0.1:{port}"))).expect("it can be registered");
    for bytes in [300, 1000] {
        let ingress = format!("{}/Bare/steps", stage.server.ingress());
        let asked = Command::new("curl")
            .args([
                "-s",
                "-m",
                "60",
                &ingress,
                "-H",
                "content-type: application/json",
                "-d",
                &format!("[500,{bytes}]"),
            ])
            .output();
        let took = asked.map(|asked| String::from_utf8_lossy(&asked.stdout).into_owned()).unwrap_or_default();
        eprintln!("a step of Restate's own with {bytes} bytes: {took} microseconds");
    }
}
