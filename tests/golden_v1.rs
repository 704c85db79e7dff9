//! ReAct v1 against what was recorded of its original: whole runs of both graphs, its router, its verdicts on tool calls.

use loopwright::program::Program;
use loopwright::scenario::{RunFacts, ScriptedReply};
use loopwright::value::Value;
use serde_json::{Map, Value as Json, json};

use super::golden::{File, Recorded, recorded_of, same, wanted_of};
use super::golden_v1_budget::{CAPS, STAGE_USED, of_stages, renamed as in_our_words};
use super::played::{World, fails_with, graph, output_of_model, says};

const TRACES: &str = "kdcube_v1_traces.json";

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

/// The tools that were on offer in whole runs: those that were when calls were judged, and the ones that write files.
fn offered_in_runs() -> Vec<String> {
    let forms = ["pdf", "pptx", "docx", "html", "png", "xlsx", "file"];
    let writing = ["generic_tools", "rendering_tools"]
        .iter()
        .flat_map(|group| forms.map(|form| format!("{group}.write_{form}")));
    File::open("kdcube_v1_protocol_verify.json").available_tools().into_iter().chain(writing).collect()
}

/// What a tool answers: that it failed, or something.
fn outcome(script: Recorded<'_>) -> ScriptedReply {
    let (error, output) = (script.get("error").filter(|error| !error.is_null()), script.get("output"));
    match error {
        Some(Json::String(error)) => fails_with("tool_failed", error),
        Some(error) => fails_with("tool_failed", &error.to_string()),
        None => says(output.unwrap_or(&json!({"text": "42"}))),
    }
}

/// The policy that stands for what a case says of the budget.
fn policy(input: Recorded<'_>) -> Json {
    json!({"sb": input.get("sb"), "caps": in_our_words(input.at("budget_override"), CAPS)})
}

/// The world of a recorded run.
fn world(program: &Program, input: Recorded<'_>, offered: &[String]) -> World {
    let mut world = World::new()
        .input("contract", input.get("contract"))
        .input("policy", Some(&policy(input)))
        .tools(offered.iter().map(String::as_str));
    for (name, value) in input.at("state_override").entries() {
        world = world.state(name, Some(value.whole()));
    }
    if let Some(usage) = input.find("stage_usage") {
        world = world.used("stage", &of_stages(usage, |used| in_our_words(used, STAGE_USED)));
    }
    let decision = output_of_model(program);
    let mut skills = Map::new();
    for script in input.at("decisions").items() {
        world = world.model(says(script.of_type(&program.shapes, decision)));
        let named = script.at("show_skills").items().filter_map(Recorded::text);
        skills.extend(named.map(|name| (name.to_owned(), format!("The skill {name}.").into())));
    }
    world = world.input("skills", Some(&Json::Object(skills)));
    for script in input.at("tool_outcomes").items() {
        world = world.tool(outcome(script));
    }
    // A tool of which nothing is said gives something.
    for _ in input.at("decisions").items() {
        world = world.tool(says(&json!({"text": "42"})));
    }
    world
}

/// The caps that follow from what is to be made and from what a case says of the budget.
fn caps(budget: &Program, input: Recorded<'_>) -> Json {
    let slots: Json = input.at("contract").entries().map(|(slot, _)| slot).collect();
    let input = json!({"slots": slots, "policy": policy(input)});
    World::new().inputs(&input).play(budget).1.output.to_json()["caps"].clone()
}

/// Events of the recording that are events of the graphs, too. Its others tell once more which nodes were passed.
const EVENTS: [&str; 7] = [
    "decision",
    "protocol_violation",
    "wrapup_activated",
    "slot_mapped",
    "mapping_skipped",
    "tool_error",
    "contract_validation_failed",
];

/// The events that both have, in order. A mapping that is dropped says why; one that only makes a draft is one.
fn events<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let name = |name: &'a str| if name == "mapping_degraded_file_from_inline" { "slot_mapped" } else { name };
    names.map(name).filter(|name| EVENTS.contains(name) || name.starts_with("mapping_dropped")).collect()
}

/// The events of a run, by the names of the recording.
fn emitted(facts: &RunFacts) -> Vec<String> {
    let name = |event: &Value| {
        let event = event.to_json();
        let name = event["name"].as_str().unwrap_or_default();
        match event["payload"]["reason"].as_str() {
            Some(reason) if name == "mapping_dropped" => format!("{name}_{reason}"),
            _ => name.to_owned(),
        }
    };
    facts.events.iter().map(name).collect()
}

/// What the run came to, by the names of the recording.
fn told(facts: &RunFacts) -> Json {
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
        "error": null,
        "events": events(emitted(facts).iter().map(String::as_str)),
        "path": facts.path.iter().map(loopwright::value::Str::as_str).collect::<Vec<_>>(),
        "llm_calls": facts.model_calls.len(),
        "trace": trace,
        "budget_state_seen": texts,
        "final": end,
    })
}

