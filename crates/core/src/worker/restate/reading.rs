//! Runs of a Restate server as those of a store that nobody writes to.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use rustc_hash::FxHashMap;

use super::client::{ClientError, RestateClient};
use super::message::{ListedInfo, RunReply};
use crate::machine::Snapshot;
use crate::port::{
    Commit, JournalEntry, Lease, ListedRun, ProgramText, RunInfo, RunStatus, Store, StoreError, StoreFuture,
    StoredRun,
};
use crate::value::Str;

/// The runs of a Restate server, to look at.
pub struct RestateRuns {
    client: RestateClient,
    /// The texts of programs of runs that were looked at.
    programs: Mutex<FxHashMap<Str, ProgramText>>,
}

impl RestateRuns {
    /// The runs of a server.
    #[must_use]
    pub fn new(client: RestateClient) -> Self {
        Self { client, programs: Mutex::default() }
    }

    /// A run with its whole journal.
    async fn whole(&self, run: &str) -> Result<RunReply, ClientError> {
        let mut whole = self.client.entries(run, 0).await?;
        while whole.next < whole.total {
            let mut more = self.client.entries(run, whole.next).await?;
            if more.next == whole.next {
                break;
            }
            whole.entries.append(&mut more.entries);
            whole = RunReply { entries: whole.entries, ..more };
        }
        Ok(whole)
    }
}

impl From<ClientError> for StoreError {
    fn from(error: ClientError) -> Self {
        match error {
            ClientError::Unknown(run) => Self::Unknown(run),
            ClientError::Exists(run) => Self::Exists(run),
            other => Self::Failed(other.to_string()),
        }
    }
}

/// The driver of a run that does not wait, as a list shows it.
fn driver(status: &RunStatus, run: &str, segment: u64) -> Option<Str> {
    matches!(status, RunStatus::Running).then(|| ecow::eco_format!("Restate, segment {run}/{segment}"))
}

fn refused<T>() -> Result<T, StoreError> {
    Err(StoreError::Failed("the runs of a Restate server are written by its workers alone".to_owned()))
}

impl Store for RestateRuns {
    fn create<'a>(&'a self, _: &'a RunInfo) -> StoreFuture<'a, ()> {
        async { refused() }.boxed()
    }

    fn commit<'a>(&'a self, _: &'a str, _: Commit<'a>) -> StoreFuture<'a, ()> {
        async { refused() }.boxed()
    }

    fn load<'a>(&'a self, run: &'a str, at: Option<u64>) -> StoreFuture<'a, StoredRun> {
        async move {
            let RunReply { info, mut entries, .. } = self.whole(run).await?;
            let text = self.client.program(run).await?;
            self.programs.lock().unwrap_or_else(PoisonError::into_inner).insert(text.digest.clone(), text);
            if let Some(at) = at {
                entries.truncate(usize::try_from(at).unwrap_or(usize::MAX));
            }
            Ok(StoredRun { info, from: 0, snapshot: Snapshot::new(), entries })
        }
        .boxed()
    }

    fn entries<'a>(&'a self, run: &'a str) -> StoreFuture<'a, Vec<JournalEntry>> {
        async move { Ok(self.whole(run).await?.entries) }.boxed()
    }

    fn runs(&self) -> StoreFuture<'_, Vec<RunInfo>> {
        async move { Ok(self.client.list().await?.into_iter().map(|listed| listed.info).collect()) }.boxed()
    }

    fn listed(&self) -> StoreFuture<'_, Option<Vec<ListedRun>>> {
        async move {
            let listed = self.client.list().await?.into_iter().map(|ListedInfo { info, steps, segment }| {
                let driver = driver(&info.status, &info.run, segment);
                ListedRun { info, steps: Some(steps), driver, events: None }
            });
            Ok(Some(listed.collect()))
        }
        .boxed()
    }

    fn acquire<'a>(&'a self, _: &'a str, _: &'a str, _: Duration) -> StoreFuture<'a, Lease> {
        async { refused() }.boxed()
    }

    fn release<'a>(&'a self, _: &'a str, _: &'a Lease) -> StoreFuture<'a, ()> {
        async { Ok(()) }.boxed()
    }

    fn driver<'a>(&'a self, run: &'a str) -> StoreFuture<'a, Option<Str>> {
        async move {
            let reply = self.client.status(run).await?;
            Ok(driver(&reply.info.status, run, reply.segment))
        }
        .boxed()
    }

    fn keep_program<'a>(&'a self, _: &'a ProgramText) -> StoreFuture<'a, ()> {
        async { refused() }.boxed()
    }

    fn program<'a>(&'a self, digest: &'a str) -> StoreFuture<'a, Option<ProgramText>> {
        async move { Ok(self.programs.lock().unwrap_or_else(PoisonError::into_inner).get(digest).cloned()) }
            .boxed()
    }
}
