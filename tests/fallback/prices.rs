//! A budget in dollars sees what tokens of each kind really cost: it stops a run within one call of its limit.

use std::sync::Arc;

use loopwright::drive::Finished;
use loopwright::llm::Paces;
use loopwright::machine::Start;
use loopwright::value::Value;

use super::world::{Ears, Step, Wire, driver, live};

const GRAPH: &str = "
graph: spends
state: {word: string?}
budgets: {paid: {limit: LIMIT, unit: usd, charge: model.cost}, rounds: 99}
start: ask
nodes:
  ask:
    kind: model
    role: m
    prompt: '''Go on.'''
    output: string
    into: word
    next:
      - {to: ask, do: spend rounds}
      - {to: end, on: exhausted(paid)}
      - {to: failed, on: [error, exhausted(rounds)]}
  end: {kind: final}
  failed: {kind: final, ok: false}
output: {paid: used(paid)}
";

/// 1,000 tokens read, 900 of them out of the cache, and 100 written, 80 of them reasoning.
const CACHED: &str = "data: {\"choices\": [{\"delta\": {\"content\": \"\\\"yes\\\"\"}, \"finish_reason\": \"stop\"}]}\n\n\
    data: {\"choices\": [], \"usage\": {\"prompt_tokens\": 1000, \"prompt_tokens_details\": {\"cached_tokens\": 900}, \
    \"completion_tokens\": 100, \"completion_tokens_details\": {\"reasoning_tokens\": 80}}}\n\ndata: [DONE]\n\n";

struct Row {
    price: &'static str,
    limit: &'static str,
    /// The cost of one call, in billionths of a dollar.
    cost: i64,
    calls: usize,
}

const ROWS: &[Row] = &[
    // 1000 * 1000 + 100 * 2000
    Row { price: "input = \"$1\", output = \"$2\"", limit: "0.006", cost: 1_200_000, calls: 5 },
    // 100 * 1000 + 900 * 100 + 100 * 2000
    Row {
        price: "input = \"$1\", cached = \"$0.1\", output = \"$2\"",
        limit: "0.006",
        cost: 390_000,
        calls: 16,
    },
    // 100 * 1000 + 900 * 100 + 20 * 2000 + 80 * 500
    Row {
        price: "input = \"$1\", cached = \"$0.1\", output = \"$2\", reasoning = \"$0.5\"",
        limit: "0.006",
        cost: 270_000,
        calls: 23,
    },
    // 100 * 1000 + 20 * 2000 + 80 * 5000: what is in the cache costs nothing.
    Row {
        price: "input = \"$1\", cached = \"$0\", output = \"$2\", reasoning = \"$5\"",
        limit: "0.001",
        cost: 540_000,
        calls: 2,
    },
    // The limit is what one call costs.
    Row {
        price: "input = \"$1\", cached = \"$0.1\", output = \"$2\"",
        limit: "0.00039",
        cost: 390_000,
        calls: 1,
    },
];

#[tokio::test]
async fn a_budget_in_dollars_stops_a_run_within_one_call_of_its_limit() {
    for row in ROWS {
        let wire = Wire::new(&[("m", &[Step::Body(CACHED)])]);
        let config = format!(
            "[models.m]\nprovider = \"openai\"\nmodel = \"m-1\"\nbase_url = \"http://m.test/v1\"\nkey = {{env = \"KEY\"}}\nprice = {{{}}}\n",
            row.price
        );
        let live = live(&config, &wire, &Arc::new(Ears::default()), &Paces::default());
        let (driver, _) = driver(&GRAPH.replace("LIMIT", row.limit), live);
        let mut run =
            driver.start(Start { run: "a".into(), ..Start::default() }).await.expect("the run begins");
        let finished = run.drive().await.expect("it is driven");
        let Finished::Done(done) = finished else { panic!("{}: {finished:?}", row.price) };
        assert_eq!(wire.sent().len(), row.calls, "{}", row.price);
        let calls = i64::try_from(row.calls).expect("a few");
        let paid = done.output.as_map().and_then(|output| output.get("paid"));
        assert_eq!(paid, Some(&Value::Usd(calls * row.cost)), "{}", row.price);
    }
}
