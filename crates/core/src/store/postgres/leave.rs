//! New runs that are left to workers.

use deadpool_postgres::Object;

use super::create::{Create, KeepProgram};
use super::fault::WorkError;
use super::queue::Post;
use super::session::{Session, Work};
use super::{found_run, text};
use crate::machine::Start;
use crate::port::{LeaseState, Message, ProgramText, RunInfo, StoreError};

/// Leaving a new run to a worker: its program, its name and its beginning, in one transaction.
#[derive(Debug)]
pub(super) struct Leave {
    create: Create,
    keep: KeepProgram,
    post: Post,
}

impl Leave {
    /// A run that is left once, however often that is tried.
    pub(super) fn new(run: &RunInfo, program: &ProgramText, start: &Start) -> Result<Self, StoreError> {
        let post = Post::new(&run.run, &Message::Start(Box::new(start.clone())))?;
        Ok(Self { create: Create(run.clone()), keep: KeepProgram(program.clone()), post })
    }

    /// Does it in the transaction that is open.
    async fn leave(&self, session: &Session, client: &mut Object) -> Result<(), WorkError> {
        self.create.attempt(session, client, false).await?;
        let run = &self.create.0.run;
        // Of two who leave a run of one id the second waits here, and sees the message of the first.
        let lock = client.prepare_cached("SELECT no FROM runs WHERE id = $1 FOR UPDATE").await?;
        client.query(&lock, &[&text::column(run)]).await?;
        let found = found_run::find(client, run).await?;
        // A message as JSON has its kind first.
        let sql = "SELECT EXISTS (SELECT FROM messages WHERE run = $1 AND body LIKE '{\"kind\":\"start\"%')";
        let ask = client.prepare_cached(sql).await?;
        let is_to_begin: bool = client.query_one(&ask, &[&i64::from(found.row.no)]).await?.try_get(0)?;
        if is_to_begin || found.lease_state()?.and_then(LeaseState::driver).is_some() {
            return Err(StoreError::Exists(run.clone()).into());
        }
        self.keep.attempt(session, client, false).await?;
        self.post.attempt(session, client, false).await?;
        Ok(())
    }
}

impl Work for Leave {
    type Done = ();

    async fn attempt(&self, session: &Session, client: &mut Object, again: bool) -> Result<(), WorkError> {
        if again && self.post.is_there(client).await? {
            // The answer to an earlier attempt was lost.
            return Ok(());
        }
        client.batch_execute("BEGIN").await?;
        match self.leave(session, client).await {
            Ok(()) => Ok(client.batch_execute("COMMIT").await?),
            Err(error) => match client.batch_execute("ROLLBACK").await {
                // The server is still there, so what failed is why.
                Ok(()) => Err(error),
                Err(lost) => Err(WorkError::Database(lost)),
            },
        }
    }
}
