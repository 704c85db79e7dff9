//! Whole runs.

use loopwright::value::Value;
use serde_json::{Value as Json, json};

use super::super::golden::{File, Recorded, same};
use super::super::played::{World, graph, says};
use super::{
    CASES, MAIN, NODES, beginning, child, cycle, holds, kept, outcome, rejected, state, thought, waits, way,
};

/// Something a case came to.
struct Found {
    path: Vec<String>,
    state: Json,
    outcome: Option<String>,
    rejected: bool,
}

/// Checks that a case says nothing under these keys, which mean nothing to its graph.
fn nothing_else(case: Recorded<'_>, keys: &[&str]) -> Result<(), String> {
    match keys.iter().find(|key| !case.at(key).is_nothing()) {
        Some(key) => Err(format!("`{key}` means nothing to this graph")),
        None => Ok(()),
    }
}

/// The tools on offer: those of the case, and those that its thoughts ask for.
fn offered(world: World, case: Recorded<'_>) -> World {
    let own = case.at("initial").at("catalogue").items();
    let own: Vec<_> =
        own.map(|tool| (tool.at("name").text(), Value::from_json(tool.at("schema").whole()))).collect();
    let open = Value::Map(loopwright::value::Map::new());
    let asked = case.at("model").items().filter(|_| own.is_empty());
    let asked: Vec<_> = asked.map(|say| (say.at("action").text(), open.clone())).collect();
    world.catalogue(own.into_iter().chain(asked).filter_map(|(name, schema)| Some((name?, schema))))
}

/// The node of a graph that the seed's name stands for.
fn node(name: &str) -> &str {
    // `thought` is a node of its own in the main cycle.
    let other = NODES.iter().find(|(own, seed)| *seed == name && *own != "think");
    other.map_or(name, |(own, _)| own)
}

/// A thought of a case, and what it cost, in dollars.
fn said(world: World, script: Recorded<'_>) -> World {
    if let Some(text) = script.text() {
        return world.model(thought(text));
    }
    let parts = ["thought", "action", "action_input"];
    let parts = parts.into_iter().filter_map(|part| Some((part.to_owned(), script.get(part)?.clone())));
    let world = world.model(says(&parts.collect::<Json>()));
    script.at("cost").number().into_iter().fold(world, |world, dollars| world.cost(billionths(dollars)))
}

