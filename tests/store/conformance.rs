//! Stores are put to the promises of the trait, and so are stores that break one.

#[path = "../../examples/own_store.rs"]
#[expect(dead_code, reason = "the test of the examples runs its `main`")]
mod own_store;

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::ready;
use loopwright::machine::Time;
use loopwright::port::{
    Commit, JournalEntry, Lease, ProgramText, RunFilter, RunInfo, RunPage, Store, StoreError, StoreFuture,
    StoredRun,
};
use loopwright::store::Memory;
use loopwright::store::conformance::{BrokenPromise, Promise, check};
use loopwright::value::{Str, Value};

use super::world::{folder, sqlite};

#[tokio::test]
async fn our_stores_hold_every_promise() {
    let memory = || {
        let store = Arc::new(Memory::new());
        move || Arc::clone(&store) as Arc<dyn Store>
    };
    assert_eq!(check(memory).await, Ok(()));
    let file = || {
        let folder = folder();
        move || sqlite(&folder) as Arc<dyn Store>
    };
    assert_eq!(check(file).await, Ok(()));
}

#[tokio::test]
async fn the_store_of_the_example_holds_every_promise() {
    let own = || {
        let store = Arc::new(own_store::Noted::default());
        move || Arc::clone(&store) as Arc<dyn Store>
    };
    assert_eq!(check(own).await, Ok(()));
}

/// The one thing that a store does wrong.
#[derive(Debug, Clone, Copy)]
enum Fault {
    LostWrite,
    WrongOrder,
    LeaseIgnored,
    FenceStays,
    LostEventsOfLoad,
    GapAccepted,
    UnknownIsEmpty,
    LatestProgram,
    FirstAnswer,
    NewestRunFirst,
    SnapshotDropped,
    TextCut,
    AnyIdBegins,
    LeaseForAll,
    FirstRunForAll,
    CommitInParts,
    PageWithoutFilter,
}

/// A store in memory with a fault.
struct Faulty {
    memory: Memory,
    fault: Fault,
}

impl Faulty {
    fn has(&self, fault: Fault) -> bool {
        std::mem::discriminant(&self.fault) == std::mem::discriminant(&fault)
    }
}

fn cut(value: &Value) -> Value {
    match value {
        Value::Str(text) => Value::from(text.split('\0').next().unwrap_or_default()),
        other => other.clone(),
    }
}

impl Store for Faulty {
    fn create<'a>(&'a self, run: &'a RunInfo) -> StoreFuture<'a, ()> {
        let created = self.memory.create(run);
        if self.has(Fault::AnyIdBegins) { created.map(|_| Ok(())).boxed() } else { created }
    }

