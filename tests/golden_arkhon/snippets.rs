//! The seed's snippets, each at the place of a graph that does its work.

use loopwright::machine::EventKind;
use loopwright::scenario::{PlayedRun, RunFacts};
use loopwright::value::Value;
use serde_json::{Value as Json, json};

use super::super::golden::{File, Recorded, same};
use super::super::played::{World, graph, says};
use super::{
    MAIN, NODES, SNIPPETS, beginning_in, child, cycle, failure, holds, kept, numbered, rejected, state,
    steps, thought, thoughts, waits,
};

/// The snippets: each has a list of its own, and a test.
const LISTS: [&str; 10] = [
    "should_terminate",
    "compute_next_node",
    "rollback",
    "validate",
    "action_retry",
    "runtime_executor",
    "subgraph",
    "checkpoint",
    "error_node",
    "thought_node",
];

/// Judges the cases of one snippet.
fn each_of(list: &str, judge: impl FnMut(Recorded<'_>, Recorded<'_>) -> Result<(), String>) {
    let file = File::open(SNIPPETS);
    file.root().one_of(list, &LISTS);
    file.each_in(list, judge);
}

/// The node that comes after the first one, by the seed's name.
fn next(facts: &RunFacts) -> String {
    match cycle(facts).get(1).map(String::as_str) {
        Some("END") => "__end__".to_owned(),
        name => name.unwrap_or("nothing").to_owned(),
    }
}

/// A run that begins at a node of the main cycle.
fn at(node: &str, state: &Json, world: World) -> (PlayedRun, RunFacts) {
    beginning_in(world, state).at(node).play(&graph(MAIN))
}

/// Commit: is it over?
#[test]
fn golden_should_terminate() {
    each_of("should_terminate", |row, counts| {
        let said = row.at("thoughts").items().map(|thought| thought.whole().clone());
        let state = json!({"steps": steps(said), "terminated": row.get("terminated")});
        let world = World::new().input("max_steps", row.get("MAX_STEPS"));
        let (_, facts) = at("commit", &state, world);
        same(&(next(&facts) == "__end__").into(), counts.at("result").whole())
    });
}

/// Commit: who goes on?
#[test]
fn golden_compute_next_node() {
    each_of("compute_next_node", |row, counts| {
        let state = json!({"steps": numbered(1), "metadata": row.get("metadata")});
        let (_, facts) = at("commit", &state, World::new().input("cost_limit", row.get("COST_LIMIT")));
        same(&next(&facts).into(), counts.at("next").whole())
    });
}

/// What a rollback leaves behind, as the graph tells it; nothing if there was none.
fn rolled_back(facts: &RunFacts) -> Option<Json> {
    let told = facts.events.iter().map(Value::to_json).find(|event| event["name"] == "rolled_back");
    told.map(|event| event["payload"].clone())
}

/// A person sends the run back at the question before the first thought.
#[test]
fn golden_rollback() {
    each_of("rollback", |row, counts| {
        let before = numbered(row.at("steps").count().unwrap_or_default());
        let metadata = row.at("metadata").whole();
        let state = json!({"steps": before, "metadata": metadata, "terminated": row.get("terminated")});
        let world = World::new()
            .input("interrupt_before", Some(&json!([1])))
            .person("interrupt_gate", &json!({"action": "rollback", "target_step": row.get("step_id")}));
        let (_, facts) = at("thought", &state, world);
        if counts.at("rejected") == true {
            let kept = Value::Map(facts.state.clone()).to_json();
            let same_steps = thoughts(&kept["steps"]) == thoughts(&before);
            let nothing_told = kept["metadata"]["rolled_back_to"] == metadata["rolled_back_to"];
            let refused = rejected(&facts) && rolled_back(&facts).is_none() && same_steps && nothing_told;
            return same(&refused.into(), &true.into());
        }
        let wanted = counts.get("result").ok_or("nothing is wanted")?;
        let mut found = rolled_back(&facts).ok_or("the run was not sent back")?;
        found["steps"] = thoughts(&found["steps"]);
        found["current_node"] = cycle(&facts).first().cloned().into();
        holds(&found, wanted)
    });
}

