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
        Outcome::Answer { value, usage, .. } => format!(
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

/// The fixture `answer` with other bytes in the place of some.
fn answer_with(provider: &str, change: impl Fn(&mut Vec<u8>)) -> Vec<u8> {
    let (_, mut bytes) =
        fixtures(provider).into_iter().find(|(name, _)| name == "answer").expect("each answers");
    change(&mut bytes);
    bytes
}

fn position(bytes: &[u8], what: &str) -> usize {
    bytes.windows(what.len()).position(|window| window == what.as_bytes()).expect("it is there")
}

#[test]
fn a_reply_that_is_no_text_is_no_answer() {
    for provider in PROVIDERS {
        let world = World::patient(provider);
        let whole = world.ask(Reply::of(&answer_with(provider, |_| {})));
        let Outcome::Answer { usage: cost, .. } = &whole else { panic!("{whole:?}") };
        // A character that was cut in two, as by a server that sends token by token.
        let cut = answer_with(provider, |bytes| {
            let first = bytes.iter().position(|byte| *byte >= 0x80).expect("it is not all ASCII");
            bytes.remove(first + 1);
        });
        let (outcome, sent) = world.tries(Value::Null, Reply::of(&cut));
        let Outcome::Failed { kind, message, details, usage, .. } = &outcome else {
            panic!("{provider}: {outcome:?}")
        };
        assert_eq!((kind.as_str(), sent.len()), ("invalid_output", 1), "{provider}: {outcome:?}");
        assert!(message.contains("not UTF-8"), "{provider}: {message}");
        let raw = details.as_map().and_then(|details| details.get("raw")).and_then(Value::as_str);
        assert!(raw.is_some_and(|raw| raw.contains('\u{fffd}')), "{provider}: {details:?}");
        assert_eq!((usage.input_tokens, usage.cost), (cost.input_tokens, cost.cost), "{provider}");
        // Bytes that are no part of the answer spoil nothing.
        let beside = answer_with(provider, |bytes| {
            let (before, noise) = if provider == "ollama" {
                ("\"model\":\"", &b"\xff"[..])
            } else {
                ("data:", &b": \xff\n"[..])
            };
            let at = position(bytes, before) + if provider == "ollama" { before.len() } else { 0 };
            bytes.splice(at..at, noise.iter().copied());
        });
        assert_eq!(world.ask(Reply::of(&beside)), whole, "{provider}");
    }
}
