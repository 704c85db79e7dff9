//! The loop of ReAct v2 against what was recorded of the original and what was decided about it.

use std::collections::{BTreeMap, BTreeSet};

use loopwright::program::Program;
use loopwright::scenario::ScriptedReply;
use loopwright::value::Value;
use serde_json::{Value as Json, json};

use super::golden::{File, Recorded, same, wanted_of};
use super::played::{World, fails, graph, output_of_model, says};

/// A parameter that no tool takes.
const FORBIDDEN: &str = "forbidden_by_the_test";

/// What the model answers: a decision, or the name of an error in capitals. A call whose check is to fail gets a parameter that
/// the tool does not take.
fn decision(program: &Program, script: Recorded<'_>, refused: bool) -> ScriptedReply {
    if let Some(error) = script.text() {
        return fails(&error.to_lowercase());
    }
    let mut decision = script.of_type(&program.shapes, output_of_model(program)).clone();
    if refused {
        decision["tool_call"]["params"][FORBIDDEN] = true.into();
    }
    says(&decision)
}

/// What a tool answers: something, or that the tools as such do not work.
fn outcome(script: Recorded<'_>) -> ScriptedReply {
    if script.at("fatal") == true { fails("unavailable") } else { says(script.whole()) }
}

/// The tool that a decision calls.
fn called(decision: Recorded<'_>) -> Option<&str> {
    let call = decision.at("tool_call").at("tool_id");
    if decision.at("action") == "call_tool" { call.text().map(str::trim) } else { None }
}

/// A world with every tool that the decisions call, in which the checks of their parameters come out as the case says: one
/// verdict for each call of a tool, in order.
fn decided(program: &Program, world: World, input: Recorded<'_>) -> Result<World, String> {
    let mut verdicts: BTreeMap<&str, _> =
        input.at("signature").entries().map(|(tool, verdicts)| (tool, verdicts.items())).collect();
    let schema = Value::from_json(&json!({"not": {"required": [FORBIDDEN]}}));
    let decisions: Vec<Recorded<'_>> = input.at("decisions").items().collect();
    let tools: BTreeSet<&str> = decisions.iter().filter_map(|decision| called(*decision)).collect();
    let tools = tools.into_iter().filter(|tool| !tool.is_empty());
    let mut world = world.catalogue(tools.map(|tool| (tool, schema.clone())));
    for script in decisions {
        let verdict = called(script).and_then(|tool| verdicts.get_mut(tool)?.next());
        let refused = verdict.is_some_and(|verdict| verdict == "red");
        world = world.model(decision(program, script, refused));
    }
    match verdicts.into_iter().find_map(|(tool, mut left)| left.next().map(|_| tool)) {
        Some(tool) => Err(format!("{tool} has more verdicts than calls")),
        None => Ok(world),
    }
}

/// Whole runs.
#[test]
fn golden_seed_traces() {
    runs(&File::open("kdcube_v2_seed_traces.json"));
}

fn runs(file: &File) {
    let program = graph("graphs/react/v2.yaml");
    file.each(|case, _| {
        let input = case.at("input");
        let world = World::new()
            .input("exploration_budget", input.get("explore"))
            .input("exploitation_budget", input.get("exploit"))
            .input("max_iterations", input.get("max_iterations"))
            .input("plan_steps", input.get("plan_steps"));
        let mut world = decided(&program, world, input)?;
        for script in input.at("tool_outcomes").items() {
            world = world.tool(outcome(script));
        }
        // A tool of which nothing is said gives something.
        for _ in input.at("decisions").items() {
            world = world.tool(says(&json!({})));
        }
        let (run, facts) = world.play(&program);
        let mut found = facts.output.to_json();
        if !found.is_object() {
            return Err(format!("the run has no output: {:?}", run.ended));
        }
        found["path"] = facts.path.iter().map(loopwright::value::Str::as_str).collect();
        found["llm_calls"] = facts.model_calls.len().into();
        let expected = case.at("expected").whole();
        same(&wanted_of(&found, expected), expected)
    });
}

/// Verdicts on tool calls. Where the recording does not know the two tools that work in the loop by now, nothing is compared.
#[test]
fn golden_protocol_verify() {
    let program = graph("graphs/react/v2-protocol.yaml");
    let file = File::open("kdcube_v2_protocol_verify.json");
    let offered = file.available_tools();
    file.each(|case, _| {
        let (input, recorded) = (case.get("input"), case.at("output").whole());
        let mut codes = recorded["violations"].as_array().into_iter().flatten().map(|one| &one["code"]);
        let of_the_loop =
            recorded["tool_id"] == "react.memory_read" || recorded["tool_id"] == "react.memory_hide";
        if of_the_loop && codes.any(|code| code == "unknown_tool_id") {
            return Ok(());
        }
        let world = World::new().input("tool_call", input).tools(offered.iter().map(String::as_str));
        same(&world.play(&program).1.output.to_json(), recorded)
    });
}

/// The budget as text, and what remains of it.
#[test]
fn golden_budget_format() {
    let program = graph("graphs/react/v2.yaml");
    File::open("kdcube_v2_budget_format.json").each(|case, _| {
        let input = case.at("input");
        let (_, facts) = World::new()
            .input("exploration_budget", input.get("exploration_budget"))
            .input("exploitation_budget", input.get("exploitation_budget"))
            .input("max_iterations", input.get("max_iterations"))
            .at("exit")
            .used("explore", input.at("explore_used").whole())
            .used("exploit", input.at("exploit_used").whole())
            .used("rounds", input.at("decision_rounds_used").whole())
            .play(&program);
        let output = facts.output.to_json();
        let found = json!({"output": output["budget_text"], "remaining": output["remaining"]});
        same(&found, &json!({"output": case.at("output").whole(), "remaining": case.at("remaining").whole()}))
    });
}

/// What cases of other folders say, too.
#[test]
fn keys_of_further_runs_are_read() {
    let case = |second: &str, rounds: u64, expected: Json| {
        let call = |params: Json| json!({"action": "call_tool", "tool_call": {"tool_id": "new.tool", "params": params}});
        let done = json!({"action": "complete", "completion_summary": "done"});
        let decisions = json!([call(json!({"a": 1})), call(json!({"b": 2})), done]);
        let input = json!({"decisions": decisions, "signature": {"new.tool": ["red", second]}});
        let mut case = json!({"id": second, "input": input, "expected": expected});
        case["expected"]["budget"] = json!({
            "explore_budget": 2, "exploit_budget": 2, "explore_used": 0, "exploit_used": 0,
            "decision_rounds_used": rounds, "max_iterations": 6
        });
        case
    };
    let cases = json!([
        case("green", 3, json!({"violations": ["tool_signature_red"], "tools_executed": ["new.tool"]})),
        case(
            "red",
            3,
            json!({"violations": ["tool_signature_red", "tool_signature_red"], "tools_executed": []})
        ),
    ]);
    runs(&File::of("invented.json", &json!({"cases": cases}).to_string()));
}
