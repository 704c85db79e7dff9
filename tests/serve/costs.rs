//! What a run cost is added up as its journal grows, and never read twice.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures::executor::block_on;
use loopwright::app::RunCosts;
use loopwright::port::{Commit, JournalEntry, Lease, ProgramText, RunInfo, Store, StoreFuture, StoredRun};
use loopwright::store::Sqlite;
use serde_json::{Value, json};

use super::world::{Served, answer_path};
use crate::cli::Desk;

/// A model speaks, a person says whether it is to speak again.
const CHAT: &str = "
graph: chat
ignore: {unhandled: Nobody goes on for so long.}
state: {said: string?, word: string?}
budgets: {rounds: 100}
start: say
nodes:
  say: {kind: model, role: speaker, prompt: \"'Speak.'\", into: said, next: [{to: ask}, {to: failed, on: error}]}
  ask:
    kind: human
    ask: said ?? ''
    options: [more, stop]
    into: word
    do: spend rounds
    next: [{to: end, when: word == 'stop'}, {to: say}]
  end: {kind: final}
  failed: {kind: final, ok: false}
";

/// A store that counts the entries that are read of it.
struct Counting(Sqlite, AtomicU64);

impl Store for Counting {
    fn create<'a>(&'a self, run: &'a RunInfo) -> StoreFuture<'a, ()> {
        self.0.create(run)
    }

    fn commit<'a>(&'a self, run: &'a str, commit: Commit<'a>) -> StoreFuture<'a, ()> {
        self.0.commit(run, commit)
    }

    fn load<'a>(&'a self, run: &'a str, at: Option<u64>) -> StoreFuture<'a, StoredRun> {
        self.0.load(run, at)
    }

    fn entries<'a>(&'a self, _: &'a str) -> StoreFuture<'a, Vec<JournalEntry>> {
        panic!("the whole journal is read")
    }

    fn entries_from<'a>(&'a self, run: &'a str, from: u64, many: u32) -> StoreFuture<'a, Vec<JournalEntry>> {
        Box::pin(async move {
            let entries = self.0.entries_from(run, from, many).await?;
            self.1.fetch_add(entries.len() as u64, Ordering::Relaxed);
            Ok(entries)
        })
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

#[test]
fn the_sum_reads_each_entry_once_and_is_that_of_the_whole_journal() {
    let desk = Desk::new();
    std::fs::create_dir(desk.folder.path().join("web")).expect("a folder can be made");
    desk.write("web/chat.yaml", CHAT);
    let said: Vec<_> = (1..9).map(|n| format!("{{ok: Hum {n}, usage: {{cost: {n}000000}}}}")).collect();
    desk.write("chat.script.yaml", &format!("model: [{}]\n", said.join(", ")));
    let served = Served::on(desk, "--script chat.script.yaml", &[]);
    let client = served.client();
    let shown = served.asking("chat", "one");
    let open = || Sqlite::open(served.desk.folder.path().join(".loopwright/runs.db")).expect("it opens");
    let store = Counting(open(), AtomicU64::default());
    let mut running = RunCosts::default();
    // What the server says is what the journal says when it is read from its first entry on, and what the calls of the log come to.
    let mut check = |calls: usize| {
        let mut whole = RunCosts::default();
        block_on(whole.read_on(&open(), "one")).expect("it is read");
        block_on(running.read_on(&store, "one")).expect("it is read");
        assert_eq!(running.json(), whole.json());
        let entries = block_on(open().entries("one")).expect("they are read").len() as u64;
        assert_eq!(store.1.load(Ordering::Relaxed), entries, "each entry is read once");
        let shown = client.get("/api/v1/runs/one").json()["cost"].clone();
        assert_eq!(shown, whole.json());
        assert_eq!(shown["calls"], calls, "{shown}");
        assert_eq!(shown["by_node"], json!([{"node": "say", "calls": calls, "usd": shown["usd"]}]));
        shown["usd"].clone()
    };
    let answer = |shown: &Value, word: &str| {
        let path = answer_path("one", &shown["asks"][0]);
        client.with("if-match", "*").post(&path, &json!({"answer": word})).is(202);
    };
    let first = check(1);
    let mut shown = shown;
    for calls in 2..5 {
        answer(&shown, "more");
        let text = format!("Hum {calls}");
        shown = served.having("one", |shown| shown["asks"][0]["text"] == text.as_str());
        assert_ne!(check(calls), first);
    }
    // What was left by going back was paid for.
    client.with("if-match", "*").post("/api/v1/runs/one/rollback", &json!({"to": 2})).is(200);
    let after = check(4);
    client.post("/api/v1/runs/one/resume", &json!({})).is(202);
    served.waiting("one");
    assert_ne!(check(5), after);
    let shown = served.waiting("one");
    answer(&shown, "stop");
    served.having("one", |shown| shown["status"] == "ended");
    check(5);
    // Nothing was stored since: nothing is read.
    let before = store.1.load(Ordering::Relaxed);
    block_on(running.read_on(&store, "one")).expect("it is read");
    assert_eq!(store.1.load(Ordering::Relaxed), before);
}
