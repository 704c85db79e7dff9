//! ReAct v1 against what was recorded of its original: whole runs of both graphs, its router, its verdicts on tool calls.

use loopwright::scenario::{Facts, Reply};
use loopwright::value::Value;
use serde_json::{Map, Value as Json, json};

use super::golden::{each_case, read, same, wanted_of};
use super::golden_v1_budget::CAPS;
use super::played::{World, fails, graph, says};

/// Names of counters, as the graph has them and as they were recorded.
const COUNTERS: [(&str, &str); 7] = [
    ("decision_rounds", "decision_rounds_used"),
    ("tool_calls", "tool_calls_used"),
    ("explore_rounds", "explore_rounds_used"),
    ("exploit_rounds", "exploit_rounds_used"),
    ("render_rounds", "render_rounds_used"),
    ("decision_reruns", "decision_reruns_used"),
    ("context_reads", "context_reads_used"),
];

/// The same for a stage.
const STAGE: [(&str, &str); 4] = [
    ("explore", "explore_used"),
    ("exploit", "exploit_used"),
    ("render", "render_used"),
    ("context_reads", "context_reads_used"),
];

/// A mapping with other names for its keys.
fn renamed(mapping: &Json, names: &[(&str, &str)]) -> Json {
    let new = |key: &str| names.iter().find(|(old, _)| *old == key).map_or(key, |(_, new)| *new).to_owned();
    let entries = mapping.as_object().into_iter().flatten();
    Json::Object(entries.map(|(key, value)| (new(key), value.clone())).collect::<Map<_, _>>())
}

/// The tools that were on offer when tool calls were judged.
fn offered() -> Vec<String> {
    let file: Json =
        serde_json::from_str(&read("kdcube_v1_protocol_verify.json")).expect("recorded files are JSON");
    serde_json::from_value(file["meta"]["available_tools"].clone()).expect("tools have names")
}

/// The tools that were on offer in whole runs: those, and the ones that write files.
fn offered_in_runs() -> Vec<String> {
    let forms = ["pdf", "pptx", "docx", "html", "png", "xlsx", "file"];
    let writing = ["generic_tools", "rendering_tools"]
        .iter()
        .flat_map(|group| forms.map(|form| format!("{group}.write_{form}")));
    offered().into_iter().chain(writing).collect()
}

/// What a tool answers: that it failed, or something.
fn outcome(script: &Json) -> Reply {
    if script.get("error").is_some_and(|error| !error.is_null()) {
        fails("tool_failed")
    } else {
        says(script.get("output").unwrap_or(&json!({"text": "42"})))
    }
}

/// The world of a recorded run.
fn world(input: &Json, offered: &[String]) -> World {
    let policy = json!({"sb": input["sb"], "caps": renamed(&input["budget_override"], CAPS)});
    let mut world = World::new()
        .input("contract", input.get("contract"))
        .input("policy", Some(&policy))
        .tools(offered.iter().map(String::as_str));
    for (name, value) in input["state_override"].as_object().into_iter().flatten() {
        world = world.state(name, Some(value));
    }
    let decisions = input["decisions"].as_array().expect("a case has decisions");
    for decision in decisions {
        world = world.model(says(decision));
    }
    for script in input["tool_outcomes"].as_array().into_iter().flatten() {
        world = world.tool(outcome(script));
    }
    // A tool of which nothing is said gives something.
    for _ in decisions {
        world = world.tool(outcome(&json!({})));
    }
    world
}

/// What the run came to, by the names of the recording.
fn told(facts: &Facts) -> Json {
    let (mut trace, mut texts, mut asked) = (Vec::new(), Vec::new(), false);
    for event in facts.events.iter().map(Value::to_json) {
        let payload = &event["payload"];
        match event["name"].as_str() {
            Some("asking") => {
                asked = true;
                texts.push(payload["budget_state"].clone());
            }
            Some("node_done") => {
                let mut row = payload["standing"].clone();
                row["node"] = payload["node"].clone();
                row["llm_called"] = if payload["node"] == "decision" { asked.into() } else { Json::Null };
                row["counters"] = renamed(&row["counters"], &COUNTERS);
                trace.push(row);
                asked = false;
            }
            _ => {}
        }
    }
    let mut end = facts.output.to_json();
    end["counters"] = renamed(&end["counters"], &COUNTERS);
    for stage in end["stages"].as_object_mut().into_iter().flat_map(|stages| stages.values_mut()) {
        *stage = renamed(stage, &STAGE);
    }
    json!({
        "path": facts.path.iter().map(loopwright::value::Str::as_str).collect::<Vec<_>>(),
        "llm_calls": facts.model_calls.len(),
        "trace": trace,
        "budget_state_seen": texts,
        "final": end,
    })
}

