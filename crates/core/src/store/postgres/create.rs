//! New runs, and the programs they go by.

use deadpool_postgres::Object;

use super::fault::WorkError;
use super::found_run::{self, QueuePlace};
use super::session::{Session, Work};
use super::text;
use crate::port::{ProgramText, RunInfo, StoreError};
use crate::store::row::{self, RunRow};

/// Noting a new run.
#[derive(Debug)]
pub(super) struct Create(pub(super) RunInfo);

impl Work for Create {
    type Done = ();

    async fn attempt(&self, _: &Session, client: &mut Object, _: bool) -> Result<(), WorkError> {
        let Self(info) = self;
        let id = text::column(&info.run);
        loop {
            match found_run::look(client, &info.run).await? {
                None => {}
                // It was cut off before anything of it was stored, and begins now.
                Some(found)
                    if found.is_whole()
                        && found.row.seq == 0
                        && found.row.entries == 0
                        && found.row.info.program == info.program =>
                {
                    return Ok(());
                }
                Some(_) => return Err(StoreError::Exists(info.run.clone()).into()),
            }
            let next = client.prepare_cached("SELECT nextval('run_numbers')").await?;
            let no: i64 = client.query_one(&next, &[]).await?.try_get(0)?;
            let none = |_| StoreError::Failed("the store has no number left for another run".to_owned());
            let run = RunRow::new(u32::try_from(no).map_err(none)?, info)?;
            let insert = client
                .prepare_cached(
                    "INSERT INTO runs (no, id, graph, program, started, status, entries, seq, chain, sum, goes_by, queue_sum) \
                     VALUES ($1, $2, $3, $4, $5, $6, 0, 0, $7, $8, $4, $9) ON CONFLICT (id) DO NOTHING",
                )
                .await?;
            let chain = &run.chain[..];
            let made = client
                .execute(
                    &insert,
                    &[
                        &no,
                        &id,
                        &text::column(&info.graph),
                        &text::column(&info.program),
                        &info.started,
                        &run.status,
                        &chain,
                        &run.expected_sum(),
                        &QueuePlace { goes_by: Some(info.program.clone()), due: None }.sum(run.no),
                    ],
                )
                .await?;
            if made == 1 {
                return Ok(());
            }
        }
    }
}

/// Keeping the texts of a program.
#[derive(Debug)]
pub(super) struct KeepProgram(pub(super) ProgramText);

impl Work for KeepProgram {
    type Done = ();

    async fn attempt(&self, _: &Session, client: &mut Object, _: bool) -> Result<(), WorkError> {
        let Self(program) = self;
        let files = row::program_files(program)?;
        let sum = row::program_sum(&program.digest, &program.main, &files);
        let keep = client
            .prepare_cached("INSERT INTO programs VALUES ($1, $2, $3, $4) ON CONFLICT (digest) DO NOTHING")
            .await?;
        let (digest, main) = (text::column(&program.digest), text::column(&program.main));
        client.execute(&keep, &[&digest, &main, &files, &sum]).await?;
        Ok(())
    }
}
