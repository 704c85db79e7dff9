//! The plan of ReAct v2 against what was recorded of the original.

use serde_json::{Value as Json, json};

use super::golden::{File, recorded_of, same};
use super::played::{World, graph};

/// What the notes of one decision say, read on its own.
#[test]
fn golden_plan_acknowledgements() {
    let graph = graph("graphs/react/v2-plan.yaml");
    File::open("kdcube_v2_plan_ack.json").each(|case, counts| {
        let (notes, total) = (case.at("input").at("notes").whole(), case.at("input").at("total").whole());
        let input = json!({"plan": {}, "notes": notes, "steps_total": total});
        let output = World::new().inputs(&input).play(&graph).1.output.to_json();
        let wanted = json!({"status": counts.at("status").whole(), "reasons": counts.at("reasons").whole()});
        same(&json!({"status": output["updates"], "reasons": output["reasons"]}), &wanted)
    });
}

/// A plan over several rounds: the plan that comes out of one goes into the next.
#[test]
fn golden_plan_updates() {
    let graph = graph("graphs/react/v2-plan.yaml");
    File::open("kdcube_v2_plan_updates.json").each(|case, counts| {
        // The recording names no times, and always the same plan and turns.
        let steps = case.at("input").at("plan_steps").whole();
        let mut plan = json!({"plan_id": "p1", "steps": steps, "created_ts": "c", "origin_turn_id": "t0"});
        for wanted in counts.at("rounds").whole().as_array().expect("a case has rounds") {
            let (iteration, notes) = (&wanted["iteration"], &wanted["notes"]);
            let input = json!({"plan": plan, "notes": notes, "iteration": iteration, "turn_id": "t1"});
            let output = World::new().inputs(&input).play(&graph).1.output.to_json();
            let found = json!({
                "iteration": iteration,
                "notes": notes,
                "status_map": output["plan"]["status"],
                "blocks": blocks(&output["blocks"], &wanted["blocks"]),
                "summary": output["summary"],
                "rendered": output["rendered"],
            });
            same(&found, wanted)?;
            plan = output["plan"].clone();
        }
        Ok(())
    });
}

/// Blocks in the words of the recording: JSON in a block's text is its `payload`, and only the keys that were recorded are
/// compared, of the block, its payload and its `meta`. Times were not.
fn blocks(found: &Json, wanted: &Json) -> Json {
    let block = |(index, block): (usize, &Json)| {
        let mut block = block.clone();
        block["payload"] =
            block["text"].as_str().and_then(|t| serde_json::from_str(t).ok()).unwrap_or_default();
        recorded_of(&block, &wanted[index], 2)
    };
    found.as_array().expect("blocks are a list").iter().enumerate().map(block).collect()
}
