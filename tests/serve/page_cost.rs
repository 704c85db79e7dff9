//! The cost of a page of the runs table beside many runs. A measurement, and no judgement.

use std::time::Instant;

use futures::executor::block_on;
use loopwright::machine::{Snapshot, Time};
use loopwright::port::{Commit, EntryCause, JournalEntry, RunFilter, RunInfo, RunStatus, Store};
use loopwright::store::Sqlite;

use super::world::{Served, TALK};

/// The store of a server that does not run.
pub(super) fn store(served: &Served) -> Sqlite {
    Sqlite::open(served.desk.folder.path().join(".loopwright/runs.db")).expect("it opens")
}

/// Adds 10,000 runs that have ended.
pub(super) fn add_ended_runs(store: &Sqlite) {
    let ended = RunStatus::Done { outcome: "end".into(), ok: true };
    for number in 0..10_000_i64 {
        let run = format!("ended-{number}");
        let info = RunInfo {
            run: run.as_str().into(),
            graph: "other".into(),
            program: "none".into(),
            started: number as Time,
            status: ended.clone(),
        };
        block_on(store.create(&info)).expect("it is stored");
        let snapshot = Snapshot { run: info.run, program: "none".into(), ..Snapshot::new() };
        let entries =
            [JournalEntry { at: 0, cause: EntryCause::Resumed, step: 1, events: Vec::new(), by: None }];
        let commit = Commit {
            entries: &entries,
            status: ended.clone(),
            snapshot: &snapshot,
            whole: false,
            lease: None,
            messages: &[],
        };
        block_on(store.commit(&run, commit)).expect("it is stored");
    }
}

#[test]
#[ignore = "a measurement: 11,000 runs"]
fn a_page_of_fifty_beside_eleven_thousand_runs() {
    let mut served = Served::of(&[("talk.yaml", TALK)], "");
    for number in 0..1_000 {
        served
            .client()
            .post("/api/v1/runs", &serde_json::json!({"graph": "talk", "run": format!("open-{number}")}))
            .is(202);
    }
    served.waiting("open-999");
    served.kill();
    {
        let store = store(&served);
        add_ended_runs(&store);
        for (what, filter) in [
            ("the newest", RunFilter::all(50)),
            (
                "those that wait, behind 10,000",
                RunFilter { kind: Some(loopwright::port::StatusKind::Waiting), ..RunFilter::all(50) },
            ),
        ] {
            let begun = Instant::now();
            let page = block_on(store.page(&filter)).expect("it is read");
            println!("store, {what}: {} runs in {:?}", page.runs.len(), begun.elapsed());
        }
    }
    served.again("");
    let client = served.client();
    for path in [
        "/api/v1/runs",
        "/api/v1/runs?status=waiting",
        "/api/v1/runs?status=waiting",
        "/api/v1/questions",
        "/metrics",
    ] {
        let begun = Instant::now();
        client.get(path).is(200);
        println!("server, {path}: {:?}", begun.elapsed());
    }
}