/// The variants that are tested here.
const VARIANTS: [&str; 2] = ["seed_literal", "code_shared"];

/// Whole runs: the way, every counter after every node, what the model was told of the budget, and the end.
fn trace(graph_file: &str, variant: &str) -> impl FnMut(Recorded<'_>, Recorded<'_>) -> Result<(), String> {
    let (program, budget) = (graph(graph_file), graph("graphs/react/budget-rounds.yaml"));
    let offered = offered_in_runs();
    move |case, _| {
        let recorded = case.at("variants").one_of(variant, &VARIANTS);
        same(&caps(&budget, case.at("input")), &in_our_words(case.at("derived_caps"), CAPS))?;
        let (run, facts) = world(&program, case.at("input"), &offered).play(&program);
        if facts.output.to_json().is_null() {
            return Err(format!("the run has no output: {:?}", run.ended));
        }
        let mut wanted = recorded.whole().clone();
        wanted["events"] = events(recorded.at("events").items().filter_map(Recorded::text)).into();
        let mut found = told(&facts);
        found["final"] = wanted_of(&found["final"], &wanted["final"]);
        same(&wanted_of(&found, &wanted), &wanted)?;
        // What was told is what stands in the prompt.
        let prompts = facts.model_calls.iter().map(Value::to_json);
        for (call, text) in prompts.zip(found["budget_state_seen"].as_array().into_iter().flatten()) {
            let (prompt, text) = (call["prompt"].as_str(), text.as_str());
            if !prompt.zip(text).is_some_and(|(prompt, text)| prompt.contains(text)) {
                return Err(format!("{text:?} is not in the prompt {prompt:?}"));
            }
        }
        Ok(())
    }
}

#[test]
fn golden_traces() {
    File::open(TRACES).each(trace("graphs/react/v1.yaml", "seed_literal"));
}

#[test]
fn golden_traces_of_the_code() {
    File::open(TRACES).each(trace("graphs/react/v1_code.yaml", "code_shared"));
}

/// Where the router leads, and what it makes of the reasons to stop. Each run begins at the router.
fn router(file: &str) {
    let program = graph(file);
    File::open("kdcube_v1_route_after_decision.json").each(|case, _| {
        let input = case.at("input");
        // With this artifact there is something to fill the empty slot with.
        let artifact =
            json!({"tool_id": "my.calc", "kind": "inline", "type": null, "value": 42, "error": null});
        let eligible = input.at("wrapup_eligible") == true;
        let artifacts = if eligible { json!({"sum": artifact}) } else { json!({}) };
        // A decision without an action is one with an empty one by then.
        let action = input.at("action").text().unwrap_or_default();
        // The turn must finish where no round is left.
        let rounds = if input.at("must_finish") == true { 5 } else { 0 };
        let (_, facts) = World::new()
            .input("contract", Some(&json!({"report": "inline"})))
            .at("route")
            .state("action", Some(&json!(action)))
            .state("exit_reason", input.get("exit_reason"))
            .state("pending_exit_reason", input.get("pending_exit_reason"))
            .state("artifacts", Some(&artifacts))
            .used("decision_rounds", &json!(rounds))
            .used("wrapup", &json!(i64::from(input.at("wrapup_round_used") == true)))
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
        let mut wanted = case.at("output").whole().clone();
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
    let file = File::open("kdcube_v1_protocol_verify.json");
    let offered = file.available_tools();
    file.each(|case, _| {
        let world =
            World::new().input("tool_call", case.get("input")).tools(offered.iter().map(String::as_str));
        let (found, recorded) = (world.play(&program).1.output.to_json(), case.at("output").whole());
        same(&recorded_of(&found, recorded, u32::MAX), recorded)
    });
}

/// What cases of other folders say, too: a stage of which something is used, and a skill that is looked at.
#[test]
fn keys_of_further_runs_are_read() {
    let file = File::own(TRACES);
    let case = &file.root().at("cases").whole()[0];
    assert_eq!(reported(case), "");
    let mut used = case.clone();
    used["input"]["stage_usage"] = json!({"s1": {"exploit_used": 1, "context_reads_used": 2}});
    let after = reported(&used);
    assert!(after.contains("stage[s1](explore left 2/2, exploit left 2/3"), "{after}");
    assert!(after.contains("\"context_reads_used\": 2"), "{after}");
    let mut skilled = case.clone();
    skilled["input"]["decisions"][0]["show_skills"] = json!(["unheard of"]);
    let after = reported(&skilled);
    assert!(after.contains("context_reads left 2/3"), "{after}");
}

/// What is reported of one case.
fn reported(case: &Json) -> String {
    File::of(TRACES, &json!({"cases": [case]}).to_string())
        .report("cases", trace("graphs/react/v1.yaml", "seed_literal"))
}
