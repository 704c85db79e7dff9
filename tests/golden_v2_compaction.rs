//! The compaction of ReAct v2 against what was recorded of the original.

use serde_json::{Value as Json, json};

use super::golden::{File, same};
use super::played::{World, graph, inputs_of, says};

/// A world in which the model gives summaries.
fn summarised(input: &Json) -> World {
    let world = World::new().inputs(input).model_at("summarise_history", says(&json!("SUM")));
    world.model_at("summarise_prefix", says(&json!("PFX")))
}

/// Which timelines are cut, where, what is asked of the summariser, and what is to be seen afterwards.
#[test]
fn golden_compaction() {
    let graph = graph("graphs/react/v2-compaction.yaml");
    File::open("kdcube_v2_compaction.json").each(|case, _| {
        let input = inputs_of(&graph, case.at("input"));
        let output = summarised(input).play(&graph).1.output.to_json();
        let calls = output["summarizer_calls"].as_array().into_iter().flatten();
        let found = json!({
            "compacted": output["compacted"],
            "summary_block": output["summary_block"],
            "summarizer_calls": calls.map(call).collect::<Vec<_>>(),
            "visible_types": output["visible_types"],
        });
        same(&found, case.at("output").whole())
    });
}

/// A call in the words of the recording, which has no names for its parts.
fn call(call: &Json) -> Json {
    json!([call["kind"], call["blocks"], call["with_previous"]])
}

/// Ten thousand blocks in turns of six. Work that grew faster than the timeline would meet the cost limit of a step.
#[test]
fn long_timelines_are_compacted() {
    let kinds = [
        ("turn.header", "system"),
        ("user.prompt", "user"),
        ("react.decision", "react"),
        ("react.tool.call", "react"),
        ("react.tool.result", "react"),
        ("assistant.completion", "assistant"),
    ];
    let block = |index: usize| {
        let (kind, author) = kinds[index % 6];
        let turn = format!("t{}", index / 6);
        json!({"type": kind, "author": author, "turn_id": turn, "text": "word ".repeat(80), "hidden": index % 60 == 2})
    };
    let blocks: Json = (0..10_000).map(block).collect();
    let graph = graph("graphs/react/v2-compaction.yaml");
    let input = json!({"blocks": blocks, "max_tokens": 100_000, "turn_id": "t"});
    let (_, facts) = summarised(&input).play(&graph);
    assert_eq!(facts.outcome.as_deref(), Some("compacted"), "{}", facts.error.to_json());
    // 100 tokens each: 70,000 are kept, a few more where blocks are hidden.
    let index = facts.output.to_json()["summary_block"]["index"].clone();
    assert_eq!(index, 9_288);
}