/// Whole runs: the way, every counter after every node, what the model was told of the budget, and the end.
fn traces(file: &str, variant: &str) {
    let program = graph(file);
    let offered = offered_in_runs();
    each_case("kdcube_v1_traces.json", |case, _| {
        let recorded = &case["variants"][variant];
        let (run, facts) = world(&case["input"], &offered).play(&program);
        if facts.output.to_json().is_null() {
            return Err(format!("the run has no output: {:?}", run.ended));
        }
        let mut found = told(&facts);
        found["final"] = wanted_of(&found["final"], &recorded["final"]);
        let parts = ["path", "llm_calls", "trace", "budget_state_seen", "final"];
        let wanted: Json = parts.into_iter().map(|key| (key.to_owned(), recorded[key].clone())).collect();
        same(&found, &wanted)?;
        // What was told is what stands in the prompt.
        let prompts = facts.model_calls.iter().map(Value::to_json);
        for (call, text) in prompts.zip(found["budget_state_seen"].as_array().into_iter().flatten()) {
            let (prompt, text) = (call["prompt"].as_str(), text.as_str());
            if !prompt.zip(text).is_some_and(|(prompt, text)| prompt.contains(text)) {
                return Err(format!("{text:?} is not in the prompt {prompt:?}"));
            }
        }
        Ok(())
    });
}

#[test]
fn golden_traces() {
    traces("graphs/react/v1.yaml", "seed_literal");
}

#[test]
fn golden_traces_of_the_code() {
    traces("graphs/react/v1_code.yaml", "code_shared");
}

/// Where the router leads, and what it makes of the reasons to stop. Each run begins at the router.
fn router(file: &str) {
    let program = graph(file);
    each_case("kdcube_v1_route_after_decision.json", |case, _| {
        let input = &case["input"];
        // With this artifact there is something to fill the empty slot with.
        let artifact =
            json!({"tool_id": "my.calc", "kind": "inline", "type": null, "value": 42, "error": null});
        let artifacts = if input["wrapup_eligible"] == true { json!({"sum": artifact}) } else { json!({}) };
        // A decision without an action is one with an empty one by then.
        let action = input["action"].as_str().unwrap_or_default();
        let (_, facts) = World::new()
            .input("contract", Some(&json!({"report": "inline"})))
            .at("route")
            .state("action", Some(&json!(action)))
            .state("exit_reason", input.get("exit_reason"))
            .state("pending_exit_reason", input.get("pending_exit_reason"))
            .state("artifacts", Some(&artifacts))
            .used("wrapup", &json!(i64::from(input["wrapup_round_used"] == true)))
            .play(&program);
        let state = Value::Map(facts.state.clone()).to_json();
        let wrapups = facts.budgets.get("wrapup").map(Value::to_json);
        let found = json!({
            "route": facts.path.get(1).map(loopwright::value::Str::as_str),
            "exit_reason": state["exit_reason"],
            "pending_exit_reason": state["pending_exit_reason"],
            "is_wrapup_round": state["is_wrapup_round"],
            "wrapup_round_used": wrapups == Some(json!(1)),
        });
        let mut wanted = case["output"].clone();
        // Another name of the node `exit`.
        if wanted["route"] == "max_iterations" {
            wanted["route"] = json!("exit");
        }
        same(&found, &wanted)
    });
}

#[test]
fn golden_route_after_decision() {
    router("graphs/react/v1.yaml");
}

#[test]
fn golden_route_after_decision_of_the_code() {
    router("graphs/react/v1_code.yaml");
}

/// Verdicts on tool calls.
#[test]
fn golden_protocol_verify() {
    let program = graph("graphs/react/v1-protocol.yaml");
    let offered = offered();
    each_case("kdcube_v1_protocol_verify.json", |case, _| {
        let world =
            World::new().input("tool_call", case.get("input")).tools(offered.iter().map(String::as_str));
        same(&world.play(&program).1.output.to_json(), &case["output"])
    });
}
