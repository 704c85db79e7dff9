//! A queue in memory that fails as it is told.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use futures::FutureExt;
use futures::future::ready;
use loopwright::machine::Start;
use loopwright::port::{
    BoxFuture, Commit, JournalEntry, Lease, Message, PostedMessages, ProgramText, Queue, RunInfo, Store,
    StoreError, StoreFuture, StoredRun, TakenRuns, WorkRequest,
};
use loopwright::store::Memory;
use loopwright::value::Str;

/// A queue in memory that fails as it is told.
#[derive(Default)]
pub(crate) struct Troubled {
    pub(crate) store: Arc<Memory>,
    /// So many times messages cannot be read.
    pub(crate) unread: AtomicU32,
    /// A run whose messages cannot be read, if it has any.
    pub(crate) unreadable: Option<Str>,
    /// Whoever wants runs gets no answer.
    pub(crate) hangs: AtomicBool,
    /// Whoever wants runs gets an error.
    pub(crate) fails: AtomicBool,
}

fn away<T: Send + 'static>() -> StoreFuture<'static, T> {
    ready(Err(StoreError::Failed("the store is away".to_owned()))).boxed()
}

impl Store for Troubled {
    fn create<'a>(&'a self, run: &'a RunInfo) -> StoreFuture<'a, ()> {
        self.store.create(run)
    }

    fn commit<'a>(&'a self, run: &'a str, commit: Commit<'a>) -> StoreFuture<'a, ()> {
        self.store.commit(run, commit)
    }

    fn load<'a>(&'a self, run: &'a str, at: Option<u64>) -> StoreFuture<'a, StoredRun> {
        self.store.load(run, at)
    }

    fn entries<'a>(&'a self, run: &'a str) -> StoreFuture<'a, Vec<JournalEntry>> {
        self.store.entries(run)
    }

    fn runs(&self) -> StoreFuture<'_, Vec<RunInfo>> {
        self.store.runs()
    }

    fn acquire<'a>(&'a self, run: &'a str, owner: &'a str, ttl: Duration) -> StoreFuture<'a, Lease> {
        self.store.acquire(run, owner, ttl)
    }

    fn release<'a>(&'a self, run: &'a str, lease: &'a Lease) -> StoreFuture<'a, ()> {
        self.store.release(run, lease)
    }

    fn driver<'a>(&'a self, run: &'a str) -> StoreFuture<'a, Option<Str>> {
        self.store.driver(run)
    }

    fn as_queue(self: Arc<Self>) -> Option<Arc<dyn Queue>> {
        Some(self)
    }

    fn keep_program<'a>(&'a self, program: &'a ProgramText) -> StoreFuture<'a, ()> {
        self.store.keep_program(program)
    }

    fn program<'a>(&'a self, digest: &'a str) -> StoreFuture<'a, Option<ProgramText>> {
        self.store.program(digest)
    }
}

impl Queue for Troubled {
    fn take_due<'a>(&'a self, request: WorkRequest<'a>) -> StoreFuture<'a, TakenRuns> {
        if self.hangs.load(Ordering::Relaxed) {
            return pending().boxed();
        }
        if self.fails.load(Ordering::Relaxed) { away() } else { self.store.take_due(request) }
    }

    fn post<'a>(&'a self, run: &'a str, message: &'a Message) -> StoreFuture<'a, u64> {
        self.store.post(run, message)
    }

    fn leave<'a>(
        &'a self,
        run: &'a RunInfo,
        program: &'a ProgramText,
        start: &'a Start,
    ) -> StoreFuture<'a, ()> {
        self.store.leave(run, program, start)
    }

    fn messages<'a>(&'a self, owner: &'a str) -> StoreFuture<'a, PostedMessages> {
        let fewer = |times: u32| times.checked_sub(1);
        if self.unread.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fewer).is_ok() {
            return away();
        }
        async move {
            let mut posted = self.store.messages(owner).await?;
            let (bad, good) =
                posted.messages.into_iter().partition(|own| Some(&own.run) == self.unreadable.as_ref());
            posted.messages = good;
            let bad: Vec<loopwright::port::PostedMessage> = bad;
            posted.unreadable = bad.into_iter().map(|own| (own.run, "it is damaged".to_owned())).collect();
            Ok(posted)
        }
        .boxed()
    }

    fn changed(&self) -> BoxFuture<'_, ()> {
        self.store.changed()
    }
}
