//! A process's way to the store, over a network that loses and delays.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use loopwright::machine::Start;
use loopwright::port::{
    BoxFuture, Clock, Commit, JournalEntry, Lease, Message, PostedMessages, ProgramText, Queue, RunInfo,
    Store, StoreError, StoreFuture, StoredRun, TakenRuns, WorkRequest,
};
use loopwright::value::Str;
use tokio::sync::oneshot;

use crate::fault::Fault;
use crate::ledger::Ledger;
use crate::process::{Process, ProcessClock};
use crate::server::Server;
use crate::simulation::Simulation;
use crate::stored::{OwnedCommit, OwnedWork, Reply, Request};

/// A process waits so long for an answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// A process's way to the store.
#[derive(Clone)]
pub(crate) struct Client {
    sim: Arc<Simulation>,
    process: Arc<Process>,
    server: Arc<Server>,
    ledger: Arc<Ledger>,
    /// Only where renewals are left out: the leases that were given.
    leases: Arc<Mutex<BTreeMap<Str, Lease>>>,
}

impl Client {
    pub(crate) fn new(
        sim: &Arc<Simulation>,
        process: &Arc<Process>,
        server: &Arc<Server>,
        ledger: &Arc<Ledger>,
    ) -> Arc<Self> {
        Arc::new(Self {
            sim: Arc::clone(sim),
            process: Arc::clone(process),
            server: Arc::clone(server),
            ledger: Arc::clone(ledger),
            leases: Arc::default(),
        })
    }

    /// Asks the store. After an error nobody knows whether it did what was asked.
    async fn ask(&self, request: Request) -> Result<Reply, StoreError> {
        self.process.point().await;
        let reply = self.travel(request).await;
        self.process.point().await;
        reply
    }

    async fn travel(&self, request: Request) -> Result<Reply, StoreError> {
        let lost = || StoreError::Failed("the connection was lost".to_owned());
        if self.process.is_cut_off() || self.sim.strikes(|weather| weather.lose_request) {
            self.sim.note(format_args!("a request of {} is lost", self.process.name()));
            tokio::time::sleep(PATIENCE).await;
            return Err(lost());
        }
        let (sender, answer) = oneshot::channel();
        let (sim, server) = (Arc::clone(&self.sim), Arc::clone(&self.server));
        let client = ProcessClock(Arc::clone(&self.process)).now();
        // It travels on, whatever becomes of who asked.
        tokio::spawn(async move {
            delay(&sim).await;
            let reply = server.handle(request, client).await;
            delay(&sim).await;
            if sim.strikes(|weather| weather.lose_answer) {
                sim.note(format_args!("an answer is lost"));
            } else {
                let _gone = sender.send(reply);
            }
        });
        match tokio::time::timeout(PATIENCE, answer).await {
            Ok(Ok(reply)) => reply,
            Ok(Err(_)) | Err(_) => Err(lost()),
        }
    }

    async fn commit_owned(&self, run: Str, commit: OwnedCommit) -> Result<(), StoreError> {
        let entries = commit.entries.clone();
        let commit = Box::new(commit);
        let again = self.sim.has(Fault::RepeatedCommit).then(|| commit.clone());
        let mut reply = self.ask(Request::Commit(run.clone(), commit)).await;
        if let (Err(StoreError::Failed(_)), Some(commit)) = (&reply, again) {
            reply = self.ask(Request::Commit(run.clone(), commit)).await;
        }
        match reply? {
            Reply::Committed(from) => {
                self.ledger.acknowledged(run, from, entries);
                Ok(())
            }
            other => unexpected(&other),
        }
    }
}

/// The time a request or an answer takes on its way.
async fn delay(sim: &Simulation) {
    if sim.strikes(|weather| weather.slow) {
        sim.wait(20, 1_200).await;
    } else {
        sim.wait(0, 3).await;
    }
}

fn unexpected<T>(reply: &Reply) -> Result<T, StoreError> {
    panic!("the simulated store answered something else: {reply:?}")
}

/// Asks for one kind of reply.
macro_rules! ask {
    ($client:ident, $request:expr, $kind:ident) => {
        async move {
            match $client.ask($request).await? {
                Reply::$kind(found) => Ok(found),
                other => unexpected(&other),
            }
        }
        .boxed()
    };
}

/// Asks for something to be done.
macro_rules! tell {
    ($client:ident, $request:expr) => {
        async move {
            match $client.ask($request).await? {
                Reply::Done => Ok(()),
                other => unexpected(&other),
            }
        }
        .boxed()
    };
}

