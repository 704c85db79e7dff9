//! A cancellation in Restate is one of the run.

use std::time::Duration;

use super::desk::{Desk, Stage};
use crate::until::{until, within};

#[test]
fn an_invocation_that_is_cancelled_ends_its_run() {
    let ports = Desk::ports("steps.script.yaml");
    let Some(stage) = Stage::new("cancelled invocations", "steps.yaml", &ports) else { return };
    stage.desk.write("slow", "0.05");
    // Wherever it meets the run: from its beginning on, and while it waits.
    for (number, after) in [0, 20, 60, 150, 250, 400, 700, 2000].into_iter().enumerate() {
        let run = format!("c{number}");
        stage.client.begin(&run).expect("it begins");
        let segment = format!("{run}/0");
        std::thread::sleep(Duration::from_millis(after));
        until("it is cancelled", || stage.server.with_segment(&segment, "cancel"));
        within(&format!("{run} ends"), Duration::from_secs(20), || {
            stage.client.status(&run).starts_with("Done { outcome: \"cancelled\"")
        });
        let entries = format!("{:?}", stage.entries(&run));
        assert!(entries.contains("the invocation was cancelled in Restate"), "{entries}");
    }
}
