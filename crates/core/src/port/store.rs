//! Stores of runs.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::ready;

use super::BoxFuture;
use super::journal::{Commit, JournalEntry, Lease, ProgramText, StoredRun};
use super::queue::{Message, PostedMessages, TakenRuns, WorkRequest};
use super::run_info::{ListedRun, RunInfo};
use super::run_page::{RunFilter, RunPage, StatusKind};
use super::store_error::StoreError;
use crate::machine::{Event, Start, Time};
use crate::value::{Str, Value};

/// The future of a store's result.
pub type StoreFuture<'a, T> = BoxFuture<'a, Result<T, StoreError>>;

/// Keeps the journals of runs, and snapshots of them.
///
/// Every method but [`Store::create`] and those without a run fails with [`StoreError::Unknown`] for a run that is
/// not there, and with what failed below.
pub trait Store: Send + Sync {
    /// Notes a new run, or one of the same program of which nothing was stored yet: it was cut off before it began.
    ///
    /// # Errors
    /// [`StoreError::Exists`], or what failed below.
    fn create<'a>(&'a self, run: &'a RunInfo) -> StoreFuture<'a, ()>;

    /// Keeps what belongs to one effect. When the future ends it is durable.
    ///
    /// # Errors
    /// [`StoreError::Gap`] if the events do not follow those that are there, [`StoreError::Lost`] if somebody else
    /// drives the run, or what failed below; then nothing of it was stored.
    fn commit<'a>(&'a self, run: &'a str, commit: Commit<'a>) -> StoreFuture<'a, ()>;

    /// Loads the snapshot and entries for the state after the first `at` entries; with none, the state after all of them.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if it cannot be read whole, or what failed below.
    fn load<'a>(&'a self, run: &'a str, at: Option<u64>) -> StoreFuture<'a, StoredRun>;

    /// The whole journal of a run.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if it cannot be read whole, or what failed below.
    fn entries<'a>(&'a self, run: &'a str) -> StoreFuture<'a, Vec<JournalEntry>>;

    /// The last entries of a run, in order: so many, or all if it has no more.
    ///
    /// # Errors
    /// As [`Store::entries`]; of what lies before them nothing may be read.
    fn last_entries<'a>(&'a self, run: &'a str, many: u32) -> StoreFuture<'a, Vec<JournalEntry>> {
        async move {
            let mut entries = self.entries(run).await?;
            let before = entries.len().saturating_sub(usize::try_from(many).unwrap_or(usize::MAX));
            entries.drain(..before);
            Ok(entries)
        }
        .boxed()
    }

    /// Entries of a run from a number on, in order: so many at most.
    ///
    /// # Errors
    /// As [`Store::entries`]; of what lies before them and after them nothing may be read.
    fn entries_from<'a>(&'a self, run: &'a str, from: u64, many: u32) -> StoreFuture<'a, Vec<JournalEntry>> {
        async move {
            let (from, many) =
                (usize::try_from(from).unwrap_or(usize::MAX), usize::try_from(many).unwrap_or(usize::MAX));
            Ok(self.entries(run).await?.into_iter().skip(from).take(many).collect())
        }
        .boxed()
    }

    /// All events of a run, in order.
    ///
    /// # Errors
    /// As [`Store::entries`].
    fn events<'a>(&'a self, run: &'a str) -> StoreFuture<'a, Vec<Event>> {
        async move { Ok(self.entries(run).await?.into_iter().flat_map(|entry| entry.events).collect()) }
            .boxed()
    }

    /// All runs, the oldest first.
    ///
    /// # Errors
    /// What failed below.
    fn runs(&self) -> StoreFuture<'_, Vec<RunInfo>>;

    /// The same as a list shows them; none where that is found out run by run.
    ///
    /// # Errors
    /// What failed below.
    fn listed(&self) -> StoreFuture<'_, Option<Vec<ListedRun>>> {
        ready(Ok(None)).boxed()
    }

    /// The numbers of runs of each kind, in the order of [`StatusKind::ALL`].
    ///
    /// # Errors
    /// What failed below.
    fn counts(&self) -> StoreFuture<'_, Vec<(StatusKind, u64)>> {
        async move {
            let runs = self.runs().await?;
            Ok(StatusKind::counts(runs.iter().map(|run| (StatusKind::of(&run.status), 1))))
        }
        .boxed()
    }

    /// A page of the list of runs, the newest first. It costs no more than the runs that it passes over, whose journals it does not
    /// read. What a store does not know without that is none, and filled in run by run.
    ///
    /// # Errors
    /// What failed below. A run whose own row is damaged is listed without steps.
    fn page<'a>(&'a self, filter: &'a RunFilter) -> StoreFuture<'a, RunPage> {
        async move { Ok(filter.page(self.runs().await?)) }.boxed()
    }

    /// Makes `owner` the one who drives a run for the time `ttl` but no longer than [`Lease::MAX_DURATION`], or for as much
    /// longer if it is already. Whoever has a lease hands it to each commit. An owner that is signed by a
    /// [`ProcessSignature`](super::process::ProcessSignature) loses its lease when that ends, where the store can tell.
    ///
    /// # Errors
    /// [`StoreError::Held`] while somebody else's lease has not run out, or what failed below.
    fn acquire<'a>(&'a self, run: &'a str, owner: &'a str, ttl: Duration) -> StoreFuture<'a, Lease>;

    /// Gives a lease back; one that was lost is no error.
    ///
    /// # Errors
    /// What failed below.
    fn release<'a>(&'a self, run: &'a str, lease: &'a Lease) -> StoreFuture<'a, ()>;

    /// Returns the driver of a run: whoever has a lease of it that has not run out. A store that has no leases knows of
    /// nobody.
    ///
    /// # Errors
    /// The store cannot be read.
    fn driver<'a>(&'a self, run: &'a str) -> StoreFuture<'a, Option<Str>> {
        let _ = run;
        ready(Ok(None)).boxed()
    }

    /// This store as a queue of runs for workers. A store that is none says so.
    fn as_queue(self: Arc<Self>) -> Option<Arc<dyn Queue>> {
        None
    }

    /// Keeps the texts of a program. Of two with one digest the first stays.
    ///
    /// # Errors
    /// What failed below.
    fn keep_program<'a>(&'a self, program: &'a ProgramText) -> StoreFuture<'a, ()>;

    /// The texts of the program of that digest.
    ///
    /// # Errors
    /// [`StoreError::Damaged`], or what failed below.
    fn program<'a>(&'a self, digest: &'a str) -> StoreFuture<'a, Option<ProgramText>>;

    /// The answer of a model that was stored for a request. This is a short read and no future: whoever asks must know
    /// before a model is asked. A store that keeps no answers has none.
    ///
    /// # Errors
    /// [`StoreError::Damaged`], or what failed below.
    fn answer(&self, request: &str) -> Result<Option<Value>, StoreError> {
        let _ = request;
        Ok(None)
    }

    /// Keeps the answer of a model for equal requests, in place of an earlier one; `at` is when it was asked for. Of more
    /// than [`AnswerCache::MAX_ANSWERS`](super::AnswerCache::MAX_ANSWERS) the oldest go, at the latest when there are
    /// [`AnswerCache::MAX_SPARE_ANSWERS`](super::AnswerCache::MAX_SPARE_ANSWERS) more.
    ///
    /// # Errors
    /// What failed below.
    fn keep_answer<'a>(&'a self, request: &'a str, answer: &'a Value, at: Time) -> StoreFuture<'a, ()> {
        let _ = (request, answer, at);
        ready(Ok(())).boxed()
    }
}