/// The main cycle.
fn main_cycle(case: Recorded<'_>) -> Result<Found, String> {
    nothing_else(case, &["child"])?;
    let initial = case.at("initial");
    let mut world = World::new()
        .input("max_steps", initial.get("max_steps"))
        .input("cost_limit", initial.get("cost_limit"))
        .input("interrupt_every", initial.get("interrupt_every"))
        .input("interrupt_before", case.get("ask_before_thought"))
        .input("rules", case.get("rules"))
        .at(node(initial.at("at").text().unwrap_or("thought")));
    world = offered(beginning(world, initial), case);
    world = case.at("model").items().fold(world, said);
    world = case.at("tools").items().fold(world, |world, script| world.tool(outcome(script)));
    for answer in case.at("human").items() {
        world = if answer.find("verdict").is_some() {
            world.person("human_approval", &approval(answer))
        } else {
            world.person("interrupt_gate", answer.whole())
        };
    }
    let (_, facts) = world.play(&graph(MAIN));
    Ok(Found {
        path: cycle(&facts),
        state: state(&facts),
        outcome: facts.outcome.as_ref().map(ToString::to_string),
        rejected: rejected(&facts),
    })
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
fn approval(answer: Recorded<'_>) -> Json {
    let text = ["text", "thought"].iter().find_map(|key| answer.get(key));
    json!({"verdict": answer.get("verdict"), "text": text})
}

/// A single action.
fn action(case: Recorded<'_>) -> Result<Found, String> {
    nothing_else(case, &["model", "rules", "human", "ask_before_thought", "child"])?;
    let initial = case.at("initial");
    let world = World::new()
        .input("action", initial.get("action"))
        .input("action_input", initial.get("action_input"));
    let world = offered(world, case);
    let world = case.at("tools").items().fold(world, |world, script| world.tool(outcome(script)));
    let (run, facts) = world.play(&graph("graphs/arkhon/action.loop"));
    let mut state = state(&facts);
    // What the graph keeps of itself is what really happened.
    same(&json!([state["executions"], state["waits"]]), &json!([facts.tool_calls.len(), waits(&run)]))?;
    state["waits"] = waits(&run).into();
    Ok(Found { path: way(&facts.leaf_path, &[]), state, outcome: None, rejected: false })
}

/// A call of a graph, with a `done` and an `error` edge.
fn subgraph(case: Recorded<'_>) -> Result<Found, String> {
    nothing_else(case, &["model", "rules", "tools", "human", "ask_before_thought"])?;
    let initial = case.at("initial");
    if node(initial.at("at").text().unwrap_or("sub")) != child::CALL {
        return Err("the run begins with the call".to_owned());
    }
    let does = child::Does::of(case.at("child"))?;
    let (path, state) = child::called(|world| beginning(world, initial), &does);
    // Metadata are compared whole: what the child did not say is not there.
    let wanted = case.at("expect").at("state").at("metadata");
    if !wanted.is_null() {
        same(&state["metadata"], wanted.whole())?;
    }
    Ok(Found { path, state, outcome: None, rejected: false })
}

/// What becomes of a node that fails.
fn error_handling(case: Recorded<'_>) -> Result<Found, String> {
    nothing_else(case, &["initial", "model", "rules", "human", "ask_before_thought", "child"])?;
    let world = World::new().tools(["step"]);
    let world = case.at("tools").items().fold(world, |world, script| world.tool(outcome(script)));
    let (run, facts) = world.play(&graph("graphs/arkhon/error_handling.loop"));
    let mut state = state(&facts);
    state["waits"] = waits(&run).into();
    let contained = case.at("expect").at("state").at("observation_contains");
    if let Some(part) = contained.text()
        && state["observation"].as_str().is_some_and(|text| text.contains(part))
    {
        state["observation_contains"] = part.into();
    }
    let outcome = facts.outcome.as_ref().map(ToString::to_string);
    Ok(Found { path: way(&facts.leaf_path, &[]), state, outcome, rejected: false })
}

/// Checkpoints: what is loaded has no way and no end.
fn checkpoint(case: Recorded<'_>) -> Result<Found, String> {
    nothing_else(case, &["model", "rules", "tools", "human", "ask_before_thought", "child"])?;
    let initial = case.at("initial");
    let state = match initial.find("saves") {
        Some(saves) => kept::saved(saves.whole().as_array().ok_or("`saves` is a list of states")?),
        None => kept::two_saves(initial.at("steps")),
    };
    Ok(Found { path: Vec::new(), state, outcome: None, rejected: false })
}

/// Holds a run against what a case expects of it.
fn judge(case: Recorded<'_>, _: Recorded<'_>) -> Result<(), String> {
    let found = match case.at("graph").text() {
        Some("main") => main_cycle(case),
        Some("action") => action(case),
        Some("subgraph") => subgraph(case),
        Some("error_handling") => error_handling(case),
        Some("checkpoint") => checkpoint(case),
        other => Err(format!("no graph is there for {other:?}")),
    }?;
    let expect = case.at("expect");
    let (mut path, wanted) = (found.path, expect.at("path"));
    if expect.at("path_is_prefix") == true {
        path.truncate(wanted.items().count());
    }
    same(&path.into(), wanted.whole())?;
    holds(&found.state, expect.at("state").whole())?;
    let outcome = expect.at("outcome");
    if outcome.is_text() {
        same(&found.outcome.into(), outcome.whole())?;
    }
    same(&found.rejected.into(), expect.get("rejected").unwrap_or(&false.into()))
}

#[test]
fn golden_cases() {
    File::open(CASES).each(judge);
}

/// Keys that cases of other folders have. Each case is sound; with any of these values changed it is not.
#[test]
fn keys_of_further_cases_are_read() {
    let expect = |path: Json, state: Json| json!({"path": path, "state": state, "outcome": null});
    let step = |thought: &str| json!({"thought": thought});
    let cases = json!([
        {"id": "flag", "graph": "main", "initial": {"at": "commit", "steps": [step("a")], "terminated": true},
         "expect": expect(json!(["commit", "END"]), json!({"terminated": true}))},
        {"id": "limit", "graph": "main",
         "initial": {"at": "commit", "steps": [step("a")], "metadata": {"total_cost": 0.2}, "cost_limit": 0.1},
         "expect": {"path": ["commit", "END"], "state": {}, "outcome": "cost_limit"}},
        {"id": "prefix", "graph": "main", "initial": {"max_steps": 1}, "model": ["one"],
         "expect": {"path": ["thought", "validate"], "path_is_prefix": true, "state": {}, "outcome": "max_steps"}},
        {"id": "error", "graph": "subgraph", "initial": {"at": "sub", "steps": [step("t0")]},
         "child": {"error": "no such user", "steps": 3, "metadata": {"x": 1}},
         "expect": expect(json!(["sub", "failed", "END"]), json!({"steps": [step("t0")], "metadata": {}, "problem": "no such user"}))},
        {"id": "end", "graph": "subgraph", "initial": {"at": "sub", "steps": [step("t0")]},
         "child": {"terminated": true, "steps": [step("c0"), "c1"], "metadata": {"x": 1}},
         "expect": expect(json!(["sub", "next", "END"]), json!({"steps": [step("t0")], "metadata": {"x": 1}, "terminated": false}))},
        {"id": "saves", "graph": "checkpoint",
         "initial": {"saves": [{"steps": [step("a")]}, {"steps": [step("a"), "b"], "metadata": {"n": 1}, "terminated": true}]},
         "expect": expect(json!([]), json!({"rows": 2, "steps": [step("a"), step("b")], "metadata": {"n": 1}, "terminated": true}))},
    ]);
    let report = |cases: &Json| File::of(CASES, &json!({"cases": cases}).to_string()).report("cases", judge);
    assert_eq!(report(&cases), "");
    let changed = [
        ("/0/initial/terminated", json!(false)),
        ("/1/initial/cost_limit", json!(0.5)),
        ("/2/expect/path_is_prefix", json!(false)),
        ("/3/child/error", json!("another")),
        ("/4/child/metadata/x", json!(2)),
        ("/5/initial/saves/1/steps", json!([])),
    ];
    for (at, value) in changed {
        let mut cases = cases.clone();
        *cases.pointer_mut(at).expect("the case has the key") = value;
        let report = report(&cases);
        assert_eq!(report.matches(CASES).count(), 1, "{at}: {report}");
    }
}
