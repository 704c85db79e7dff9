//! `ReAct` v2 against what was recorded of the original and what was decided about it.

use loopwright::scenario::Reply;
use serde_json::{Map, Value as Json, json};

use crate::played::{World, fails, graph, says};

/// The cases of a file.
fn cases(file: &str) -> Vec<Json> {
    let text: Json = serde_json::from_str(&crate::golden::read(file)).expect("recorded data are JSON");
    text["cases"].as_array().expect("a file has cases").clone()
}

/// The tools that were on offer when tool calls were judged.
fn offered() -> Vec<String> {
    let text = crate::golden::read("kdcube_v2_protocol_verify.json");
    let file: Json = serde_json::from_str(&text).expect("recorded data are JSON");
    serde_json::from_value(file["meta"]["available_tools"].clone()).expect("the tools have names")
}

/// Compares case by case and says how many pass.
fn compare(file: &str, judge: impl Fn(&Json) -> Result<(), String>) {
    let cases = cases(file);
    let faults: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            judge(case)
                .err()
                .map(|why| format!("{}: {why}", case["id"].as_str().unwrap_or(&case["input"].to_string())))
        })
        .collect();
    println!("{file}: {} cases, {} passed", cases.len(), cases.len() - faults.len());
    assert!(!cases.is_empty(), "{file} has no cases");
    assert!(faults.is_empty(), "{file}:\n{}", faults.join("\n"));
}

/// Every field that is expected is there and the same.
fn same(expected: &Json, found: &Json) -> Result<(), String> {
    let expected = expected.as_object().expect("what is expected has fields");
    let differs = expected.iter().filter(|(key, value)| found.get(key) != Some(value));
    let lines: Vec<String> =
        differs.map(|(key, value)| format!("{key} is {}, not {value}", found[key])).collect();
    if lines.is_empty() { Ok(()) } else { Err(lines.join("; ")) }
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
fn golden_kdcube_v2_seed_traces() {
    let program = graph("graphs/react/v2.yaml");
    let offered = offered();
    compare("kdcube_v2_seed_traces.json", |case| {
        let input = &case["input"];
        let mut world = World::new()
            .input("exploration_budget", input.get("explore"))
            .input("exploitation_budget", input.get("exploit"))
            .input("max_iterations", input.get("max_iterations"))
            .input("plan_steps", input.get("plan_steps"))
            .tools(offered.iter().map(String::as_str));
        let decisions = input["decisions"].as_array().expect("a case has decisions");
        for script in decisions {
            world = world.model(decision(script)).tool(Some("react.memory_read"), says(&json!([])));
        }
        for script in input["tool_outcomes"].as_array().into_iter().flatten() {
            world = world.tool(None, outcome(script));
        }
        // A tool of which nothing is said gives something.
        for _ in decisions {
            world = world.tool(None, says(&json!({})));
        }
        let (run, facts) = world.play(&program);
        let mut found = facts.output.to_json();
        if !found.is_object() {
            return Err(format!("the run has no output: {:?}", run.ended));
        }
        found["path"] = json!(facts.path.iter().map(|name| name.as_str()).collect::<Vec<_>>());
        found["llm_calls"] = json!(facts.model_calls.len());
        same(&case["expected"], &found)
    });
}

/// Verdicts on tool calls. Those that know nothing of the two tools which work in the loop by now are not compared.
#[test]
fn golden_kdcube_v2_protocol_verify() {
    let program = graph("graphs/react/v2-protocol.yaml");
    let offered = offered();
    let of_the_loop = |case: &Json| {
        let unknown = case["output"]["violations"]
            .as_array()
            .into_iter()
            .flatten()
            .any(|one| one["code"] == "unknown_tool_id");
        let id = case["output"]["tool_id"].as_str().unwrap_or_default();
        unknown && ["react.memory_read", "react.memory_hide"].contains(&id)
    };
    compare("kdcube_v2_protocol_verify.json", |case| {
        if of_the_loop(case) {
            return Ok(());
        }
        let world =
            World::new().input("tool_call", case.get("input")).tools(offered.iter().map(String::as_str));
        same(&case["output"], &world.play(&program).1.output.to_json())
    });
}

/// The budget as text.
#[test]
fn golden_kdcube_v2_budget_format() {
    let program = graph("graphs/react/v2.yaml");
    compare("kdcube_v2_budget_format.json", |case| {
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
        let found: Map<String, Json> =
            [("output", &output["budget_text"]), ("remaining", &output["remaining"])]
                .map(|(key, value)| (key.to_owned(), value.clone()))
                .into_iter()
                .collect();
        let expected = json!({"output": case["output"], "remaining": case["remaining"]});
        same(&expected, &Json::Object(found))
    });
}
