//! Tokens of each kind, as each provider counts them, and what they cost. All costs are computed by hand.

use loopwright::machine::{Outcome, Usage};
use serde_json::{Value as Json, json};

use super::world::{Reply, World};

/// 3000, 300, 3750, 15000 and 12000 billionths of a dollar for a token.
const PRICES: &str = "price = {input = \"$3\", cached = \"$0.30\", cache_write = \"$3.75\", output = \"$15\", reasoning = \"$12\"}";

struct Row {
    name: &'static str,
    reply: String,
    provider: &'static str,
    /// Read, of it out of the cache, of it put there; written, of it reasoning.
    tokens: [u64; 5],
    cost: u64,
}

fn events(all: &[Json]) -> String {
    all.iter().map(|event| format!("data: {event}\n\n")).collect::<Vec<_>>().concat()
}

fn openai(name: &'static str, usage: &Json, more: &Json, tokens: [u64; 5], cost: u64) -> Row {
    let mut last = json!({"choices": [], "usage": usage});
    last.as_object_mut().expect("a map").extend(more.as_object().cloned().unwrap_or_default());
    let choice = json!({"choices": [{"delta": {"content": "Yes."}, "finish_reason": "stop"}]});
    let reply = events(&[choice, last]) + "data: [DONE]\n\n";
    Row { name, reply, provider: "openai", tokens, cost }
}

fn anthropic(name: &'static str, start: &Json, end: &Json, tokens: [u64; 5], cost: u64) -> Row {
    let reply = events(&[
        json!({"type": "message_start", "message": {"model": "m", "usage": start}}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "Yes."}}),
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": end}),
        json!({"type": "message_stop"}),
    ]);
    Row { name, reply, provider: "anthropic", tokens, cost }
}

fn gemini(name: &'static str, usage: &Json, tokens: [u64; 5], cost: u64) -> Row {
    let candidate = json!({"content": {"parts": [{"text": "Yes."}]}, "finishReason": "STOP"});
    let reply = events(&[json!({"candidates": [candidate], "usageMetadata": usage})]);
    Row { name, reply, provider: "gemini", tokens, cost }
}

fn rows() -> Vec<Row> {
    let none = json!({});
    let ollama =
        json!({"message": {"content": "Yes."}, "done": true, "prompt_eval_count": 1000, "eval_count": 200});
    vec![
        openai(
            "tokens without kinds",
            &json!({"prompt_tokens": 1000, "completion_tokens": 200}),
            &none,
            [1000, 0, 0, 200, 0],
            3_000_000 + 3_000_000,
        ),
        openai(
            "cached tokens and reasoning",
            &json!({
                "prompt_tokens": 1000, "prompt_tokens_details": {"cached_tokens": 600},
                "completion_tokens": 200, "completion_tokens_details": {"reasoning_tokens": 150},
            }),
            &none,
            [1000, 600, 0, 200, 150],
            1_200_000 + 180_000 + 750_000 + 1_800_000,
        ),
        openai(
            "tokens put into the cache",
            &json!({
                "prompt_tokens": 1000, "prompt_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 400},
                "completion_tokens": 200,
            }),
            &none,
            [1000, 0, 400, 200, 0],
            1_800_000 + 1_500_000 + 3_000_000,
        ),
        openai(
            "a field of its own for hits of the cache",
            &json!({"prompt_tokens": 1000, "prompt_cache_hit_tokens": 900, "completion_tokens": 200}),
            &none,
            [1000, 900, 0, 200, 0],
            300_000 + 270_000 + 3_000_000,
        ),
        openai(
            "the timings of llama.cpp",
            &json!({"prompt_tokens": 1000, "completion_tokens": 200}),
            &json!({"timings": {"cache_n": 1000, "prompt_n": 0, "predicted_n": 200}}),
            [1000, 1000, 0, 200, 0],
            300_000 + 3_000_000,
        ),
        openai(
            "kinds larger than the whole",
            &json!({
                "prompt_tokens": 1000, "prompt_tokens_details": {"cached_tokens": 5000, "cache_write_tokens": 9},
                "completion_tokens": 200, "completion_tokens_details": {"reasoning_tokens": 900},
            }),
            &none,
            [1000, 1000, 0, 200, 200],
            300_000 + 2_400_000,
        ),
        anthropic(
            "tokens without kinds",
            &json!({"input_tokens": 1000, "output_tokens": 1}),
            &json!({"output_tokens": 200}),
            [1000, 0, 0, 200, 0],
            3_000_000 + 3_000_000,
        ),
        anthropic(
            "all kinds",
            &json!({
                "input_tokens": 100, "cache_read_input_tokens": 800, "cache_creation_input_tokens": 100,
                "output_tokens": 1,
            }),
            &json!({"output_tokens": 200, "output_tokens_details": {"thinking_tokens": 120}}),
            [1000, 800, 100, 200, 120],
            300_000 + 240_000 + 375_000 + 1_200_000 + 1_440_000,
        ),
        gemini(
            "cached tokens and reasoning",
            &json!({
                "promptTokenCount": 1000, "cachedContentTokenCount": 250,
                "candidatesTokenCount": 50, "thoughtsTokenCount": 150, "totalTokenCount": 1200,
            }),
            [1000, 250, 0, 200, 150],
            2_250_000 + 75_000 + 750_000 + 1_800_000,
        ),
        Row {
            name: "tokens without kinds",
            reply: format!("{ollama}\n"),
            provider: "ollama",
            tokens: [1000, 0, 0, 200, 0],
            cost: 3_000_000 + 3_000_000,
        },
    ]
}

#[test]
fn tokens_of_each_kind_are_read_and_paid_for() {
    for row in rows() {
        let outcome = World::new(row.provider, PRICES).ask(Reply::of(row.reply.as_bytes()));
        let Outcome::Answer { usage, .. } = &outcome else { panic!("{}: {outcome:?}", row.name) };
        let found = [
            usage.input_tokens,
            usage.cached_tokens,
            usage.cache_write_tokens,
            usage.output_tokens,
            usage.reasoning_tokens,
        ];
        assert_eq!((found, usage.cost), (row.tokens, row.cost), "{}: {}", row.provider, row.name);
    }
}

#[test]
fn kinds_cost_what_the_others_do_where_no_price_is_given() {
    for row in rows() {
        let world = World::new(row.provider, "price = {input = \"$3\", output = \"$15\"}");
        let outcome = world.ask(Reply::of(row.reply.as_bytes()));
        assert_eq!(outcome.usage().cost, 6_000_000, "{}: {}", row.provider, row.name);
    }
}

#[test]
fn a_record_without_kinds_is_read_and_written_as_before() {
    let before = r#"{"input_tokens":12,"output_tokens":3,"cost":7}"#;
    let usage: Usage = serde_json::from_str(before).expect("a record of an earlier version");
    assert_eq!(usage, Usage { input_tokens: 12, output_tokens: 3, cost: 7, ..Usage::default() });
    assert_eq!(serde_json::to_string(&usage).expect("it is JSON"), before);
    let kinds = Usage { cached_tokens: 8, cache_write_tokens: 2, reasoning_tokens: 1, ..usage };
    let text = serde_json::to_string(&kinds).expect("it is JSON");
    assert_eq!(serde_json::from_str::<Usage>(&text).expect("it is read again"), kinds);
}
