//! Reasoning: how each provider is asked for it, and what it has signed goes back to it as it came.

use std::sync::Arc;

use loopwright::config::Config;
use loopwright::drive::{Driver, Finished, SystemClock};
use loopwright::llm::Live;
use loopwright::machine::Start;
use loopwright::source::FileId;
use loopwright::store::Memory;
use loopwright::tool::Tools;
use loopwright::value::{List, Value};
use serde_json::{Value as Json, json};

use super::world::{Sequence, World};
use crate::played::compiled;

#[test]
fn every_provider_is_asked_in_its_own_way() {
    let adaptive = json!({"thinking": {"type": "adaptive"}, "output_config": {"effort": "high"}});
    let rows = [
        ("openai", "\"low\"", json!({"reasoning_effort": "low"})),
        ("openai", "\"medium\"", json!({"reasoning_effort": "medium"})),
        ("ollama", "\"high\"", json!({"think": "high"})),
        ("anthropic", "\"high\"", adaptive),
        ("anthropic", "1024", json!({"thinking": {"type": "enabled", "budget_tokens": 1024}})),
        (
            "gemini",
            "\"low\"",
            json!({"generationConfig": {"thinkingConfig": {"thinkingLevel": "low", "includeThoughts": true}}}),
        ),
        (
            "gemini",
            "512",
            json!({"generationConfig": {"thinkingConfig": {"thinkingBudget": 512, "includeThoughts": true}}}),
        ),
    ];
    for (provider, reasoning, wanted) in rows {
        let body = |more: &str| -> Json {
            let sent = World::new(provider, more).sent(Value::Null);
            serde_json::from_slice(&sent.body).expect("a body is JSON")
        };
        let (plain, mut asked) = (body(""), body(&format!("reasoning = {reasoning}")));
        let of = |body: &mut Json| {
            let wanted = wanted.as_object().expect("a map").keys();
            wanted.filter_map(|key| Some((key.clone(), body.as_object_mut()?.remove(key)?))).collect::<Json>()
        };
        assert_eq!(of(&mut asked), wanted, "{provider} {reasoning}");
        let mut rest = plain;
        of(&mut rest);
        assert_eq!(asked, rest, "{provider} {reasoning}: nothing else changes");
    }
}

/// An answer with a type is asked for beside an effort.
#[test]
fn an_effort_stands_beside_the_form_of_an_answer() {
    let schema =
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false});
    let sent = World::new("anthropic", "reasoning = \"low\"").sent(Value::from_json(&schema));
    let body: Json = serde_json::from_slice(&sent.body).expect("a body is JSON");
    assert_eq!(body["output_config"]["effort"], "low");
    assert_eq!(body["output_config"]["format"]["schema"], schema);
}

