//! A store of one's own: it hands everything to a store in memory, and notes how each commit leaves its run.

use std::{collections::BTreeMap, error::Error, sync::Arc, sync::Mutex, time::Duration};

use loopwright::port::{Commit, JournalEntry, Lease, RunInfo, Store, StoreFuture, StoredRun};
use loopwright::{Driver, Files, Graph, Memory, ProgramText, Start};

/// Stores runs, and the last word on each.
#[derive(Default)]
pub(crate) struct Noted(Memory, Mutex<BTreeMap<String, &'static str>>);

#[rustfmt::skip] // One method a line.
impl Store for Noted {
    fn commit<'a>(&'a self, run: &'a str, commit: Commit<'a>) -> StoreFuture<'a, ()> {
        self.1.lock().expect("no panic").insert(run.to_owned(), commit.status.word(true));
        self.0.commit(run, commit)
    }
    fn create<'a>(&'a self, run: &'a RunInfo) -> StoreFuture<'a, ()> { self.0.create(run) }
    fn load<'a>(&'a self, run: &'a str, at: Option<u64>) -> StoreFuture<'a, StoredRun> { self.0.load(run, at) }
    fn entries<'a>(&'a self, run: &'a str) -> StoreFuture<'a, Vec<JournalEntry>> { self.0.entries(run) }
    fn runs(&self) -> StoreFuture<'_, Vec<RunInfo>> { self.0.runs() }
    fn acquire<'a>(&'a self, run: &'a str, owner: &'a str, ttl: Duration) -> StoreFuture<'a, Lease> { self.0.acquire(run, owner, ttl) }
    fn release<'a>(&'a self, run: &'a str, lease: &'a Lease) -> StoreFuture<'a, ()> { self.0.release(run, lease) }
    fn keep_program<'a>(&'a self, program: &'a ProgramText) -> StoreFuture<'a, ()> { self.0.keep_program(program) }
    fn program<'a>(&'a self, digest: &'a str) -> StoreFuture<'a, Option<ProgramText>> { self.0.program(digest) }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let files = &mut Files::new().with("g.yaml", "graph: g\nstart: end\nnodes: {end: {kind: final}}\n");
    let store = Arc::new(Noted::default());
    let driver = Driver::new(Graph::load("g.yaml", files)?.program).store(store.clone());
    driver.start(Start { run: "one".into(), ..Start::default() }).await?.drive().await?;
    println!("{:?}", store.1.lock().expect("no panic"));
    Ok(())
}
