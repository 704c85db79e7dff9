//! The cost of an effect.

use std::time::{Duration, Instant};

use super::desk::{Desk, Stage};
use super::server::wait_for;

#[test]
fn an_effect_costs_as_much_at_the_end_as_at_the_start() {
    let Some(stage) = Stage::new("the cost of an effect", "count.yaml", &["--script", "steps.script.yaml"])
    else {
        return;
    };
    let rounds: u32 = if super::is_long() { 100_000 } else { 1_500 };
    let begun = Instant::now();
    stage.begin("count.yaml", "a", &["--input", &format!("rounds={rounds}")]);
    wait_for("the run ends", Duration::from_secs(3600), || stage.client.status("a").starts_with("Done"));
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
    // Nothing that grows with the run would stay below that.
    assert!(fifths[4] < fifths[0].max(fifths[1]) * 2 + 1000, "{fifths:?}");
    let _ = Desk::ports;
}
