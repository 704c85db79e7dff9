//! Replies as providers send them: `tests/golden/models/PROVIDER/NAME.txt` holds the bytes.

use std::fmt::Write as _;

use loopwright::machine::Outcome;
use loopwright::value::{Value, json};

use super::world::{End, PROVIDERS, Reply, World, fixtures};

#[test]
fn replies_are_read() {
    for provider in PROVIDERS {
        let world = World::new(provider, "price = {input = \"$1\", output = \"$2\"}");
        let mut told = String::new();
        for (name, bytes) in fixtures(provider) {
            let _ = writeln!(told, "{name}: {}", shown(&world.ask(Reply::of(&bytes))));
        }
        insta::assert_snapshot!(provider, told);
    }
}

fn shown(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Answer { value, usage } => format!(
            "answer {}\n    {} in, {} out, {} nano-dollars",
            json::canonical(value),
            usage.input_tokens,
            usage.output_tokens,
            usage.cost
        ),
        Outcome::Failed { kind, message, details, usage, retry_after, .. } => {
            let mut text =
                format!("{kind}: {message}\n    {} in, {} out", usage.input_tokens, usage.output_tokens);
            if !details.is_null() {
                let _ = write!(text, ", {}", json::canonical(details));
            }
            if let Some(wait) = retry_after {
                let _ = write!(text, ", wait {} ms", wait / 1_000_000);
            }
            text
        }
        Outcome::Unknown { message } => panic!("a model's call has no unknown end: {message}"),
    }
}

#[test]
fn replies_are_the_same_however_the_bytes_come() {
    for provider in PROVIDERS {
        let world = World::new(provider, "");
        for (name, bytes) in fixtures(provider) {
            let whole = world.ask(Reply::of(&bytes));
            for size in 1..bytes.len() {
                assert_eq!(world.ask(Reply::in_pieces(&bytes, size)), whole, "{provider}/{name} by {size}");
            }
        }
    }
}

#[test]
fn a_question_is_asked_again_only_where_nothing_of_an_answer_was_seen() {
    for provider in PROVIDERS {
        let world = World::patient(provider);
        for (name, bytes) in fixtures(provider) {
            let (outcome, sent) = world.tries(Value::Null, Reply::of(&bytes));
            let again = match &outcome {
                Outcome::Failed { kind, details, .. } => {
                    let text =
                        details.as_map().and_then(|details| details.get("raw")).and_then(Value::as_str);
                    matches!(kind.as_str(), "rate_limited" | "unavailable") && text == Some("")
                }
                _ => false,
            };
            assert_eq!(sent.len(), if again { 3 } else { 1 }, "{provider}/{name}: {outcome:?}");
        }
    }
}

#[test]
fn a_reply_that_is_cut_off_is_no_answer() {
    for provider in PROVIDERS {
        let world = World::new(provider, "");
        for (name, bytes) in fixtures(provider) {
            let whole = world.ask(Reply::of(&bytes));
            for cut in 0..bytes.len() {
                for end in [End::Whole, End::Broken] {
                    let outcome = world.ask(Reply { end, ..Reply::of(&bytes[..cut]) });
                    let Outcome::Answer { value, .. } = &outcome else { continue };
                    let Outcome::Answer { value: wanted, .. } = &whole else {
                        // Text that comes behind the last word shows that it was not the last.
                        assert_eq!(name, "more_after_stop", "{provider} cut at {cut}: {outcome:?}");
                        continue;
                    };
                    assert!(cut >= last_word(&bytes), "{provider}/{name} cut at {cut}: {outcome:?}");
                    assert_eq!(value, wanted, "{provider}/{name} cut at {cut}");
                }
            }
        }
    }
}

/// Where the line that says why the model stopped is at its end.
fn last_word(bytes: &[u8]) -> usize {
    let text = String::from_utf8_lossy(bytes);
    let words = ["\"stop_reason\":\"", "\"finish_reason\":\"", "\"finishReason\": \"", "\"done\":true"];
    let begin = words.iter().filter_map(|word| text.rfind(word)).max().expect("an answer says why it ended");
    text[begin..].find(['\r', '\n']).map_or(bytes.len(), |length| begin + length)
}
