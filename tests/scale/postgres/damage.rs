//! What was not written is named, column by column, and never taken for a run.

use std::sync::Arc;
use std::time::Duration;

use loopwright::QuestionId;
use loopwright::port::{Message, Queue, Store, WorkRequest};
use loopwright::store::StoreAddress;
use loopwright::value::Value;

use super::server::{Server, shared, store};
use crate::world::{commit, end, info, waiting};

/// The tables with the columns that are damaged, and where.
const TABLES: [(&str, &str, &[&str]); 7] = [
    (
        "runs",
        "id = 'long'",
        &[
            "id",
            "graph",
            "program",
            "started",
            "status",
            "entries",
            "seq",
            "chain",
            "sum",
            "goes_by",
            "due",
            "queue_sum",
            "owner",
            "fence",
            "until",
            "lease_sum",
        ],
    ),
    ("runs", "id = 'one'", &["messages", "posted", "posted_sum"]),
    (
        "journal",
        "entry = 3 AND run = (SELECT no FROM runs WHERE id = 'long')",
        &["run", "entry", "version", "cause", "at", "step", "seq", "events", "sum", "chain", "body"],
    ),
    (
        "snapshots",
        "ctid = (SELECT max(ctid) FROM snapshots)",
        &["run", "entry", "version", "chain", "sum", "body"],
    ),
    ("programs", "true", &["main", "files", "sum", "digest"]),
    ("answers", "true", &["request", "at", "body", "sum"]),
    ("messages", "true", &["number", "run", "token", "body", "sum"]),
];

/// SQL for another value of a column.
fn other(column: &str) -> String {
    match column {
        "no" | "started" | "entries" | "seq" | "sum" | "due" | "queue_sum" | "fence" | "until" | "run"
        | "entry" | "version" | "at" | "step" | "events" | "number" | "token" | "messages" | "posted" => {
            format!("coalesce({column}, 0) + 1000")
        }
        "chain" | "lease_sum" | "posted_sum" | "files" => {
            format!("overlay({column} PLACING '\\x00ff'::bytea FROM 3)")
        }
        "body" => "overlay(body PLACING '\\x21'::bytea FROM 3 FOR 1)".to_owned(),
        _ => format!("{column} || 'x'"),
    }
}

/// The faults that a look through the database finds.
fn wrong(address: &StoreAddress) -> Vec<String> {
    let survey = address.survey().expect("a store");
    let runs = survey
        .runs
        .into_iter()
        .flat_map(|run| run.wrong.into_iter().map(move |why| format!("{}: {why}", run.run)));
    survey.wrong.into_iter().chain(runs).collect()
}

async fn filled(server: &Server) -> String {
    let database = server.database();
    let postgres = store(&database);
    let runs: Arc<dyn Store> = postgres.clone();
    drop(waiting(&runs, "one", 3, 0).await);
    drop(waiting(&runs, "long", 40, 8_000).await);
    end(&mut waiting(&runs, "ended", 2, 0).await).await;
    runs.acquire("long", "somebody", Duration::from_mins(5)).await.expect("a lease");
    runs.keep_answer("request", &Value::from("answer"), 7).await.expect("it is stored");
    let message = Message::Answer { ask: QuestionId("a".into()), answer: Value::from("yes"), by: None };
    postgres.post("one", &message).await.expect("it is stored");
    database
}

