//! Replies in the shape of each provider, made of parts. What is known of the shapes is in their public references.

use std::fmt::Write as _;

use serde_json::{Value as Json, json};

/// A part of a reply.
#[derive(Debug, Clone)]
pub(crate) enum Part {
    Text(String),
    Reasoning(String),
    /// A call; its arguments are the text of what should be a JSON object.
    Call {
        id: String,
        tool: String,
        args: String,
    },
}

/// The bytes of a reply. Nothing where the provider cannot send it: arguments that are no JSON where they are sent as values.
pub(crate) fn encoded(provider: &str, parts: &[Part], end: &str) -> Option<Vec<u8>> {
    let text = match provider {
        "openai" => openai(parts, end),
        "anthropic" => anthropic(parts, end),
        "gemini" => gemini(parts, end)?,
        "ollama" => ollama(parts, end)?,
        other => panic!("no provider {other}"),
    };
    Some(text.into_bytes())
}

/// A text in pieces, as models stream it.
fn pieces(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    chars.chunks((chars.len() / 5).max(3)).map(|piece| piece.iter().collect()).collect()
}

fn openai(parts: &[Part], end: &str) -> String {
    let mut out = String::new();
    let mut say = |delta: &Json, why: &Json| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": why});
        let chunk =
            json!({"id": "x", "object": "chat.completion.chunk", "model": "m-1", "choices": [choice]});
        let _ = write!(out, "data: {chunk}\n\n");
    };
    say(&json!({"role": "assistant", "content": null}), &Json::Null);
    let mut index = 0;
    for part in parts {
        match part {
            Part::Text(text) => {
                for piece in pieces(text) {
                    say(&json!({"content": piece}), &Json::Null);
                }
            }
            Part::Reasoning(text) => say(&json!({"reasoning_content": text}), &Json::Null),
            Part::Call { id, tool, args } => {
                let head = json!({"index": index, "id": id, "type": "function", "function": {"name": tool, "arguments": ""}});
                say(&json!({"tool_calls": [head]}), &Json::Null);
                for piece in pieces(args) {
                    let more = json!({"index": index, "function": {"arguments": piece}});
                    say(&json!({"tool_calls": [more]}), &Json::Null);
                }
                index += 1;
            }
        }
    }
    let why = match end {
        "length" => "length",
        "refused" => "content_filter",
        _ if index > 0 => "tool_calls",
        _ => "stop",
    };
    say(&json!({}), &json!(why));
    let usage = json!({"id": "x", "choices": [], "usage": {"prompt_tokens": 40, "completion_tokens": 7}});
    let _ = write!(out, "data: {usage}\n\ndata: [DONE]\n\n");
    out
}

fn anthropic(parts: &[Part], end: &str) -> String {
    let mut out = String::new();
    let mut say = |event: &Json| {
        let kind = event["type"].as_str().expect("an event has a type");
        let _ = write!(out, "event: {kind}\ndata: {event}\n\n");
    };
    let usage = json!({"input_tokens": 40, "output_tokens": 1});
    say(&json!({"type": "message_start", "message": {"model": "m-1", "content": [], "usage": usage}}));
    for (index, part) in parts.iter().enumerate() {
        let mut block = |block: Json, deltas: Vec<Json>| {
            say(&json!({"type": "content_block_start", "index": index, "content_block": block}));
            for delta in deltas {
                say(&json!({"type": "content_block_delta", "index": index, "delta": delta}));
            }
            say(&json!({"type": "content_block_stop", "index": index}));
        };
        match part {
            Part::Text(text) => {
                let deltas =
                    pieces(text).into_iter().map(|piece| json!({"type": "text_delta", "text": piece}));
                block(json!({"type": "text", "text": ""}), deltas.collect());
            }
            Part::Reasoning(text) => {
                let delta = json!({"type": "thinking_delta", "thinking": text});
                block(json!({"type": "thinking", "thinking": "", "signature": ""}), vec![delta]);
            }
            Part::Call { id, tool, args } => {
                let piece = |piece| json!({"type": "input_json_delta", "partial_json": piece});
                let mut deltas = vec![piece(String::new())];
                deltas.extend(pieces(args).into_iter().map(piece));
                block(json!({"type": "tool_use", "id": id, "name": tool, "input": {}}), deltas);
            }
        }
    }
    let calls = parts.iter().any(|part| matches!(part, Part::Call { .. }));
    let why = match end {
        "length" => "max_tokens",
        "refused" => "refusal",
        _ if calls => "tool_use",
        _ => "end_turn",
    };
    let delta = json!({"stop_reason": why, "stop_sequence": null});
    say(&json!({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 7}}));
    say(&json!({"type": "message_stop"}));
    out
}

fn gemini(parts: &[Part], end: &str) -> Option<String> {
    let mut out = String::new();
    let mut say = |parts: Vec<Json>, why: Option<&str>| {
        let mut candidate = json!({"content": {"parts": parts, "role": "model"}, "index": 0});
        if let Some(why) = why {
            candidate["finishReason"] = why.into();
        }
        let usage = json!({"promptTokenCount": 40, "candidatesTokenCount": 7});
        let chunk = json!({"candidates": [candidate], "usageMetadata": usage, "modelVersion": "m-1"});
        let _ = write!(out, "data: {chunk}\r\n\r\n");
    };
    for part in parts {
        match part {
            Part::Text(text) => {
                for piece in pieces(text) {
                    say(vec![json!({"text": piece})], None);
                }
            }
            Part::Reasoning(text) => say(vec![json!({"text": text, "thought": true})], None),
            Part::Call { id, tool, args } => {
                let args: Json = serde_json::from_str(args).ok()?;
                let mut call = json!({"name": tool, "args": args});
                if !id.is_empty() {
                    call["id"] = id.as_str().into();
                }
                say(vec![json!({"functionCall": call})], None);
            }
        }
    }
    let why = match end {
        "length" => "MAX_TOKENS",
        "refused" => "SAFETY",
        _ => "STOP",
    };
    say(vec![json!({"text": ""})], Some(why));
    Some(out)
}

fn ollama(parts: &[Part], end: &str) -> Option<String> {
    if end == "refused" {
        return None;
    }
    let mut out = String::new();
    let mut say = |message: Json| {
        let line = json!({"model": "m-1", "message": message, "done": false});
        let _ = writeln!(out, "{line}");
    };
    for part in parts {
        match part {
            Part::Text(text) => {
                for piece in pieces(text) {
                    say(json!({"role": "assistant", "content": piece}));
                }
            }
            Part::Reasoning(text) => say(json!({"role": "assistant", "content": "", "thinking": text})),
            Part::Call { id, tool, args } => {
                let args: Json = serde_json::from_str(args).ok()?;
                let mut call = json!({"function": {"name": tool, "arguments": args}});
                if !id.is_empty() {
                    call["id"] = id.as_str().into();
                }
                say(json!({"role": "assistant", "content": "", "tool_calls": [call]}));
            }
        }
    }
    let why = if end == "length" { "length" } else { "stop" };
    let last = json!({
        "model": "m-1", "message": {"role": "assistant", "content": ""}, "done": true, "done_reason": why,
        "prompt_eval_count": 40, "eval_count": 7,
    });
    let _ = writeln!(out, "{last}");
    Some(out)
}
