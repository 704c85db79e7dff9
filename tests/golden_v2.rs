//! The loop of ReAct v2 against what was recorded of the original and what was decided about it.

use loopwright::scenario::Reply;
use serde_json::{Value as Json, json};

use super::golden::{each_case, read, same, wanted_of};
use super::played::{World, fails, graph, says};

/// The tools that were on offer when tool calls were judged.
fn offered() -> Vec<String> {
    let file: Json =
        serde_json::from_str(&read("kdcube_v2_protocol_verify.json")).expect("recorded files are JSON");
    serde_json::from_value(file["meta"]["available_tools"].clone()).expect("tools have names")
}

/// What the model answers: a decision, or the name of an error in capitals.
fn decision(script: &Json) -> Reply {
    script.as_str().map_or_else(|| says(script), |error| fails(&error.to_lowercase()))
}

/// What a tool answers: something, or that the tools as such do not work.
fn outcome(script: &Json) -> Reply {
    if script["fatal"] == true { fails("unavailable") } else { says(script) }
}

/// Whole runs.
#[test]
fn golden_seed_traces() {
    let program = graph("graphs/react/v2.yaml");
    let offered = offered();
    each_case("kdcube_v2_seed_traces.json", |case, _| {
        let input = &case["input"];
        let mut world = World::new()
            .input("exploration_budget", input.get("explore"))
            .input("exploitation_budget", input.get("exploit"))
            .input("max_iterations", input.get("max_iterations"))
            .input("plan_steps", input.get("plan_steps"))
            .tools(offered.iter().map(String::as_str));
        let decisions = input["decisions"].as_array().expect("a case has decisions");
        for script in decisions {
            world = world.model(decision(script));
        }
        for script in input["tool_outcomes"].as_array().into_iter().flatten() {
            world = world.tool(outcome(script));
        }
        // A tool of which nothing is said gives something.
        for _ in decisions {
            world = world.tool(says(&json!({})));
        }
        let (run, facts) = world.play(&program);
        let mut found = facts.output.to_json();
        if !found.is_object() {
            return Err(format!("the run has no output: {:?}", run.ended));
        }
        found["path"] = facts.path.iter().map(loopwright::value::Str::as_str).collect();
        found["llm_calls"] = facts.model_calls.len().into();
        let expected = &case["expected"];
        same(&wanted_of(&found, expected), expected)
    });
}

/// Verdicts on tool calls. Where the recording does not know the two tools that work in the loop by now, nothing is compared.
#[test]
fn golden_protocol_verify() {
    let program = graph("graphs/react/v2-protocol.yaml");
    let offered = offered();
    each_case("kdcube_v2_protocol_verify.json", |case, _| {
        let recorded = &case["output"];
        let mut codes = recorded["violations"].as_array().into_iter().flatten().map(|one| &one["code"]);
        let of_the_loop =
            recorded["tool_id"] == "react.memory_read" || recorded["tool_id"] == "react.memory_hide";
        if of_the_loop && codes.any(|code| code == "unknown_tool_id") {
            return Ok(());
        }
        let world =
            World::new().input("tool_call", case.get("input")).tools(offered.iter().map(String::as_str));
        same(&world.play(&program).1.output.to_json(), recorded)
    });
}

/// The budget as text, and what remains of it.
#[test]
fn golden_budget_format() {
    let program = graph("graphs/react/v2.yaml");
    each_case("kdcube_v2_budget_format.json", |case, _| {
        let input = &case["input"];
        let (_, facts) = World::new()
            .input("exploration_budget", input.get("exploration_budget"))
            .input("exploitation_budget", input.get("exploitation_budget"))
            .input("max_iterations", input.get("max_iterations"))
            .at("exit")
            .used("explore", &input["explore_used"])
            .used("exploit", &input["exploit_used"])
            .used("rounds", &input["decision_rounds_used"])
            .play(&program);
        let output = facts.output.to_json();
        let found = json!({"output": output["budget_text"], "remaining": output["remaining"]});
        same(&found, &json!({"output": case["output"], "remaining": case["remaining"]}))
    });
}
