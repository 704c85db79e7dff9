//! Faults of the first entries, one by one.

use std::sync::Arc;

use loopwright::drive::Finished;
use loopwright::llm::Paces;
use loopwright::machine::{Outcome, Start};
use loopwright::value::Value;

use super::world::Step::{Body, Cut, Down, Ends, Says, SaysAfter, Silent, Status, Wait};
use super::world::{Ears, Step, Wire, attempts, driver, entry, live, outcomes};

/// One graph for all rows. `STREAM` is replaced.
pub(super) const GRAPH: &str = "
graph: asks
types: {Answer: {word: string(20)}}
state: {answer: Answer?, kind: string?}
budgets:
  tokens: {limit: 1000000, charge: model.tokens}
  paid: {limit: 100, unit: usd, charge: model.cost}
start: ask
nodes:
  ask:
    kind: model
    role: decider
    prompt: '''What now?'''
    output: Answer
    STREAM
    into: answer
    next: [{to: end}, {to: failed, on: error, do: 'kind = error.kind'}]
  end: {kind: final}
  failed: {kind: final}
output: {word: 'answer.word ?? kind ?? \"\"'}
";

const YES: Step = Says(r#"{"word": "yes"}"#);
const NO: Step = Says(r#"{"word": "no"}"#);
/// An answer that does not fit its type.
const WRONG: Step = Says(r#"{"word": 7}"#);

/// The cost of a whole answer of each entry, in billionths of a dollar.
const FAST: i64 = 1_200_000;
const STRONG: i64 = 12_000_000;

struct Row {
    name: &'static str,
    /// Lines of `[models.decider]` after `use`.
    list: &'static str,
    /// Lines of every entry.
    entries: &'static str,
    stream: bool,
    fast: &'static [Step],
    strong: &'static [Step],
    /// The word of the answer, or the kind of error.
    word: &'static str,
    attempts: &'static str,
    /// The cost, where it is known to the cent; of partial replies it is an estimate.
    cost: Option<i64>,
}

const ROW: Row = Row {
    name: "",
    list: "",
    entries: "",
    stream: false,
    fast: &[],
    strong: &[YES],
    word: "yes",
    attempts: "",
    cost: Some(STRONG),
};

const INVALID: &str = "also_on = [\"invalid_output\"]";
const CONTEXT: &str = "also_on = [\"context_limit\"]";
const UNAVAILABLE: &str = "fast:unavailable fast:unavailable fast:unavailable strong";

const ROWS: &[Row] = &[
    Row {
        name: "the first one answers",
        fast: &[NO],
        strong: &[],
        word: "no",
        attempts: "fast",
        cost: Some(FAST),
        ..ROW
    },
    Row {
        name: "overload is tried again first",
        fast: &[Status(503, "overloaded")],
        attempts: UNAVAILABLE,
        ..ROW
    },
    Row {
        name: "overload that passes stays with the first",
        fast: &[Status(503, "overloaded"), NO],
        strong: &[],
        word: "no",
        attempts: "fast:unavailable fast",
        cost: Some(FAST),
        ..ROW
    },
    Row { name: "nobody is there", fast: &[Down], attempts: UNAVAILABLE, ..ROW },
    Row {
        name: "one attempt",
        entries: "attempts = 1",
        fast: &[Down],
        attempts: "fast:unavailable strong",
        ..ROW
    },
    Row {
        name: "a long wait is asked for",
        fast: &[Wait(429, "60")],
        attempts: "fast:rate_limited strong",
        ..ROW
    },
    Row {
        name: "a short wait is asked for each time",
        fast: &[Wait(429, "2")],
        attempts: "fast:rate_limited fast:rate_limited fast:rate_limited strong",
        ..ROW
    },
    Row {
        name: "a wrong key",
        fast: &[Status(401, "invalid_api_key")],
        attempts: "fast:denied strong",
        ..ROW
    },
    Row {
        name: "a used-up account",
        fast: &[Status(429, "insufficient_quota")],
        attempts: "fast:denied strong",
        ..ROW
    },
    Row { name: "a redirect", fast: &[Status(302, "")], attempts: "fast:denied strong", ..ROW },
    Row {
        name: "an answer that is no stream",
        fast: &[Body("{\"choices\": [{\"message\": {\"content\": \"x\"}}]}")],
        attempts: "fast:denied strong",
        cost: None,
        ..ROW
    },
    Row { name: "a page", fast: &[Body("<html>busy</html>")], attempts: UNAVAILABLE, cost: None, ..ROW },
    Row {
        name: "an error in the stream",
        fast: &[Body("data: {\"error\": {\"message\": \"busy\", \"type\": \"overloaded_error\"}}\n\n")],
        attempts: UNAVAILABLE,
        cost: None,
        ..ROW
    },
    Row {
        name: "silence",
        entries: "silence = \"10s\"",
        fast: &[Silent],
        attempts: UNAVAILABLE,
        cost: None,
        ..ROW
    },
    Row {
        name: "too long a prompt stays an error",
        fast: &[Status(400, "context_length_exceeded")],
        strong: &[],
        word: "context_limit",
        attempts: "fast:context_limit",
        cost: Some(0),
        ..ROW
    },
    Row {
        name: "too long a prompt goes on where the list says so",
        list: CONTEXT,
        fast: &[Status(400, "context_length_exceeded")],
        attempts: "fast:context_limit strong",
        ..ROW
    },
    Row {
        name: "an answer of another type stays an error, and is billed",
        fast: &[WRONG],
        strong: &[],
        word: "invalid_output",
        attempts: "fast",
        cost: Some(FAST),
        ..ROW
    },
    Row {
        name: "an answer of another type goes on where the list says so, and both are billed",
        list: INVALID,
        fast: &[WRONG],
        attempts: "fast:invalid_output strong",
        cost: Some(FAST + STRONG),
        ..ROW
    },
    Row {
        name: "an answer of another type, of the last entry",
        list: INVALID,
        fast: &[WRONG],
        strong: &[WRONG],
        word: "invalid_output",
        attempts: "fast:invalid_output strong",
        cost: Some(FAST + STRONG),
        ..ROW
    },
    Row {
        name: "an answer cut off by its length",
        list: INVALID,
        fast: &[Ends("{\"word\": \"a", "length")],
        attempts: "fast:invalid_output strong",
        cost: Some(FAST + STRONG),
        ..ROW
    },
    Row {
        name: "a refusal",
        list: INVALID,
        fast: &[Ends("", "content_filter")],
        attempts: "fast:invalid_output strong",
        cost: Some(FAST + STRONG),
        ..ROW
    },
    Row {
        name: "a refusal where the list does not go on",
        list: CONTEXT,
        fast: &[Ends("", "content_filter")],
        strong: &[],
        word: "invalid_output",
        attempts: "fast:invalid_output",
        cost: Some(FAST),
        ..ROW
    },
    Row {
        name: "a reply that breaks off unseen is not tried again, but by the next entry",
        fast: &[Cut("{\"word\": \"ma")],
        attempts: "fast:unavailable strong",
        cost: None,
        ..ROW
    },
    Row {
        name: "a reply that breaks off while somebody watches",
        stream: true,
        fast: &[Cut("{\"word\": \"ma")],
        strong: &[],
        word: "unavailable",
        attempts: "fast:unavailable",
        cost: None,
        ..ROW
    },
    Row {
        name: "a failure before anything was seen",
        stream: true,
        fast: &[Down],
        attempts: UNAVAILABLE,
        ..ROW
    },
    Row {
        name: "an answer of another type that somebody saw",
        list: INVALID,
        stream: true,
        fast: &[WRONG],
        strong: &[],
        word: "invalid_output",
        attempts: "fast",
        cost: Some(FAST),
        ..ROW
    },
    Row {
        name: "an answer cut off by its length that somebody saw",
        list: INVALID,
        stream: true,
        fast: &[Ends("{\"word\": \"a", "length")],
        strong: &[],
        word: "invalid_output",
        attempts: "fast:invalid_output",
        cost: Some(FAST),
        ..ROW
    },
    Row {
        name: "a break in the reply of the second entry while somebody watches",
        stream: true,
        fast: &[Status(401, "invalid_api_key")],
        strong: &[Cut("{\"word\": \"ma")],
        word: "unavailable",
        attempts: "fast:denied strong:unavailable",
        cost: None,
        ..ROW
    },
    Row {
        name: "all fail, and the last one says how",
        entries: "attempts = 1",
        fast: &[Down],
        strong: &[Wait(429, "60")],
        word: "rate_limited",
        attempts: "fast:unavailable strong:rate_limited",
        cost: Some(0),
        ..ROW
    },
    Row {
        name: "a slow answer is an answer",
        fast: &[SaysAfter(250, "{\"word\": \"slow\"}")],
        strong: &[],
        word: "slow",
        attempts: "fast",
        cost: Some(FAST),
        ..ROW
    },
];

#[tokio::test(start_paused = true)]
async fn each_fault_of_the_first_entry_has_its_way() {
    for row in ROWS {
        let config = format!(
            "[models.decider]\nuse = [\"fast\", \"strong\"]\n{}\n{}{}",
            row.list,
            entry("fast", 1, row.entries),
            entry("strong", 10, row.entries)
        );
        let graph = GRAPH.replace("STREAM", if row.stream { "stream: word" } else { "cache: false" });
        let plans: Vec<_> = [("fast", row.fast), ("strong", row.strong)]
            .into_iter()
            .filter(|plan| !plan.1.is_empty())
            .collect();
        let (wire, ears) = (Wire::new(&plans), Arc::default());
        let (driver, store) = driver(&graph, live(&config, &wire, &ears, &Paces::default()));
        let mut run =
            driver.start(Start { run: "a".into(), ..Start::default() }).await.expect("the run begins");
        let finished = run.drive().await.unwrap_or_else(|error| panic!("{}: {error}", row.name));
        let Finished::Done(done) = finished else { panic!("{}: {finished:?}", row.name) };
        let word = done.output.as_map().and_then(|output| output.get("word")).and_then(Value::as_str);
        assert_eq!(word, Some(row.word), "{}: {done:?}", row.name);
        assert_eq!(attempts(&store, "a").await, row.attempts, "{}", row.name);
        let entries: Vec<_> =
            row.attempts.split(' ').filter_map(|attempt| attempt.split(':').next()).collect();
        assert_eq!(wire.sent(), entries, "{}: each attempt is one request", row.name);
        // The budgets are billed what all attempts cost together.
        let outcomes = outcomes(&store, "a").await;
        let sum =
            |cost: fn(&Outcome) -> u64| i64::try_from(outcomes.iter().map(cost).sum::<u64>()).expect("few");
        let root = &run.snapshot().root().expect("the root is there").frame;
        let used = [0, 1].map(|budget| root.counters[budget].used);
        let tokens = sum(|outcome| outcome.usage().input_tokens + outcome.usage().output_tokens);
        assert_eq!(used, [tokens, sum(|outcome| outcome.usage().cost)], "{}", row.name);
        assert!(row.cost.is_none_or(|cost| cost == used[1]), "{}: {used:?}", row.name);
        let by_attempt = sum(|outcome| outcome.attempts().iter().map(|attempt| attempt.usage.cost).sum());
        assert_eq!(by_attempt, used[1], "{}", row.name);
        heard(row, &ears);
    }
}

/// Somebody who watches hears the pieces of one entry alone.
fn heard(row: &Row, ears: &Ears) {
    let heard = ears.heard();
    assert!(row.stream || heard.is_empty(), "{}: {heard}", row.name);
    assert!(heard.matches("word").count() <= 1, "{}: {heard}", row.name);
}