/// The reply of Anthropic with these blocks, each in one piece.
fn anthropic(blocks: &[Json]) -> Vec<u8> {
    let mut events = vec![json!({"type": "message_start", "message": {"model": "m-1"}})];
    for (index, block) in blocks.iter().enumerate() {
        let (mut start, mut deltas) = (block.clone(), Vec::new());
        match block["type"].as_str().expect("a type") {
            "thinking" => {
                (start["thinking"], start["signature"]) = ("".into(), "".into());
                deltas.push(json!({"type": "thinking_delta", "thinking": block["thinking"]}));
                deltas.push(json!({"type": "signature_delta", "signature": block["signature"]}));
            }
            "text" => {
                start["text"] = "".into();
                deltas.push(json!({"type": "text_delta", "text": block["text"]}));
            }
            "tool_use" => {
                start["input"] = json!({});
                deltas.push(json!({"type": "input_json_delta", "partial_json": block["input"].to_string()}));
            }
            _ => {}
        }
        events.push(json!({"type": "content_block_start", "index": index, "content_block": start}));
        events.extend(
            deltas
                .into_iter()
                .map(|delta| json!({"type": "content_block_delta", "index": index, "delta": delta})),
        );
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    let calls = blocks.iter().any(|block| block["type"] == "tool_use");
    let why = if calls { "tool_use" } else { "end_turn" };
    events.push(json!({"type": "message_delta", "delta": {"stop_reason": why}}));
    events.push(json!({"type": "message_stop"}));
    events.iter().map(|event| format!("data: {event}\n\n")).collect::<Vec<_>>().concat().into_bytes()
}

/// The reply of Gemini with these parts, each in a chunk of its own.
fn gemini(parts: &[Json]) -> Vec<u8> {
    let chunk = |part: &Json| json!({"candidates": [{"content": {"role": "model", "parts": [part]}}]});
    let end = json!({"candidates": [{"content": {"parts": []}, "finishReason": "STOP"}]});
    let chunks = parts.iter().map(chunk).chain([end]);
    chunks.map(|chunk| format!("data: {chunk}\r\n\r\n")).collect::<Vec<_>>().concat().into_bytes()
}

fn thinking(text: &str, signature: &str) -> Json {
    json!({"type": "thinking", "thinking": text, "signature": signature})
}

/// Turns of Anthropic with calls.
fn turns_of_anthropic() -> Vec<Vec<Json>> {
    let text = |text: &str| json!({"type": "text", "text": text});
    let call = |id: &str, n: i64| json!({"type": "tool_use", "id": id, "name": "search", "input": {"n": n}});
    vec![
        vec![thinking("Bees, then. ü", "c2ln/+=="), text("Let me see."), call("c1", 1)],
        vec![thinking("", "hidden-text"), call("c2", 1)],
        vec![json!({"type": "redacted_thinking", "data": "b3BhcXVl"}), call("c3", 1), call("c4", 2)],
        vec![
            thinking("One.", "s1"),
            text("A ü."),
            thinking("Two.", "s2"),
            call("c5", 1),
            thinking("Three.", "s3"),
            call("c6", 2),
        ],
    ]
}

/// Turns of Gemini with calls; of parallel ones the first is signed.
fn turns_of_gemini() -> Vec<Vec<Json>> {
    let call = |n: i64| json!({"functionCall": {"name": "search", "args": {"n": n}}});
    let signed = |mut part: Json, signature: &str| {
        part["thoughtSignature"] = signature.into();
        part
    };
    vec![
        vec![signed(call(1), "AbC+/==")],
        vec![json!({"text": "Let me see."}), signed(call(1), "s1"), call(2)],
        vec![json!({"text": "A ü."}), signed(json!({"text": " B."}), "s2"), signed(call(1), "s3")],
        vec![call(1), signed(json!({"text": ""}), "s4")],
    ]
}

const GRAPH: &str = "
graph: chat
state: {messages: 'list<Message> = []', reply: Reply?}
budgets: {turns: 9}
start: open
nodes:
  open: {do: \"messages += Message{from: 'user', text: 'Bees?'}\", next: [{to: ask}]}
  ask:
    kind: model
    role: m
    messages: messages
    offer: [search]
    into: reply
    then: messages += reply.message
    next:
      - {to: work, when: size(reply.tool_calls) > 0}
      - {to: end}
      - {to: failed, on: error}
  work:
    do: |
      for call in reply.tool_calls { messages += Message{from: 'tool', tool_call: call.id, name: call.tool, text: '3 hits'} }
      spend turns
    next: [{to: ask}, {to: failed, on: exhausted(turns)}]
  end: {kind: final}
  failed: {kind: final, ok: false}
output: {text: \"reply == null ? '' : reply.text\", reasoning: \"reply == null ? null : reply.reasoning\"}
";

/// The requests of a run whose provider gives these replies, and the reasoning of the last one.
async fn sent_in_run(provider: &str, replies: Vec<Vec<u8>>) -> (Vec<Json>, Value) {
    let wire = Sequence::new(replies);
    let text = format!("[models.m]\nprovider = \"{provider}\"\nmodel = \"a-model\"\nattempts = 1\n");
    let config = Config::read(&text, FileId(0)).unwrap_or_else(|faults| panic!("{faults:?}"));
    let live = Live::new(wire.clone(), Arc::new(SystemClock::new())).bind(config.models[0].clone(), None);
    let schema = json!({"type": "object"});
    let tools = Tools::new().closure("search", &schema, |_| async { Ok(Value::from("3 hits")) });
    let driver = Driver::new(compiled(&[("chat.yaml", GRAPH)])).model(Arc::new(live)).tools(Arc::new(tools));
    let driver = driver.store(Arc::new(Memory::new())).rebuilding(true);
    let mut run = driver.start(Start { run: "a".into(), ..Start::default() }).await.expect("the run begins");
    let finished = run.drive().await.expect("it is driven");
    let Finished::Done(done) = finished else { panic!("{finished:?}") };
    assert_eq!(done.outcome, "end", "{done:?}");
    let reasoning = done.output.as_map().and_then(|output| output.get("reasoning")).cloned();
    (wire.sent(), reasoning.unwrap_or_default())
}

#[tokio::test]
async fn what_anthropic_signed_goes_back_with_the_results() {
    let turns = turns_of_anthropic();
    let mut replies: Vec<_> = turns.iter().map(|turn| anthropic(turn)).collect();
    replies.push(anthropic(&[thinking("Done.", "s9"), json!({"type": "text", "text": "They buzz."})]));
    let (sent, reasoning) = sent_in_run("anthropic", replies).await;
    assert_eq!(reasoning, Value::from("Done."), "the graph may read the reasoning of a reply");
    for (round, turn) in turns.iter().enumerate() {
        let messages = sent[round + 1]["messages"].as_array().expect("messages");
        assert_eq!(messages[messages.len() - 2]["content"], json!(turn), "turn {round}");
        let before = sent[round]["messages"].as_array().expect("messages");
        assert_eq!(messages[..before.len()], before[..], "what was sent stays as it was");
    }
}

#[tokio::test]
async fn what_gemini_signed_goes_back_with_the_results() {
    let turns = turns_of_gemini();
    let mut replies: Vec<_> = turns.iter().map(|turn| gemini(turn)).collect();
    replies.push(gemini(&[json!({"text": "Buzz.", "thought": true}), json!({"text": "They buzz."})]));
    let (sent, reasoning) = sent_in_run("gemini", replies).await;
    assert_eq!(reasoning, Value::from("Buzz."));
    for (round, turn) in turns.iter().enumerate() {
        let messages = sent[round + 1]["contents"].as_array().expect("messages");
        assert_eq!(messages[messages.len() - 2]["parts"], json!(turn), "turn {round}");
        let before = sent[round]["contents"].as_array().expect("messages");
        assert_eq!(messages[..before.len()], before[..], "what was sent stays as it was");
    }
}

/// The content of the assistant's message that is sent for one with these fields.
fn content(provider: &str, message: &Json) -> Json {
    let Value::List(messages) = Value::from_json(&json!([{"from": "user", "text": "?"}, message])) else {
        panic!("a list")
    };
    let sent = World::new(provider, "").sent_for(&messages, &List::from_iter([Value::from("search")]));
    let body: Json = serde_json::from_slice(&sent.body).expect("a body is JSON");
    let list = body.get("messages").or_else(|| body.get("contents")).expect("messages");
    let newest = list.as_array().expect("a list").last().expect("a message");
    newest.get("content").or_else(|| newest.get("parts")).expect("a content").clone()
}

#[test]
fn what_was_signed_for_somebody_else_or_is_no_more_as_it_was_stays_here() {
    let signed = |by: &str, parts: Json| json!({"by": by, "parts": parts}).to_string();
    let own = json!([{"reasoning": "Hm.", "signature": "s1"}, {"text": 4}]);
    let good = signed("anthropic a-model", own.clone());
    let message = |text: &str, signed: &str| json!({"from": "assistant", "text": text, "signed": signed});
    let plain = content("anthropic", &json!({"from": "assistant", "text": "Yes."}));
    let with = content("anthropic", &message("Yes.", &good));
    assert_eq!(with[0], thinking("Hm.", "s1"));
    assert_eq!(with[1], plain[0]);
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let nonsense = [
        signed("anthropic another-model", own.clone()),
        signed("gemini a-model", own),
        signed("anthropic a-model", json!([{"reasoning": "Hm.", "signature": "s1"}, {"text": 3}])),
        signed("anthropic a-model", json!([{"text": u64::MAX}])),
        signed("anthropic a-model", json!([{"reasoning": "Hm."}, {"text": 4}, {"call": true}])),
        signed("anthropic a-model", json!([{"other": 1}])),
        signed("anthropic a-model", json!(7)),
        "no JSON".to_owned(),
        "{}".to_owned(),
        deep,
    ];
    for text in nonsense {
        assert_eq!(content("anthropic", &message("Yes.", &text)), plain, "{}", &text[..text.len().min(80)]);
    }
    let changed = content("anthropic", &message("Yes!!", &good));
    assert_eq!(changed, json!([{"type": "text", "text": "Yes!!"}]));
    let cut = signed("anthropic a-model", json!([{"text": 1}, {"text": 1}]));
    assert_eq!(content("anthropic", &message("ü", &cut)), json!([{"type": "text", "text": "ü"}]));
    for provider in ["openai", "ollama"] {
        let plain = content(provider, &json!({"from": "assistant", "text": "Yes."}));
        assert_eq!(content(provider, &message("Yes.", &good)), plain, "{provider}");
    }
}
