//! Ids of runs, and the list of them.

use super::script::{RunScript, info};
use super::{Held, OpenStore, done, refused, same};
use crate::port::{Commit, Lease, RunInfo, RunStatus, StoreError};

const RUN: &str = "one";

pub(super) async fn one_run_for_an_id(open: OpenStore<'_>) -> Held {
    let store = open();
    let exists = |error: &StoreError| matches!(error, StoreError::Exists(_));
    done(store.create(&info(RUN)).await, "create")?;
    done(open().create(&info(RUN)).await, "create")?;
    let other = RunInfo { program: "another".into(), ..info(RUN) };
    refused("the id of a run of another program", store.create(&other).await, "Exists", exists)?;
    done(RunScript::new(RUN).grow(&*store, 1, None).await, "commit")?;
    refused("the id of a run that has begun", open().create(&info(RUN)).await, "Exists", exists)
}

pub(super) async fn runs_in_order(open: OpenStore<'_>) -> Held {
    let store = open();
    let mut wanted: Vec<RunInfo> = ["b", "c", "a", "é \u{202e}"].map(info).into();
    for run in &wanted {
        done(store.create(run).await, "create")?;
    }
    same("the list of runs", &done(open().runs().await, "runs")?, &wanted)?;
    let ended = RunStatus::Done { outcome: "end".into(), ok: true };
    for (place, status) in [(2, RunStatus::Waiting), (0, RunStatus::Ready), (1, ended)] {
        let script = RunScript::new(&wanted[place].run);
        let snapshot = script.snapshot(0);
        let entries = [script.entry(crate::port::EntryCause::Resumed, &[])];
        let commit = Commit {
            entries: &entries,
            status: status.clone(),
            snapshot: &snapshot,
            whole: false,
            lease: None,
            messages: &[],
        };
        done(store.commit(&wanted[place].run, commit).await, "commit")?;
        wanted[place].status = status;
    }
    same("the list of runs", &done(open().runs().await, "runs")?, &wanted)
}

pub(super) async fn unknown_run_is_refused(open: OpenStore<'_>) -> Held {
    let store = open();
    done(store.create(&info("another")).await, "create")?;
    let unknown = |error: &StoreError| matches!(error, StoreError::Unknown(run) if run == RUN);
    refused("`commit`", RunScript::new(RUN).grow(&*store, 1, None).await, "Unknown", unknown)?;
    refused("`load`", store.load(RUN, None).await, "Unknown", unknown)?;
    refused("`load`", store.load(RUN, Some(0)).await, "Unknown", unknown)?;
    refused("`entries`", store.entries(RUN).await, "Unknown", unknown)?;
    refused("`events`", store.events(RUN).await, "Unknown", unknown)?;
    let lease = store.acquire(RUN, "owner", std::time::Duration::from_mins(1)).await;
    refused("`acquire`", lease, "Unknown", unknown)?;
    let lease = Lease { owner: "owner".into(), fence: 1 };
    refused("`release`", store.release(RUN, &lease).await, "Unknown", unknown)
}