impl Store for Client {
    fn create<'a>(&'a self, run: &'a RunInfo) -> StoreFuture<'a, ()> {
        tell!(self, Request::Create(run.clone()))
    }

    fn commit<'a>(&'a self, run: &'a str, commit: Commit<'a>) -> StoreFuture<'a, ()> {
        let commit = OwnedCommit::from(commit);
        if self.sim.has(Fault::LateIntent) {
            let client = self.clone();
            let run = Str::from(run);
            let late = async move {
                client.sim.wait(0, 30).await;
                client.commit_owned(run, commit).await
            };
            // What becomes of it nobody hears.
            drop(tokio::spawn(late));
            return futures::future::ready(Ok(())).boxed();
        }
        self.commit_owned(run.into(), commit).boxed()
    }

    fn load<'a>(&'a self, run: &'a str, at: Option<u64>) -> StoreFuture<'a, StoredRun> {
        async move {
            match self.ask(Request::Load(run.into(), at)).await? {
                Reply::Loaded(found) => Ok(*found),
                other => unexpected(&other),
            }
        }
        .boxed()
    }

    fn entries<'a>(&'a self, run: &'a str) -> StoreFuture<'a, Vec<JournalEntry>> {
        ask!(self, Request::Entries(run.into()), Entries)
    }

    fn runs(&self) -> StoreFuture<'_, Vec<RunInfo>> {
        ask!(self, Request::Runs, Runs)
    }

    fn acquire<'a>(&'a self, run: &'a str, owner: &'a str, ttl: Duration) -> StoreFuture<'a, Lease> {
        let known = || self.leases.lock().unwrap_or_else(PoisonError::into_inner);
        async move {
            if self.sim.has(Fault::MissingRenewal)
                && let Some(lease) = known().get(run).cloned()
            {
                return Ok(lease);
            }
            match self.ask(Request::Acquire(run.into(), owner.into(), ttl)).await? {
                Reply::Leased(lease) => {
                    known().insert(run.into(), lease.clone());
                    Ok(lease)
                }
                other => unexpected(&other),
            }
        }
        .boxed()
    }

    fn release<'a>(&'a self, run: &'a str, lease: &'a Lease) -> StoreFuture<'a, ()> {
        self.leases.lock().unwrap_or_else(PoisonError::into_inner).remove(run);
        tell!(self, Request::Release(run.into(), lease.clone()))
    }

    fn driver<'a>(&'a self, run: &'a str) -> StoreFuture<'a, Option<Str>> {
        ask!(self, Request::Driver(run.into()), Driver)
    }

    fn as_queue(self: Arc<Self>) -> Option<Arc<dyn Queue>> {
        Some(self)
    }

    fn keep_program<'a>(&'a self, program: &'a ProgramText) -> StoreFuture<'a, ()> {
        tell!(self, Request::Keep(program.clone()))
    }

    fn program<'a>(&'a self, digest: &'a str) -> StoreFuture<'a, Option<ProgramText>> {
        ask!(self, Request::Program(digest.into()), Program)
    }
}

impl Queue for Client {
    fn take_due<'a>(&'a self, request: WorkRequest<'a>) -> StoreFuture<'a, TakenRuns> {
        let WorkRequest { owner, ttl, programs, now, limit } = request;
        let work = OwnedWork { owner: owner.into(), ttl, programs: programs.to_vec(), now, limit };
        ask!(self, Request::TakeDue(work), Taken)
    }

    fn post<'a>(&'a self, run: &'a str, message: &'a Message) -> StoreFuture<'a, u64> {
        ask!(self, Request::Post(run.into(), message.clone()), Posted)
    }

    fn leave<'a>(
        &'a self,
        run: &'a RunInfo,
        program: &'a ProgramText,
        start: &'a Start,
    ) -> StoreFuture<'a, ()> {
        tell!(self, Request::Leave(run.clone(), program.clone(), Box::new(start.clone())))
    }

    fn messages<'a>(&'a self, owner: &'a str) -> StoreFuture<'a, PostedMessages> {
        ask!(self, Request::Messages(owner.into()), Messages)
    }

    fn changed(&self) -> BoxFuture<'_, ()> {
        let mut notified = Arc::clone(&self.server.changes).notified_owned();
        async move {
            if self.sim.strikes(|weather| weather.wake_up) {
                self.sim.wait(0, 500).await;
                return self.process.awake().await;
            }
            loop {
                notified.await;
                notified = Arc::clone(&self.server.changes).notified_owned();
                if !self.process.is_cut_off() && !self.sim.strikes(|weather| weather.lose_wake_up) {
                    break;
                }
            }
            delay(&self.sim).await;
            self.process.awake().await;
        }
        .boxed()
    }
}
