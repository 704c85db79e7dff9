//! Ids of runs, and the list of them.

use super::script::{RunScript, info};
use super::{Held, OpenStore, done, refused, same};
use crate::port::{Commit, Lease, RunFilter, RunInfo, RunStatus, StatusKind, StoreError};

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

pub(super) async fn pages_hold_each_run_once(open: OpenStore<'_>) -> Held {
    let store = open();
    let ended = |ok| RunStatus::Done { outcome: "a \"b\" % _".into(), ok };
    let statuses = [
        RunStatus::Running,
        RunStatus::Ready,
        RunStatus::Waiting,
        ended(true),
        ended(false),
        RunStatus::Waiting,
    ];
    let mut all = Vec::new();
    for (number, status) in statuses.iter().cycle().take(13).enumerate() {
        let graph = if number % 2 == 0 { "even" } else { "odd" };
        let info = RunInfo { graph: graph.into(), ..info(&format!("run {number}")) };
        done(store.create(&info).await, "create")?;
        let mut script = RunScript::new(&info.run);
        done(script.grow(&*store, 1, None).await, "commit")?;
        let (entries, snapshot) =
            ([script.entry(crate::port::EntryCause::Resumed, &[])], script.snapshot(script.seq));
        let (status, whole, lease, messages) = (status.clone(), false, None, &[][..]);
        let commit =
            Commit { entries: &entries, status: status.clone(), snapshot: &snapshot, whole, lease, messages };
        done(store.commit(&info.run, commit).await, "commit")?;
        all.insert(0, RunInfo { status, ..info });
    }
    let kinds = std::iter::once(None).chain(StatusKind::ALL.map(Some));
    for (kind, graph) in kinds.flat_map(|kind| [(kind, None), (kind, Some("odd"))]) {
        for limit in [1, 3, RunFilter::MAX_RUNS] {
            let mut filter = RunFilter { kind, graph: graph.map(Into::into), after: None, limit };
            let mut found = Vec::new();
            loop {
                let page = done(open().page(&filter).await, "page")?;
                if page.runs.len() > limit || (page.runs.is_empty() && page.next.is_some()) {
                    return Err(format!("a page of {limit} runs has {}", page.runs.len()));
                }
                found.extend(page.runs.into_iter().map(|run| run.info));
                let Some(next) = page.next else { break };
                filter.after = Some(next);
            }
            let wanted: Vec<_> = all.iter().filter(|run| filter.wants(run)).cloned().collect();
            same(&format!("the list of {kind:?} runs of {graph:?} in pages of {limit}"), &found, &wanted)?;
        }
    }
    let counts = StatusKind::ALL
        .map(|kind| (kind, all.iter().filter(|run| StatusKind::of(&run.status) == kind).count() as u64));
    same("the numbers of runs of each kind", &done(open().counts().await, "counts")?, &counts.to_vec())?;
    let odd = RunFilter { after: Some("none of ours".into()), ..RunFilter::all(9) };
    same("the page of a cursor that was not given out", &done(store.page(&odd).await, "page")?.runs.len(), &0)
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