/// A store whose runs are driven by any number of workers.
///
/// A run is *due* if nobody has a lease on it, it has not ended, and something is to be done: a message is there, or
/// [`Commit::due`](super::Commit::due) of its last commit has come. One that was only created is not due without a message.
/// By a message it is due since the first of those that are there came, by the store's clock: so neither new runs nor timers keep
/// the others waiting.
pub trait Queue: Store {
    /// Takes runs that are due and go by one of the programs, with a lease on each. Of workers that take at once each gets
    /// other runs.
    ///
    /// # Errors
    /// What failed below.
    fn take_due<'a>(&'a self, request: WorkRequest<'a>) -> StoreFuture<'a, TakenRuns>;

    /// Keeps a message for a run, and gives its number. When the future ends it is durable. The message is there until a
    /// commit takes it or ends the run. One for a run that has ended is dropped.
    ///
    /// # Errors
    /// [`StoreError::Unknown`], [`StoreError::NotPosted`] for a message that is too long or one too many, or what failed below.
    fn post<'a>(&'a self, run: &'a str, message: &'a Message) -> StoreFuture<'a, u64>;

    /// Leaves a new run to whichever worker takes it: notes it, keeps the texts of its program, and keeps [`Message::Start`] for
    /// it. When the future ends all of it is durable, or nothing is.
    ///
    /// # Errors
    /// [`StoreError::Exists`] if there is a run of that id, unless it is of the same program, nothing of it was stored, nobody
    /// drives it and no [`Message::Start`] is there for it: it was cut off before it began. Or what failed below.
    fn leave<'a>(
        &'a self,
        run: &'a RunInfo,
        program: &'a ProgramText,
        start: &'a Start,
    ) -> StoreFuture<'a, ()>;

    /// The messages that no commit has taken, of all runs that have not ended and on which that owner has a lease. One that
    /// cannot be read is the fault of its run alone.
    ///
    /// # Errors
    /// What failed below.
    fn messages<'a>(&'a self, owner: &'a str) -> StoreFuture<'a, PostedMessages>;

    /// Ends when a run may have become due or a message may have come since this was called. It may end without a reason,
    /// and a change may be missed while the store is not reached: whoever waits looks now and then all the same.
    fn changed(&self) -> BoxFuture<'_, ()>;
}