#[tokio::test(flavor = "multi_thread")]
async fn every_column_counts() {
    let Some(server) = shared() else { return };
    let database = filled(&server).await;
    let name = database.rsplit('/').next().expect("a name");
    let address: StoreAddress = database.parse().expect("an address");
    assert_eq!(wrong(&address), [""; 0]);
    let runs: Arc<dyn Store> = store(&database);
    let journal = runs.entries("long").await.expect("a journal");
    let mut unseen = Vec::new();
    for (table, place, columns) in TABLES {
        for column in columns {
            let value = if table == "messages" && *column == "sum" {
                other("lease_sum").replace("lease_sum", "sum")
            } else if *column == "body" && table == "messages" {
                "overlay(body PLACING ' ' FROM 2 FOR 0)".to_owned()
            } else {
                other(column)
            };
            server.sql(
                name,
                &format!(
                    "SET search_path = loopwright; CREATE TABLE IF NOT EXISTS copy_{table} AS SELECT * FROM {table}; \
                     UPDATE {table} SET {column} = {value} WHERE {place}"
                ),
            );
            let found = wrong(&address);
            if found.is_empty() {
                unseen.push(format!("{table}.{column}"));
            }
            // What is read is what was written, or nothing.
            if let Ok(read) = runs.entries("long").await {
                assert!(read == journal || table == "runs", "{table}.{column}");
            }
            if let Ok(loaded) = runs.load("long", None).await {
                let state = (loaded.from + loaded.entries.len() as u64, loaded.snapshot.seq);
                assert!(state.0 == journal.len() as u64, "{table}.{column}: {state:?}");
            }
            server.sql(
                name,
                &format!("SET search_path = loopwright; DELETE FROM {table}; INSERT INTO {table} SELECT * FROM copy_{table}"),
            );
        }
        assert_eq!(wrong(&address), [""; 0], "{table} is as it was");
        server.sql(name, &format!("DROP TABLE loopwright.copy_{table}"));
    }
    assert_eq!(unseen, [""; 0], "these may be changed unseen");
}

#[tokio::test]
async fn rows_that_are_gone_moved_or_too_many_are_named() {
    let Some(server) = shared() else { return };
    let database = server.database();
    let name = database.rsplit('/').next().expect("a name");
    let address: StoreAddress = database.parse().expect("an address");
    let runs: Arc<dyn Store> = store(&database);
    for run in ["a", "b", "c"] {
        runs.create(&info(run)).await.expect("a run");
        for seq in 0..5 {
            commit(&*runs, run, seq, None).await.expect("it is stored");
        }
    }
    server.sql(
        name,
        "SET search_path = loopwright; \
         DELETE FROM journal WHERE run = 1 AND entry = 2; \
         DELETE FROM journal WHERE run = 2 AND entry = 4; \
         DELETE FROM runs WHERE no = 3",
    );
    let found = wrong(&address);
    let all = found.join("\n");
    assert!(all.contains("a: entry 2 is missing; 3 follows"), "{all}");
    assert!(all.contains("b: entry 4 is missing"), "{all}");
    assert!(
        all.contains("5 entries belong to no run that is there; the first is entry 0 of run number 3"),
        "{all}"
    );
    let why = runs.load("a", None).await.expect_err("it is damaged").to_string();
    assert!(why.contains("the run `a` is damaged: entry 2 is missing"), "{why}");
    assert_eq!(runs.load("a", Some(2)).await.expect("what is before").entries.len(), 2);
}

/// A worker of an earlier version takes messages and does not count them.
#[tokio::test]
async fn a_run_whose_messages_are_gone_is_not_taken() {
    let Some(server) = shared() else { return };
    let database = server.database();
    let name = database.rsplit('/').next().expect("a name");
    let runs = store(&database);
    runs.create(&info("a")).await.expect("a run");
    commit(&*runs, "a", 0, None).await.expect("it is stored");
    let programs = ["program".into()];
    let request =
        WorkRequest { owner: "w", ttl: Duration::from_mins(1), programs: &programs, now: i64::MAX, limit: 8 };
    runs.post("a", &Message::RESUME).await.expect("it is posted");
    server.sql(name, "UPDATE loopwright.messages SET body = NULL");
    assert!(runs.take_due(request).await.expect("runs").runs.is_empty());
    runs.post("a", &Message::RESUME).await.expect("it is posted");
    assert_eq!(runs.take_due(request).await.expect("runs").runs.len(), 1);
}
