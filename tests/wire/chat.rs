//! The shipped conversation with tools over twenty rounds: what each provider is sent begins with what it was sent before.

use std::fmt::Write as _;
use std::path::Path;

use loopwright::machine::{EventKind, Request};
use loopwright::model::Files;
use loopwright::scenario::Suite;
use loopwright::source::Sources;
use loopwright::value::List;
use serde_json::Value as Json;

use super::world::{PROVIDERS, World};
use crate::rebuilt;

const ROUNDS: usize = 20;

/// A scenario of so many rounds; the number of calls in a round goes from one to three and again.
fn scenario() -> String {
    let mut text = "graph: graphs/chat/agent.loop\nscenarios:\n  - name: long\n    input: {question: How many?, most_rounds: 40, room: 1000000, \
                    offered: [search, read.file]}\n    catalogue: [search, read.file]\n    model:\n      assistant:\n"
        .to_owned();
    let mut tools = String::new();
    for round in 0..ROUNDS {
        let calls: Vec<String> = (0..=round % 3)
            .map(|place| {
                format!("{{id: c{round}_{place}, tool: search, args: {{q: 'find {round}, \"{place}\"'}}}}")
            })
            .collect();
        let words = if round % 2 == 0 { "text: 'I look. Ünd «so»', " } else { "" };
        let _ = writeln!(text, "        - {{{words}tool_calls: [{}]}}", calls.join(", "));
        for place in 0..calls.len() {
            let _ = writeln!(
                tools,
                "      - {{tool: search, lane: 'work#{}[{place}]', ok: 'found {round}'}}",
                round + 1
            );
        }
    }
    text + "        - {text: Many.}\n    tools:\n"
        + &tools.replace("work#1[", "work[")
        + "    expect: {outcome: answered}\n"
}

/// The conversations that the model is asked with, in their order.
fn conversations() -> Vec<(List, List)> {
    let mut files = Files::new().with("long.scenarios.yaml", scenario());
    for name in ["agent.loop", "call.loop", "prompts/rules.md", "prompts/shorten.md"] {
        let path = format!("graphs/chat/{name}");
        let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(&path));
        files = files.with(path, text.unwrap_or_else(|why| panic!("{name}: {why}")));
    }
    let loaded = Suite::load(&mut Sources::new(), &mut files, "long.scenarios.yaml");
    let suite = loaded.suite.unwrap_or_else(|| panic!("{:?}", loaded.findings));
    let report = rebuilt::play_all(&suite).next().expect("a scenario");
    assert!(report.faults.is_empty(), "{:?}", report.faults);
    let asked = report.run.events.iter().filter_map(|event| match &event.kind {
        EventKind::Called(call) => match &call.request {
            Request::Model { messages: Some(messages), offer: Some(offer), .. } => {
                Some((messages.clone(), offer.clone()))
            }
            _ => None,
        },
        _ => None,
    });
    asked.collect()
}

/// The text of the list of messages in a body, without marks of the cache, and all around it.
fn taken_apart(body: &[u8]) -> (String, String) {
    let body = std::str::from_utf8(body).expect("JSON is sent");
    let body = body.replace(r#","cache_control":{"type":"ephemeral"}"#, "");
    let body = body.replace(r#""cache_control":{"type":"ephemeral"},"#, "");
    let name = ["\"messages\":", "\"contents\":"].into_iter().find(|name| body.contains(name));
    let start = body.find(name.expect("a list of messages")).expect("it is there") + "\"messages\":".len();
    let mut list = serde_json::Deserializer::from_str(&body[start..]).into_iter::<Json>();
    list.next().expect("a list").expect("it is JSON");
    let end = start + list.byte_offset();
    (body[start..end].to_owned(), format!("{}{}", &body[..start], &body[end..]))
}

#[test]
fn each_request_of_a_long_conversation_begins_with_the_one_before() {
    let asked = conversations();
    assert_eq!(asked.len(), ROUNDS + 1);
    for provider in PROVIDERS {
        let world = World::new(provider, "");
        let mut before: Option<(String, String)> = None;
        for (messages, offer) in &asked {
            let now = taken_apart(&world.sent_for(messages, offer).body);
            if let Some((list, around)) = before {
                let beginning = list.strip_suffix(']').expect("a list");
                assert!(now.0.starts_with(beginning), "{provider}:\n{list}\n{}", now.0);
                assert!(now.0.len() > list.len(), "{provider}: something was added");
                assert_eq!(now.1, around, "{provider}");
            }
            before = Some(now);
        }
    }
}
