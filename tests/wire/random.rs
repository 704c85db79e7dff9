//! Whatever comes over the wire: an outcome each time, and no panic.

use std::collections::HashMap;

use loopwright::machine::Outcome;
use serde_json::{Map, Value as Json, json};

use super::world::{End, PROVIDERS, Reply, World, fixtures};
use crate::dice::Dice;

const KINDS: [&str; 5] = ["unavailable", "rate_limited", "context_limit", "denied", "invalid_output"];

fn judge(outcome: &Outcome, reply: &Reply) {
    let good = match outcome {
        Outcome::Answer { value, .. } => value.as_str().is_some(),
        Outcome::Failed { kind, message, .. } => KINDS.contains(&kind.as_str()) && message.len() < 4_000,
        Outcome::Unknown { .. } => false,
    };
    assert!(good, "{outcome:?} of {reply:?}");
}

fn each(times: usize, seed: u64, make: impl Fn(&mut Dice, &str) -> Vec<u8>) {
    for provider in PROVIDERS {
        let world = World::new(provider, "max_reply = 4096");
        let mut dice = Dice::new(seed);
        for _ in 0..times {
            let bytes = make(&mut dice, provider);
            let status = [200, 200, 200, 400, 429, 500][dice.below(6)];
            let end = [End::Whole, End::Broken][dice.below(2)];
            let reply = Reply { status, end, ..Reply::in_pieces(&bytes, 1 + dice.below(400)) };
            judge(&world.ask(reply.clone()), &reply);
        }
    }
}

#[test]
fn any_bytes_have_an_outcome() {
    each(1_000, 1, |dice, _| {
        let length = dice.below(300);
        (0..length).map(|_| u8::try_from(dice.below(256)).expect("a byte")).collect()
    });
}

#[test]
fn any_objects_have_an_outcome() {
    each(1_000, 2, |dice, provider| {
        let frames = 1 + dice.below(6);
        let frames = (0..frames).map(|_| {
            let object = any(dice, 6);
            if provider == "ollama" { format!("{object}\n") } else { format!("data: {object}\n\n") }
        });
        frames.collect::<String>().into_bytes()
    });
}

/// JSON of the words that providers use, at any place.
fn any(dice: &mut Dice, depth: usize) -> Json {
    const KEYS: [&str; 30] = [
        "type",
        "message",
        "usage",
        "input_tokens",
        "output_tokens",
        "delta",
        "text",
        "content",
        "stop_reason",
        "error",
        "code",
        "status",
        "choices",
        "finish_reason",
        "refusal",
        "tool_calls",
        "candidates",
        "parts",
        "finishReason",
        "promptFeedback",
        "blockReason",
        "usageMetadata",
        "promptTokenCount",
        "done",
        "done_reason",
        "eval_count",
        "details",
        "retryDelay",
        "content_block",
        "model",
    ];
    let leaves = [
        json!(null),
        json!(true),
        json!(-1),
        json!(18_446_744_073_709_551_615_u64),
        json!(1e300),
        json!(""),
        json!("text"),
        json!("stop"),
        json!("STOP"),
        json!("end_turn"),
        json!("message_delta"),
        json!("text_delta"),
        json!("content_block_delta"),
        json!("message_stop"),
        json!("error"),
        json!("99999999999999999999s"),
        json!(429),
        json!("ü"),
    ];
    match dice.below(if depth == 0 { 1 } else { 4 }) {
        0 if depth < 6 => dice.of(&leaves),
        1 => {
            let items = dice.below(3);
            (0..items).map(|_| any(dice, depth - 1)).collect()
        }
        _ => {
            let fields = dice.below(5);
            let fields = (0..fields).map(|_| (KEYS[dice.below(KEYS.len())].to_owned(), any(dice, depth - 1)));
            Json::Object(fields.collect::<Map<_, _>>())
        }
    }
}

#[test]
fn any_edit_of_a_reply_has_an_outcome() {
    let all: HashMap<&str, Vec<(String, Vec<u8>)>> =
        PROVIDERS.into_iter().map(|provider| (provider, fixtures(provider))).collect();
    each(1_500, 3, |dice, provider| {
        let all = &all[provider];
        let mut bytes = all[dice.below(all.len())].1.clone();
        for _ in 0..=dice.below(4) {
            edit(dice, &mut bytes);
        }
        bytes
    });
}

fn edit(dice: &mut Dice, bytes: &mut Vec<u8>) {
    if bytes.is_empty() {
        return;
    }
    let from = dice.below(bytes.len());
    let to = from + dice.below(bytes.len() - from).min(40);
    match dice.below(5) {
        0 => bytes[from] = u8::try_from(dice.below(256)).expect("a byte"),
        1 => drop(bytes.drain(from..to)),
        2 => {
            let again = bytes[from..to].to_vec();
            drop(bytes.splice(from..from, again));
        }
        3 => bytes[from..to].reverse(),
        _ => {
            let word =
                [&b"null"[..], b"\"", b"{", b"}", b"\n\n", b"data: ", b"error: ", b"[DONE]"][dice.below(8)];
            drop(bytes.splice(from..to, word.iter().copied()));
        }
    }
}
