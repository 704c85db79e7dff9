//! A look through a database: what of it is as it was written.

use deadpool_postgres::Object;

use super::fault::WorkError;
use super::found_run::FoundRun;
use super::session::{Session, Work};
use super::{answers, queue, read, text, waiting_messages};
use crate::port::{JournalEntry, LeaseState, RunStatus};
use crate::store::journal_walk::WalkStart;
use crate::store::row::{entry_of, program_sum};
use crate::store::surveyed::{RunSurvey, Survey};

/// Looking through a database without changing anything.
#[derive(Debug)]
pub(super) struct Look;

impl Work for Look {
    type Done = Survey;

    async fn attempt(&self, _: &Session, client: &mut Object, _: bool) -> Result<Survey, WorkError> {
        client.batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").await?;
        let survey = whole(client).await;
        client.batch_execute("COMMIT").await?;
        survey
    }
}

async fn whole(client: &Object) -> Result<Survey, WorkError> {
    let mut survey = Survey { wrong: settings(client).await?, runs: Vec::new() };
    for found in read::rows(client).await? {
        survey.runs.push(look(client, &found).await?);
    }
    survey.wrong.extend(strays(client).await?);
    survey.wrong.extend(programs(client).await?);
    survey.wrong.extend(answers::survey(client).await?);
    survey.wrong.extend(queue::survey(client).await?);
    survey.wrong.extend(waiting_messages::survey(client).await?);
    Ok(survey)
}

/// The settings of the server under which what is acknowledged may be lost.
async fn settings(client: &Object) -> Result<Vec<String>, WorkError> {
    let row =
        client.query_one("SELECT current_setting('fsync'), current_setting('full_page_writes')", &[]).await?;
    let mut wrong = Vec::new();
    for (column, name) in ["fsync", "full_page_writes"].into_iter().enumerate() {
        if row.try_get::<_, &str>(column)? == "off" {
            wrong.push(format!(
                "the server runs with `{name} = off`: when its machine fails, stored runs may be lost or damaged"
            ));
        }
    }
    Ok(wrong)
}

/// Walks along a run.
async fn look(client: &Object, found: &FoundRun) -> Result<RunSurvey, WorkError> {
    let row = &found.row;
    let mut wrong = Vec::new();
    if !found.is_whole() {
        wrong.push("its row is not what was written".to_owned());
    }
    let mut base = None;
    for snapshot in read::snapshots(client, row).await? {
        let entry = entry_of(snapshot.id);
        match snapshot.read() {
            Ok(stored) if entry == 0 => base = Some(stored.snapshot),
            Ok(_) if entry <= row.entries.into() => {}
            Ok(_) => wrong.push(format!("the snapshot after entry {entry}: it is after the last entry")),
            Err(why) => wrong.push(format!("the snapshot after entry {entry}: {why}")),
        }
    }
    let driver = found.lease_state().unwrap_or_else(|_| {
        wrong.push("its driver is unknown".to_owned());
        None
    });
    let driver = driver.and_then(LeaseState::driver);
    if matches!(row.info.status, RunStatus::Done { .. }) && found.queue.goes_by.is_some() {
        wrong.push("it has ended, and workers look for it nevertheless".to_owned());
    }
    let mut events = 0;
    let mut count = |entry: JournalEntry| events += u64::try_from(entry.events.len()).unwrap_or(u64::MAX);
    let walk = read::walk(client, row, WalkStart::start(row, base.as_ref()), &mut count).await?;
    let whole = walk.place.entry;
    wrong.extend(walk.wrong);
    let (run, status) = (row.info.run.clone(), row.info.status.clone());
    Ok(RunSurvey { run, status, driver, entries: row.entries.into(), whole, events, wrong })
}

/// The programs that are not what was written.
async fn programs(client: &Object) -> Result<Vec<String>, WorkError> {
    let mut wrong = Vec::new();
    for row in client.query("SELECT digest, main, files, sum FROM programs ORDER BY digest", &[]).await? {
        let (digest, main) = (text::read(row.try_get(0)?), text::read(row.try_get(1)?));
        if program_sum(&digest, &main, row.try_get(2)?) != row.try_get::<_, i64>(3)? {
            wrong.push(format!("the program `{digest}` is not what was written"));
        }
    }
    Ok(wrong)
}

/// Rows that belong to no run.
async fn strays(client: &Object) -> Result<Vec<String>, WorkError> {
    let mut wrong = Vec::new();
    for (table, many) in [("journal", "entries"), ("snapshots", "snapshots")] {
        let sql = format!(
            "SELECT count(*), min(t.run), (array_agg(t.entry ORDER BY t.run, t.entry))[1] FROM {table} t \
             WHERE NOT EXISTS (SELECT FROM runs r WHERE r.no = t.run)"
        );
        let row = client.query_one(&sql, &[]).await?;
        if let (Some(run), Some(entry)) =
            (row.try_get::<_, Option<i64>>(1)?, row.try_get::<_, Option<i64>>(2)?)
        {
            let count: i64 = row.try_get(0)?;
            wrong.push(format!(
                "{count} {many} belong to no run that is there; the first is entry {entry} of run number {run}"
            ));
        }
    }
    Ok(wrong)
}