    fn commit<'a>(&'a self, run: &'a str, mut commit: Commit<'a>) -> StoreFuture<'a, ()> {
        async move {
            let mut entries = commit.entries.to_vec();
            if self.has(Fault::LostWrite) && self.memory.entries(run).await?.len() >= 3 {
                return Ok(());
            }
            if self.has(Fault::LeaseIgnored) {
                // Whoever writes is taken for the owner.
                let free = self.memory.acquire(run, "free", Duration::ZERO).await;
                let owner = match free {
                    Ok(lease) => lease,
                    Err(StoreError::Held { owner, .. }) => {
                        self.memory.acquire(run, &owner, Duration::from_mins(1)).await?
                    }
                    Err(error) => return Err(error),
                };
                return self.memory.commit(run, Commit { lease: Some(&owner), ..commit }).await;
            }
            if self.has(Fault::CommitInParts) {
                for entry in &entries {
                    let part = Commit { entries: std::slice::from_ref(entry), ..commit.clone() };
                    self.memory.commit(run, part).await?;
                    tokio::task::yield_now().await;
                }
                return Ok(());
            }
            if self.has(Fault::GapAccepted) {
                let wanted = self.memory.events(run).await?.len() as u64;
                for (seq, event) in (wanted..).zip(entries.iter_mut().flat_map(|entry| &mut entry.events)) {
                    event.seq = seq;
                }
            }
            if self.has(Fault::TextCut) {
                for event in entries.iter_mut().flat_map(|entry| &mut entry.events) {
                    if let loopwright::machine::EventKind::Closed { output, .. } = &mut event.kind {
                        **output = cut(output);
                    }
                }
            }
            if self.has(Fault::SnapshotDropped) {
                commit.whole = false;
            }
            self.memory.commit(run, Commit { entries: &entries, ..commit }).await
        }
        .boxed()
    }

    fn load<'a>(&'a self, run: &'a str, at: Option<u64>) -> StoreFuture<'a, StoredRun> {
        async move {
            let mut stored = self.memory.load(run, at).await?;
            if self.has(Fault::LostEventsOfLoad) && stored.entries.len() > 5 {
                stored.entries.pop();
            }
            Ok(stored)
        }
        .boxed()
    }

    fn entries<'a>(&'a self, run: &'a str) -> StoreFuture<'a, Vec<JournalEntry>> {
        async move {
            let first = self.memory.runs().await?.first().map(|first| first.run.clone());
            let run = first.as_deref().filter(|_| self.has(Fault::FirstRunForAll)).unwrap_or(run);
            let mut entries = match self.memory.entries(run).await {
                Err(StoreError::Unknown(_)) if self.has(Fault::UnknownIsEmpty) => Vec::new(),
                other => other?,
            };
            if self.has(Fault::WrongOrder) && entries.len() > 1 {
                entries.swap(0, 1);
            }
            Ok(entries)
        }
        .boxed()
    }

    fn runs(&self) -> StoreFuture<'_, Vec<RunInfo>> {
        async move {
            let mut runs = self.memory.runs().await?;
            if self.has(Fault::NewestRunFirst) {
                runs.reverse();
            }
            Ok(runs)
        }
        .boxed()
    }

    fn page<'a>(&'a self, filter: &'a RunFilter) -> StoreFuture<'a, RunPage> {
        async move {
            let runs = self.runs().await?;
            let kind = filter.kind.filter(|_| !self.has(Fault::PageWithoutFilter));
            Ok(RunFilter { kind, ..filter.clone() }.page(runs))
        }
        .boxed()
    }

    fn acquire<'a>(&'a self, run: &'a str, owner: &'a str, ttl: Duration) -> StoreFuture<'a, Lease> {
        async move {
            let mut lease = match self.memory.acquire(run, owner, ttl).await {
                Err(StoreError::Held { .. }) if self.has(Fault::LeaseForAll) => {
                    Lease { owner: owner.into(), fence: u64::MAX }
                }
                other => other?,
            };
            if self.has(Fault::FenceStays) {
                lease.fence = 1;
            }
            Ok(lease)
        }
        .boxed()
    }

    fn release<'a>(&'a self, run: &'a str, lease: &'a Lease) -> StoreFuture<'a, ()> {
        self.memory.release(run, lease)
    }

    fn driver<'a>(&'a self, run: &'a str) -> StoreFuture<'a, Option<Str>> {
        self.memory.driver(run)
    }

    fn keep_program<'a>(&'a self, program: &'a ProgramText) -> StoreFuture<'a, ()> {
        self.memory.keep_program(program)
    }

    fn program<'a>(&'a self, digest: &'a str) -> StoreFuture<'a, Option<ProgramText>> {
        async move {
            let found = self.memory.program(digest).await?;
            let main = if self.has(Fault::LatestProgram) { Str::from("c.yaml") } else { "a.yaml".into() };
            Ok(found.map(|program| ProgramText { main, ..program }))
        }
        .boxed()
    }

    fn answer(&self, request: &str) -> Result<Option<Value>, StoreError> {
        self.memory.answer(request)
    }

    fn keep_answer<'a>(&'a self, request: &'a str, answer: &'a Value, at: Time) -> StoreFuture<'a, ()> {
        if self.has(Fault::FirstAnswer) && self.memory.answer(request).is_ok_and(|found| found.is_some()) {
            return ready(Ok(())).boxed();
        }
        self.memory.keep_answer(request, answer, at)
    }
}

async fn broken(fault: Fault) -> Vec<BrokenPromise> {
    let faulty = || {
        let store = Arc::new(Faulty { memory: Memory::new(), fault });
        move || Arc::clone(&store) as Arc<dyn Store>
    };
    check(faulty).await.err().unwrap_or_default()
}

#[tokio::test]
async fn a_store_with_a_fault_breaks_the_promise_of_it() {
    for (fault, promise) in [
        (Fault::LostWrite, Promise::JournalIsReadBack),
        (Fault::WrongOrder, Promise::JournalIsReadBack),
        (Fault::LeaseIgnored, Promise::LostLeaseStoresNothing),
        (Fault::FenceStays, Promise::OneOwnerAtATime),
        (Fault::LostEventsOfLoad, Promise::EveryEntryIsAPlaceToLoad),
        (Fault::GapAccepted, Promise::EventsFollowEachOther),
        (Fault::UnknownIsEmpty, Promise::UnknownRunIsRefused),
        (Fault::LatestProgram, Promise::FirstProgramStays),
        (Fault::FirstAnswer, Promise::LatestAnswerIsGiven),
        (Fault::NewestRunFirst, Promise::RunsInOrder),
        (Fault::SnapshotDropped, Promise::WholeSnapshotIsStored),
        (Fault::TextCut, Promise::ValuesAreReadBack),
        (Fault::AnyIdBegins, Promise::OneRunForAnId),
        (Fault::LeaseForAll, Promise::OneOfManyOwners),
        (Fault::FirstRunForAll, Promise::RunsAreApart),
        (Fault::GapAccepted, Promise::OneOfTwoCommits),
        (Fault::CommitInParts, Promise::UnfinishedCommitIsWholeOrAbsent),
        (Fault::PageWithoutFilter, Promise::PagesHoldEachRunOnce),
    ] {
        let found = broken(fault).await;
        let named = found.iter().find(|broken| broken.promise == promise);
        let named = named.unwrap_or_else(|| panic!("{fault:?} is not found out: {found:?}"));
        assert!(named.to_string().contains(&format!("\"{promise}\"")), "{named}");
    }
}

#[tokio::test]
async fn a_broken_promise_says_what_was_found() {
    let messages: Vec<String> = broken(Fault::WrongOrder).await.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(messages.join("\n"));
}
