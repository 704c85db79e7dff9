//! The compaction of ReAct v2 against what was recorded of the original.

use serde_json::{Value as Json, json};

use super::golden::{Graph, each_case, same, says};

/// Which timelines are cut, where, what is asked of the summariser, and what is to be seen afterwards.
#[test]
fn golden_compaction() {
    let graph = Graph::load("graphs/react/v2-compaction.yaml");
    each_case("kdcube_v2_compaction.json", |case, _| {
        let answers = vec![says("summarise_history", "SUM"), says("summarise_prefix", "PFX")];
        let output = graph.run(&case["input"], answers).output.to_json();
        let calls = output["summarizer_calls"].as_array().into_iter().flatten();
        let found = json!({
            "compacted": output["compacted"],
            "summary_block": output["summary_block"],
            "summarizer_calls": calls.map(call).collect::<Vec<_>>(),
            "visible_types": output["visible_types"],
        });
        same(&found, &case["output"])
    });
}

/// A call in the words of the recording, which has no names for its parts.
fn call(call: &Json) -> Json {
    json!([call["kind"], call["blocks"], call["with_previous"]])
}