/// Validate.
#[test]
fn golden_validate() {
    each_of("validate", |row, counts| {
        let wanted = counts.get("result").ok_or("nothing is wanted")?;
        let rules = match row.at("rule_outcome").text() {
            Some("pass") => json!([]),
            Some("terminal") => json!([{"rule": "max_depth", "severity": "terminal", "value": 1}]),
            _ => json!([{"rule": "forbid_guessing", "severity": "retryable", "phrases": ["t1"]}]),
        };
        let state = json!({"steps": numbered(2), "metadata": row.get("metadata")});
        let (_, facts) = at("validate", &state, World::new().input("rules", Some(&rules)));
        let mut found = super::state(&facts);
        found["steps"] = thoughts(&found["steps"]);
        found["current_node"] = next(&facts).into();
        let mut wanted = wanted.clone();
        if wanted["metadata"]["retry_reason"].is_string() {
            wanted["metadata"]["retry_reason"] = "*".into();
        }
        holds(&found, &wanted)
    });
}

/// The tool of a step: how often it is called, what is waited for, what comes of it.
#[test]
fn golden_action_retry() {
    each_of("action_retry", |row, counts| {
        let case = row.find("case");
        let bad = case.is_some_and(|case| case == "badargs");
        let known = bad || case.is_none();
        let tool = if known { "search" } else { "nowhere" };
        let schema = json!({"type": "object", "required": ["q"], "properties": {"q": {"type": "string"}}});
        let scripts = row.at("outcomes").items().map(|word| match word.text() {
            Some("T") => failure("transient", "busy"),
            Some("P") => failure("permanent", "broken"),
            _ => says(&"done".into()),
        });
        let world = World::new()
            .input("action", Some(&tool.into()))
            .input("action_input", Some(&json!({"q": if bad { json!(5) } else { json!("x") }})))
            .catalogue([("search", Value::from_json(&schema))]);
        let world = scripts.fold(world, World::tool);
        let (run, facts) = world.play(&graph("graphs/arkhon/action.loop"));
        let state = state(&facts);
        let result = counts.at("result").whole();
        let wanted = result.as_str();
        // The text of an error that the recording's stand-in raised is its own.
        let is_error = case.is_some() || wanted == Some("error_step");
        if is_error {
            let told = counts.at("error").text().is_none_or(|text| state["observation"] == text);
            same(&json!([state["error"], told]), &json!([true, true]))?;
        } else {
            same(&state["observation"], result)?;
            same(&state["error"], &wanted.is_some_and(|text| text.starts_with("Error")).into())?;
        }
        let executions = counts.get("executions").cloned().unwrap_or_else(|| 0.into());
        let sleeps = counts.get("sleeps").cloned().unwrap_or_else(|| json!([]));
        same(&json!([facts.tool_calls.len(), waits(&run)]), &json!([executions, sleeps]))
    });
}

/// Which thought came at how many steps, and what a person said in between.
fn trace(run: &PlayedRun, facts: &RunFacts, initial: usize, think: u32) -> Vec<String> {
    let (mut trace, mut count, mut thoughts) = (Vec::new(), initial, 0);
    let rollbacks = facts.events.iter().map(Value::to_json).filter(|event| event["name"] == "rolled_back");
    let mut kept = rollbacks.map(|event| event["payload"]["steps"].as_array().map_or(0, Vec::len));
    for event in &run.events {
        match &event.kind {
            EventKind::Entered { node, .. } if event.frame == 0 && *node == think => {
                thoughts += 1;
                trace.push(format!("step{thoughts}@{count}"));
            }
            EventKind::Completed { node, .. } if event.frame == 0 && *node == think => count += 1,
            EventKind::Answered { answer, .. } => {
                let action = answer.to_json()["action"].as_str().unwrap_or_default().to_owned();
                trace.push(format!("ask:{action}"));
            }
            _ => {}
        }
        let back = event.kind.changes().is_some_and(|c| c.emits().any(|emit| emit.name == "rolled_back"));
        if back {
            count = kept.next().unwrap_or(count);
        }
    }
    trace
}

