//! Removing runs that nobody wants any more. The server uses their space for later ones.

use deadpool_postgres::{Object, Transaction};
use rustc_hash::FxHashSet;

use super::fault::WorkError;
use super::found_run::FoundRun;
use super::read;
use super::session::{Session, Work};
use super::text;
use crate::machine::Time;
use crate::port::StoreError;
use crate::store::body;
use crate::store::purged::{Purge, Purged, Wanted, may_go};
use crate::value::Str;

/// The tables with rows of runs, and the column with the run's number.
const OF_RUNS: [(&str, &str); 4] =
    [("journal", "run"), ("snapshots", "run"), ("messages", "run"), ("runs", "no")];

/// Removing what is to be removed.
#[derive(Debug)]
pub(super) struct Remove(pub(super) Purge);

impl Work for Remove {
    type Done = Purged;

    async fn attempt(&self, _: &Session, client: &mut Object, _: bool) -> Result<Purged, WorkError> {
        let what = &self.0;
        loop {
            let before = size(client).await?;
            let rows = read::rows(client).await?;
            let chosen = choose(client, &rows, &what.runs).await?;
            let transaction = client.transaction().await?;
            if !remove_runs(&transaction, &chosen).await? {
                // One of them was driven meanwhile: it is looked at again.
                transaction.rollback().await?;
                continue;
            }
            let stay: Vec<&FoundRun> =
                rows.iter().filter(|row| !chosen.iter().any(|gone| gone.row.no == row.row.no)).collect();
            let programs = remove_programs(&transaction, &stay).await?;
            let answers = match what.answers {
                Some(before) => transaction.execute("DELETE FROM answers WHERE at < $1", &[&before]).await?,
                None => 0,
            };
            if what.dry {
                transaction.rollback().await?;
            } else {
                transaction.commit().await?;
            }
            let runs: Vec<Str> = chosen.iter().map(|found| found.row.info.run.clone()).collect();
            let answers = usize::try_from(answers).unwrap_or(usize::MAX);
            let after = size(client).await?;
            return Ok(Purged { runs, programs, answers, before, after: after.min(before), left: None });
        }
    }
}

/// The bytes of the tables.
async fn size(client: &Object) -> Result<u64, WorkError> {
    let sql = "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c \
               JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = current_schema() AND c.relkind = 'r'";
    let size: i64 = client.query_one(sql, &[]).await?.try_get(0)?;
    Ok(u64::try_from(size).unwrap_or_default())
}

/// The runs that are meant.
async fn choose<'a>(
    client: &Object,
    rows: &'a [FoundRun],
    wanted: &Wanted,
) -> Result<Vec<&'a FoundRun>, WorkError> {
    let whole = |found: &FoundRun, unfinished: bool| may_go(&found.row, found.lease_state(), unfinished);
    match wanted {
        Wanted::Nothing => Ok(Vec::new()),
        Wanted::Named { runs, unfinished } => {
            let mut chosen = Vec::new();
            for found in rows.iter().filter(|found| runs.contains(&found.row.info.run)) {
                whole(found, *unfinished)?;
                chosen.push(found);
            }
            match runs.iter().find(|run| !chosen.iter().any(|found| found.row.info.run == **run)) {
                Some(run) => Err(StoreError::Unknown(run.clone()).into()),
                None => Ok(chosen),
            }
        }
        Wanted::Ended { before, keep } => {
            let mut chosen: Vec<&FoundRun> =
                rows.iter().filter(|found| whole(found, false).is_ok()).collect();
            chosen.truncate(chosen.len().saturating_sub(*keep));
            let Some(before) = before else { return Ok(chosen) };
            let mut old = Vec::new();
            for found in chosen {
                if ended(client, found).await? < *before {
                    old.push(found);
                }
            }
            Ok(old)
        }
    }
}

/// The time of a run's last entry.
async fn ended(client: &Object, found: &FoundRun) -> Result<Time, WorkError> {
    let ask =
        client.prepare_cached("SELECT at FROM journal WHERE run = $1 ORDER BY entry DESC LIMIT 1").await?;
    let last = client.query_opt(&ask, &[&i64::from(found.row.no)]).await?;
    Ok(last.map(|row| row.try_get(0)).transpose()?.unwrap_or(found.row.info.started))
}

/// Removes runs. Returns false if one of them is not as it was found.
async fn remove_runs(transaction: &Transaction<'_>, chosen: &[&FoundRun]) -> Result<bool, WorkError> {
    let numbers: Vec<i64> = chosen.iter().map(|found| found.row.no.into()).collect();
    let sums: Vec<i64> = chosen.iter().map(|found| found.row.sum).collect();
    let ends: Vec<i64> = chosen.iter().map(|found| found.until).collect();
    let same = "SELECT r.no FROM runs r JOIN unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS w(no, sum, until) \
                ON r.no = w.no AND r.sum = w.sum AND r.until = w.until FOR UPDATE OF r";
    if transaction.query(same, &[&numbers, &sums, &ends]).await?.len() != chosen.len() {
        return Ok(false);
    }
    for (table, column) in OF_RUNS {
        transaction.execute(&format!("DELETE FROM {table} WHERE {column} = ANY($1)"), &[&numbers]).await?;
    }
    Ok(true)
}

/// Removes the programs that none of the runs uses that stay.
async fn remove_programs(transaction: &Transaction<'_>, stay: &[&FoundRun]) -> Result<usize, WorkError> {
    // Of a run that is damaged nobody knows which it uses.
    if !stay.iter().all(|found| found.is_whole()) {
        return Ok(0);
    }
    let mut used: FxHashSet<String> = FxHashSet::default();
    for found in stay {
        used.insert(found.row.info.program.to_string());
        used.extend(found.queue.goes_by.iter().map(ToString::to_string));
    }
    // Some continued with edited graphs.
    for row in transaction.query("SELECT body FROM journal WHERE cause = 'moved'", &[]).await? {
        match body::program(row.try_get(0)?) {
            Some(program) => used.insert(program),
            None => return Ok(0),
        };
    }
    // A run that was made meanwhile is not in the list.
    let used: Vec<String> = used.iter().map(|digest| text::column(digest).into_owned()).collect();
    let gone = "DELETE FROM programs p WHERE p.digest <> ALL($1::text[]) \
                AND NOT EXISTS (SELECT FROM runs r WHERE r.program = p.digest OR r.goes_by = p.digest)";
    let gone = transaction.execute(gone, &[&used]).await?;
    Ok(usize::try_from(gone).unwrap_or(usize::MAX))
}
