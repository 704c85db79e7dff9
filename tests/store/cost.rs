//! What keeping a run costs: commits and bytes.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use loopwright::port::{Commit, JournalEntry, Lease, ProgramText, RunInfo, Store, StoreFuture, StoredRun};
use loopwright::store::Memory;

use super::world::{driver, end, folder, sqlite, waiting};

/// Counts the commits.
#[derive(Default)]
struct Counting(Memory, AtomicUsize);

impl Store for Counting {
    fn create<'a>(&'a self, run: &'a RunInfo) -> StoreFuture<'a, ()> {
        self.0.create(run)
    }

    fn commit<'a>(&'a self, run: &'a str, commit: Commit<'a>) -> StoreFuture<'a, ()> {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.commit(run, commit)
    }

    fn load<'a>(&'a self, run: &'a str, at: Option<u64>) -> StoreFuture<'a, StoredRun> {
        self.0.load(run, at)
    }

    fn entries<'a>(&'a self, run: &'a str) -> StoreFuture<'a, Vec<JournalEntry>> {
        self.0.entries(run)
    }

    fn runs(&self) -> StoreFuture<'_, Vec<RunInfo>> {
        self.0.runs()
    }

    fn acquire<'a>(&'a self, run: &'a str, owner: &'a str, ttl: Duration) -> StoreFuture<'a, Lease> {
        self.0.acquire(run, owner, ttl)
    }

    fn release<'a>(&'a self, run: &'a str, lease: &'a Lease) -> StoreFuture<'a, ()> {
        self.0.release(run, lease)
    }

    fn keep_program<'a>(&'a self, program: &'a ProgramText) -> StoreFuture<'a, ()> {
        self.0.keep_program(program)
    }

    fn program<'a>(&'a self, digest: &'a str) -> StoreFuture<'a, Option<ProgramText>> {
        self.0.program(digest)
    }
}

#[tokio::test]
async fn n_effects_cost_n_commits_and_one() {
    let store = Arc::new(Counting::default());
    // Twenty calls and one question, with two nodes between each call and the next.
    let mut run = waiting(&driver(store.clone()), "one", 20).await;
    end(&mut run).await;
    assert_eq!(store.1.load(Ordering::Relaxed), 22);
}

#[tokio::test]
async fn a_growing_list_does_not_make_entries_grow() {
    let folder = folder();
    let store = sqlite(&folder);
    waiting(&driver(store.clone()), "long", 1_500).await;
    // A step is a transition; there are three for each call.
    let conn = rusqlite::Connection::open(store.path()).expect("SQLite reads it");
    // Three numbers of up to 8 bytes, sum and link come to at most 70 bytes beside the body.
    let mean = |from: i64, to: i64| -> f64 {
        let sql = "SELECT (SELECT sum(length(body) + 70) FROM journal WHERE (id & 4294967295) BETWEEN ?1 AND ?2) + \
                   (SELECT ifnull(sum(length(body) + 40), 0) FROM snapshots WHERE (id & 4294967295) BETWEEN ?1 AND ?2)";
        let bytes: f64 = conn.query_row(sql, [from, to], |row| row.get(0)).expect("sums");
        bytes / f64::from(3 * u32::try_from(to - from).expect("a small number"))
    };
    let (early, late) = (mean(100, 600), mean(1_000, 1_500));
    assert!(late < 1.5 * early, "{early} bytes a step early, {late} late");
    assert!(early < 400.0 && late < 400.0, "{early} bytes a step early, {late} late");
}