/// Whole runs with questions in between.
#[test]
fn golden_runtime_executor() {
    let program = graph(MAIN);
    let think = program.graphs[0].nodes.iter().position(|node| node.name == "think").expect("it thinks");
    let think = u32::try_from(think).expect("few nodes");
    each_of("runtime_executor", |row, counts| {
        let initial = row.at("initial_steps").count().unwrap_or_default();
        // What ends the graph by itself is a rule that the thought of that number breaks.
        let rules = row.at("graph_terminates_at").count().map_or(
            json!([]),
            |at| json!([{"rule": "forbid_guessing", "severity": "terminal", "phrases": [format!("n{at}")]}]),
        );
        let mut world = World::new()
            .input("max_steps", row.get("MAX_STEPS"))
            .input("rules", Some(&rules))
            .input("interrupt_before", row.get("interrupt_on_check").filter(|checks| checks.is_array()));
        for decision in row.at("decisions").items() {
            world = world.person("interrupt_gate", decision.whole());
        }
        for n in 1..=row.at("MAX_STEPS").count().unwrap_or_default() + 5 {
            world = world.model(thought(&format!("n{n}")));
        }
        let (run, facts) = at("thought", &json!({"steps": numbered(initial)}), world);
        let found = state(&facts);
        let trace = trace(&run, &facts, usize::try_from(initial).expect("few steps"), think);
        same(&trace.into(), counts.get("trace").ok_or("no trace is wanted")?)?;
        if counts.at("rejected") == true {
            let wanted = json!([true, counts.get("steps")]);
            same(&json!([rejected(&facts), thoughts(&found["steps"])]), &wanted)
        } else {
            let end = counts.at("final");
            let found = json!({"steps": thoughts(&found["steps"]), "terminated": found["terminated"], "metadata": found["metadata"]});
            let wanted = json!({
                "steps": end.get("steps"), "terminated": end.get("terminated"), "metadata": end.get("metadata")
            });
            holds(&found, &wanted)
        }
    });
}

/// A called graph: what of it is taken over.
#[test]
fn golden_subgraph() {
    each_of("subgraph", |row, counts| {
        let wanted = counts.get("result").ok_or("nothing is wanted")?;
        let initial = json!({"steps": numbered(1), "metadata": row.get("parent_metadata")});
        let (metadata, steps) = (row.at("child_metadata").whole(), row.at("child_added_steps").count());
        let does = child::Does::ends(metadata, steps.unwrap_or_default(), row.at("child_terminated") == true);
        let (path, state) = child::called(|world| beginning_in(world, &initial), &does);
        let found = json!({
            "steps": thoughts(&state["steps"]), "metadata": state["metadata"], "terminated": state["terminated"],
            // The call itself has no other node than this.
            "current_node": if path.first().is_some_and(|node| node == "sub") { "auth" } else { "nowhere" },
        });
        same(&found["metadata"], &wanted["metadata"])?;
        holds(&found, wanted)
    });
}

/// Checkpoints of one run.
#[test]
fn golden_checkpoint() {
    each_of("checkpoint", |row, counts| {
        if row.at("case").text().is_some_and(|case| case.contains("unknown")) {
            // The run is refused; how the recording's stand-in said so is its own.
            counts.get("result");
            return same(&kept::is_refused("nowhere").into(), &true.into());
        }
        let mut wanted = json!({});
        for name in ["rows", "loaded_steps", "loaded_step_type"] {
            if let Some(value) = counts.get(name) {
                wanted[name] = value.clone();
            }
        }
        if let Some(loaded) = counts.find("loaded") {
            let fields = ["steps", "metadata", "terminated"].into_iter();
            let fields = fields.filter_map(|name| Some((name.to_owned(), loaded.get(name)?.clone())));
            wanted["loaded"] = fields.collect();
        }
        holds(&kept::two_saves(counts.at("loaded").at("steps")), &wanted)
    });
}

