//! Whole runs.

use loopwright::scenario::Reply;
use loopwright::value::Value;
use serde_json::{Value as Json, json};

use super::super::golden::{each_case, same};
use super::super::played::{World, graph, says};
use super::{CASES, MAIN, beginning, cycle, holds, kept, outcome, rejected, state, thought, waits, way};

/// Something a case came to.
struct Found {
    path: Vec<String>,
    state: Json,
    outcome: Option<String>,
    rejected: bool,
}

fn list(case: &Json, name: &str) -> Vec<Json> {
    case[name].as_array().cloned().unwrap_or_default()
}

/// The tools on offer: those of the case, and those that its thoughts ask for.
fn offered(world: World, case: &Json) -> World {
    let tools = list(&case["initial"], "catalogue");
    let own = tools.iter().map(|tool| (tool["name"].as_str(), Value::from_json(&tool["schema"])));
    let asked = list(case, "model");
    let open = Value::Map(loopwright::value::Map::new());
    let asked = asked.iter().filter(|_| tools.is_empty()).map(|say| (say["action"].as_str(), open.clone()));
    let all = own.chain(asked).filter_map(|(name, schema)| Some((name?, schema)));
    world.catalogue(all.collect::<Vec<_>>())
}

/// The main cycle.
fn main_cycle(case: &Json) -> Found {
    let initial = &case["initial"];
    let mut world = World::new()
        .input("max_steps", initial.get("max_steps"))
        .input("cost_limit", initial.get("cost_limit"))
        .input("interrupt_every", initial.get("interrupt_every"))
        .input("interrupt_before", case.get("ask_before_thought"))
        .input("rules", case.get("rules"))
        .at(initial["at"].as_str().unwrap_or("thought"));
    world = offered(beginning(world, initial), case);
    for script in list(case, "model") {
        // A reply may say what it cost, in dollars.
        let cost = script["cost"].as_f64();
        let mut script = script;
        script.as_object_mut().map(|script| script.remove("cost"));
        world = world.model(thought(&script));
        world = cost.into_iter().fold(world, |world, dollars| world.cost(billionths(dollars)));
    }
    world = list(case, "tools").iter().fold(world, |world, script| world.tool(outcome(script)));
    for answer in list(case, "human") {
        world = if answer.get("verdict").is_some() {
            world.person("human_approval", &approval(&answer))
        } else {
            world.person("interrupt_gate", &answer)
        };
    }
    let (_, facts) = world.play(&graph(MAIN));
    Found {
        path: cycle(&facts),
        state: state(&facts),
        outcome: facts.outcome.as_ref().map(ToString::to_string),
        rejected: rejected(&facts),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "recorded costs are a few dollars"
)]
fn billionths(dollars: f64) -> u64 {
    (dollars * 1e9).round() as u64
}

/// The text of an edit may be called a thought.
fn approval(answer: &Json) -> Json {
    let text = ["text", "thought"].iter().find_map(|key| answer.get(*key)).unwrap_or(&Json::Null);
    json!({"verdict": answer["verdict"], "text": text})
}

/// A single action.
fn action(case: &Json) -> Found {
    let initial = &case["initial"];
    let world = World::new()
        .input("action", initial.get("action"))
        .input("action_input", initial.get("action_input"));
    let world = offered(world, case);
    let world = list(case, "tools").iter().fold(world, |world, script| world.tool(outcome(script)));
    let (run, facts) = world.play(&graph("graphs/arkhon/action.loop"));
    let mut state = state(&facts);
    // What the graph keeps of itself is what really happened.
    assert_eq!(state["executions"], facts.tool_calls.len(), "{}", case["id"]);
    assert_eq!(state["waits"], json!(waits(&run)), "{}", case["id"]);
    state["waits"] = waits(&run).into();
    Found { path: way(&facts.leaf_path, &[]), state, outcome: None, rejected: false }
}

/// A call of a graph, with a `done` and an `error` edge.
pub(super) fn called(initial: &Json, child: &Json) -> (Vec<String>, Json) {
    let ended = child["completed"] == true || child["terminated"] == true;
    let metadata = child.get("metadata").cloned().unwrap_or_else(|| json!({}));
    // Who is a guest makes the child end by itself.
    let check = json!({"valid": child.get("error").is_none(), "guest": ended});
    let world = World::new()
        .at("auth_subgraph")
        .tools(["check-credentials", "issue-token", "process"])
        .tool(says(&check))
        .tool(says(&metadata))
        .tool(says(&json!("done")));
    let (_, facts) = beginning(world, initial).play(&graph("graphs/arkhon/main_flow.loop"));
    let mut path = way(&facts.leaf_path, &["processed", "refuse"]);
    // The failure is an end of its own here.
    if path.last().is_some_and(|node| node == "failed") {
        path.push("END".to_owned());
    }
    (path, state(&facts))
}

fn subgraph(case: &Json) -> Found {
    let (path, state) = called(&case["initial"], &case["child"]);
    // Metadata are compared whole: what the child did not say is not there.
    let wanted = &case["expect"]["state"]["metadata"];
    assert!(wanted.is_null() || state["metadata"] == *wanted, "{}: {}", case["id"], state["metadata"]);
    Found { path, state, outcome: None, rejected: false }
}

/// What becomes of a node that fails.
fn error_handling(case: &Json) -> Found {
    let world = beginning(World::new().tools(["step"]), &json!({}));
    let scripts = list(case, "tools");
    let replies: Vec<Reply> = scripts.iter().map(outcome).collect();
    let world = replies.into_iter().fold(world, World::tool);
    let (run, facts) = world.play(&graph("graphs/arkhon/error_handling.loop"));
    let mut state = state(&facts);
    state["waits"] = waits(&run).into();
    let contained = &case["expect"]["state"]["observation_contains"];
    if let Some(part) = contained.as_str()
        && state["observation"].as_str().is_some_and(|text| text.contains(part))
    {
        state["observation_contains"] = part.into();
    }
    let outcome = facts.outcome.as_ref().map(ToString::to_string);
    Found { path: way(&facts.leaf_path, &[]), state, outcome, rejected: false }
}

#[test]
fn golden_cases() {
    each_case(CASES, |case, _| {
        let expect = &case["expect"];
        let found = match case["graph"].as_str() {
            Some("main") => main_cycle(case),
            Some("action") => action(case),
            Some("subgraph") => subgraph(case),
            Some("error_handling") => error_handling(case),
            Some("checkpoint") => return holds(&kept::two_saves(&case["initial"]), &expect["state"]),
            other => return Err(format!("no graph is there for {other:?}")),
        };
        same(&found.path.into(), &expect["path"])?;
        holds(&found.state, &expect["state"])?;
        if expect["outcome"].is_string() {
            same(&found.outcome.into(), &expect["outcome"])?;
        }
        same(&found.rejected.into(), &expect.get("rejected").cloned().unwrap_or_else(|| false.into()))
    });
}
