//! Pages of the list of runs, and how many there are.

use deadpool_postgres::Object;
use tokio_postgres::types::ToSql;

use super::fault::WorkError;
use super::found_run::{self, FoundRun};
use super::session::{Session, Work};
use super::text;
use crate::port::{LeaseState, ListedRun, RunFilter, RunPage, StatusKind};

/// Reading a page of the list of runs, by the order of their numbers.
#[derive(Debug)]
pub(super) struct ReadPage(pub(super) RunFilter);

impl Work for ReadPage {
    type Done = RunPage;

    async fn attempt(&self, _: &Session, client: &mut Object, _: bool) -> Result<RunPage, WorkError> {
        let Self(filter) = self;
        // The step of the last entry is looked up for the runs of the page alone.
        let sql = format!(
            "SELECT p.*, (SELECT j.step FROM journal j WHERE j.run = p.no AND j.entry = p.entries - 1) FROM \
             (SELECT {} FROM runs WHERE no < $1 AND ($2::text IS NULL OR status LIKE $2) AND ($3::text IS NULL OR graph = $3) \
             ORDER BY no DESC LIMIT $4) AS p ORDER BY p.no DESC",
            found_run::COLUMNS
        );
        let ask = client.prepare_cached(&sql).await?;
        let pattern = filter.kind.map(StatusKind::pattern);
        let graph = filter.graph.as_ref().map(|graph| text::column(graph));
        let limit = filter.limit();
        // One more says whether there is another page.
        let many = i64::try_from(limit + 1).unwrap_or(i64::MAX);
        let params: [&(dyn ToSql + Sync); 4] = [&filter.before(), &pattern, &graph, &many];
        let rows = client.query(&ask, &params).await?;
        let mut page = RunPage::default();
        for row in rows.iter().take(limit) {
            let found = FoundRun::read(row)?;
            let step: Option<i64> = row.try_get(found_run::COLUMN_COUNT)?;
            let steps = found.is_whole().then(|| step.unwrap_or_default().cast_unsigned());
            let driver = found.lease_state().unwrap_or_default().and_then(LeaseState::driver);
            page.next = (rows.len() > limit).then(|| ecow::eco_format!("{}", found.row.no));
            page.runs.push(ListedRun { steps, driver, events: Some(found.row.seq), info: found.row.info });
        }
        Ok(page)
    }
}

/// Counting the runs of each kind. One whose status is damaged is of none.
#[derive(Debug)]
pub(super) struct CountRuns;

impl Work for CountRuns {
    type Done = Vec<(StatusKind, u64)>;

    async fn attempt(&self, _: &Session, client: &mut Object, _: bool) -> Result<Self::Done, WorkError> {
        let ask = client.prepare_cached("SELECT status, count(*) FROM runs GROUP BY status").await?;
        let mut some = Vec::new();
        for row in client.query(&ask, &[]).await? {
            let (status, count): (String, i64) = (row.try_get(0)?, row.try_get(1)?);
            some.extend(StatusKind::of_text(&status).map(|kind| (kind, count.unsigned_abs())));
        }
        Ok(StatusKind::counts(some))
    }
}