/// The error machine: where an error of each class leads.
#[test]
fn golden_error_node() {
    each_of("error_node", |row, counts| {
        let wanted = counts.at("result");
        let class = row.at("error").text().map(str::to_lowercase);
        let script = class.as_ref().map_or_else(|| says(&json!("done")), |class| failure(class, "x"));
        let world = World::new().tools(["step"]).tool(script).tool(says(&json!("done")));
        let (_, facts) = world.play(&graph("graphs/arkhon/error_handling.loop"));
        let leads_to = match class.as_deref() {
            None => ["execute_node", "success", "next_node"],
            Some("recoverable") => ["error_handler", "record_observation", "next_node"],
            Some("transient") => ["error_handler", "retry", "execute_node"],
            _ => ["error_handler", "classify", "terminate"],
        };
        let mut path = facts.leaf_path.iter();
        let passed = leads_to.iter().all(|node| path.any(|own| own == node));
        same(&passed.into(), &true.into())?;
        let state = state(&facts);
        same(&state["terminated"], wanted.get("terminated").unwrap_or(&false.into()))?;
        // The text of the error is the stand-in's; nothing else is put into the metadata.
        let named = |metadata: &Json| {
            metadata.as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect()
        };
        same(&named(&state["metadata"]), &named(wanted.at("metadata").whole()))
    });
}

/// The thought of a step: which replies are kept, and how often the model is asked.
#[test]
fn golden_thought_node() {
    let program = graph("graphs/arkhon/thought.loop");
    each_of("thought_node", |row, counts| {
        let calls = counts.at("call").count().unwrap_or(1);
        same(&json!(row.get("call")), &json!(counts.get("call")))?;
        let wanted_calls = counts.at("llm_calls_so_far").count();
        let kept = counts.at("cache").whole().as_object().map_or(0, serde_json::Map::len);
        let answered = |run: &PlayedRun| {
            run.events.iter().filter(|event| matches!(event.kind, EventKind::Resolved { .. })).count() as u64
        };
        if counts.at("result").text().is_some_and(|text| text.to_lowercase().contains("invalid")) {
            // Every try is one of the graph: a reply that is none is asked for again.
            let world = (0..calls).fold(World::new(), |world, _| world.model(says(&Json::Null)));
            let (run, facts) = world.play(&program);
            let found = state(&facts);
            let known = found["known"].as_object().map_or(0, serde_json::Map::len);
            let found = json!([answered(&run), known, found["step"]]);
            return same(&found, &json!([wanted_calls, kept, Json::Null]));
        }
        // Every call is a run of the graph, which is given what the one before it knew.
        let (mut cache, mut asked, mut step) = (json!({}), 0, Json::Null);
        for _ in 0..calls {
            let world = World::new().input("cache", Some(&cache)).model(thought("a thought"));
            let (run, facts) = world.play(&program);
            let output = facts.output.to_json();
            (cache, step) = (output["cache"].clone(), output["step"].clone());
            asked += answered(&run);
        }
        let known = cache.as_object().map_or(0, serde_json::Map::len);
        same(&json!([asked, known, step["thought"]]), &json!([wanted_calls, kept, "a thought"]))
    });
}

/// The names of the seed's nodes stand for nodes that are there.
#[test]
fn renamed_nodes_exist() {
    let graphs = [graph(MAIN), graph("graphs/arkhon/main_flow.loop")];
    let names: Vec<_> = graphs.iter().flat_map(|program| &program.graphs[0].nodes).map(|n| &n.name).collect();
    for (own, _) in NODES {
        assert!(names.iter().any(|name| **name == own), "{own}");
    }
}
