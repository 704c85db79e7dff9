//! The okso loop against what was recorded of its original and what was decided about it: whole runs, and single verdicts.
//!
//! What the original took from its environment comes through the configuration that is shipped with the graph.

use std::ffi::OsString;

use loopwright::config::{Config, Source, gather};
use loopwright::machine::{EventKind, Outcome, Request};
use loopwright::program::Program;
use loopwright::scenario::{PlayedRun, RunFacts, ScriptedReply};
use loopwright::source::FileId;
use loopwright::value::Value;
use serde_json::{Value as Json, json};

use super::golden::{File, Recorded, same, wanted_of};
use super::played::{World, fails, graph, says};

const GRAPH: &str = "graphs/okso/react.yaml";
const LOOP: &str = "okso_loop_96f806d.json";
const UNITS: &str = "okso_units_96f806d.json";

/// More answers than any recorded run asks for.
const MANY: usize = 200;

/// A world in which the tools of a recorded file are on offer. The final answer is the loop's own.
fn offering(file: &File) -> World {
    let tools = file.root().at("tools").whole().as_object().expect("the tools have names");
    let offered = tools.iter().filter(|(name, _)| *name != "final_answer");
    World::new().catalogue(offered.map(|(name, schema)| (name.as_str(), Value::from_json(schema))))
}

/// The inputs that the shipped configuration takes from the environment.
fn from_environment(program: &Program, env: Recorded<'_>) -> Json {
    let text = include_str!("../graphs/okso/loopwright.toml");
    let mut origins = Config::read(text, FileId(0)).expect("the configuration is good").inputs;
    origins.retain(|origin| matches!(origin.source, Source::Env { .. }));
    let lookup = |name: &str| match env.at(name).whole() {
        Json::Null => None,
        Json::String(text) => Some(OsString::from(text)),
        other => Some(other.to_string().into()),
    };
    let gathered = gather(&origins, program, &lookup).expect("the configuration fits the graph");
    Value::Map(gathered.input).to_json()
}

/// A plan as it was recorded: text, or rows, or none.
fn plan(world: World, plan: Recorded<'_>) -> World {
    let name = if plan.is_text() { "plan_text" } else { "plan_entries" };
    world.input(name, Some(plan.whole()).filter(|plan| !plan.is_null()))
}

/// The answers a tool gives: what was recorded for each call that is carried out, unless it is only tried or a person declines it.
fn outcomes(input: Recorded<'_>) -> Vec<ScriptedReply> {
    let mut recorded = input.at("tool_outcomes").items();
    let mut approvals = input.at("stdin").text().unwrap_or_default().lines();
    let (tries, asks) = (is_on(input, "DRY_RUN"), input.at("env").at("APPROVE_ALL") == "false");
    let mut outcome = |_| {
        if tries {
            return says(&json!({"stdout": "", "stderr": "", "exit_code": null}));
        }
        let agrees = |line: &str| matches!(line.trim().to_lowercase().as_str(), "y" | "yes");
        if asks && !approvals.next().is_some_and(agrees) {
            return fails("denied");
        }
        // There was no result at all.
        recorded.next().map_or_else(|| says(&json!(null)), |recorded| says(&result(recorded)))
    };
    (0..MANY).map(&mut outcome).collect()
}

/// What a command came to, as a tool says it.
fn result(recorded: Recorded<'_>) -> Json {
    let parts = ["stdout", "stderr", "exit_code"];
    parts.into_iter().filter_map(|part| Some((part.to_owned(), recorded.get(part)?.clone()))).collect()
}

/// Checks that a switch of the environment is on.
fn is_on(input: Recorded<'_>, name: &str) -> bool {
    input.at("env").at(name) == "true"
}

/// The world of a recorded run. A model that has said all it has to say says this word.
fn world(file: &File, program: &Program, input: Recorded<'_>) -> World {
    let (wanted, there) = (is_on(input, "USE_REACT_LLAMA"), is_on(input, "LLAMA_AVAILABLE"));
    let mut world = plan(offering(file), input.at("plan_entries"))
        .inputs(&from_environment(program, input.at("env")))
        .input("use_model", Some(&json!(wanted && there)));
    for name in ["user_query", "allowed_tools", "plan_outline"] {
        world = world.input(name, input.get(name));
    }
    for (role, list) in [("executor", "model_outputs"), ("fallback", "fallback_outputs")] {
        let said = input.at(list).items().map(|text| says(text.whole()));
        let silence = (0..MANY).map(|_| says(&json!("EXHAUSTED")));
        world = said.chain(silence).fold(world, |world, reply| world.model_as(role, reply));
    }
    let planned = input.at("planner_outputs").items();
    let planned = planned.map(|text| if text == "FAIL" { fails("unavailable") } else { says(text.whole()) });
    let silence = (0..MANY).map(|_| fails("unavailable"));
    world = planned.chain(silence).fold(world, |world, reply| world.model_as("planner", reply));
    outcomes(input).into_iter().fold(world, World::tool)
}

/// Tool calls that came to an exit code, in order.
fn executed(run: &PlayedRun) -> Json {
    let came_to_a_code = |id| {
        run.events.iter().any(|event| match &event.kind {
            EventKind::Resolved { call, outcome } => match &**outcome {
                Outcome::Answer { value, .. } => *call == id && !value.to_json()["exit_code"].is_null(),
                _ => false,
            },
            _ => false,
        })
    };
    let executed = run.events.iter().filter_map(|event| match &event.kind {
        EventKind::Called(call) if came_to_a_code(call.id.clone()) => match &call.request {
            Request::Tool { tool, args, .. } => {
                Some(json!({"tool": tool.as_str(), "args": Value::Map(args.clone()).to_json()}))
            }
            _ => None,
        },
        _ => None,
    });
    executed.collect()
}

/// What a run came to, by the names of the recording.
fn told(run: &PlayedRun, facts: &RunFacts) -> Json {
    let mut found = facts.output.to_json();
    if !found.is_object() {
        let refused = facts.error.to_json()["kind"] == "invalid_args" && facts.leaf_path.is_empty();
        return if refused {
            json!({"rejected": true})
        } else {
            json!({"ended": format!("{:?}", run.ended)})
        };
    }
    found["tools_executed"] = executed(run);
    found
}

/// Whole runs.
#[test]
fn golden_loop() {
    let program = graph(GRAPH);
    let file = File::open(LOOP);
    file.each_in("scenarios", |case, ours| {
        let (run, facts) = world(&file, &program, case.at("input")).play(&program);
        let (found, ours) = (told(&run, &facts), ours.whole());
        same(&wanted_of(&found, ours), ours).map_err(|fault| format!("{fault}\n{found:#}"))
    });
}

/// Whether a model's answer is an action: one that is not is skipped with its own reason.
fn accepted(file: &File, program: &Program, answer: &Json) -> Json {
    let (run, facts) = offering(file)
        .input("user_query", Some(&json!("question")))
        .input("allowed_tools", file.root().get("allowed_tools"))
        .input("retry_buffer", Some(&json!(1)))
        .model_as("executor", says(answer))
        .model_as("fallback", says(&json!("EXHAUSTED")))
        .tool(says(&json!({"stdout": "", "stderr": "", "exit_code": 0})))
        .play(program);
    let found = told(&run, &facts);
    assert_eq!(found["attempts"], 1, "one action is asked for: {found:#}");
    json!({"accepted": found["plan_skip_reason"] != "action_selection_failed"})
}

/// Whether a planned call repeats the last one.
fn duplicate(program: &Program, input: Recorded<'_>) -> Json {
    let text = |key: &str| input.at(key).text().unwrap_or_default();
    let last: Json = serde_json::from_str(text("last_action")).unwrap_or_default();
    let args: Json = serde_json::from_str(text("args")).expect("arguments are JSON");
    let tool = text("tool");
    let (run, facts) = World::new()
        .input("user_query", Some(&json!("question")))
        .input("allowed_tools", Some(&json!([tool])))
        .input("plan_entries", Some(&json!([{"tool": tool, "args": args}])))
        .input("retry_buffer", Some(&json!(0)))
        .input("use_model", Some(&json!(false)))
        .state("last_action", Some(&last))
        .tools([tool])
        .tool(says(&json!({"stdout": "", "stderr": "", "exit_code": 0})))
        .play(program);
    let found = told(&run, &facts);
    assert_eq!(found["attempts"], 1, "one call is planned: {found:#}");
    json!({"duplicate": found["plan_skip_reason"] == "duplicate_action"})
}

/// What a run has at its start. The buffer is what it may attempt beyond its plan.
fn start(program: &Program, input: Recorded<'_>) -> Json {
    let world = plan(World::new().tools([]), input.at("plan_entries"));
    let (run, facts) = world
        .input("user_query", Some(&json!("question")))
        .input("allowed_tools", Some(&json!([])))
        .input("use_model", Some(&json!(false)))
        .inputs(&from_environment(program, input))
        .play(program);
    let found = told(&run, &facts);
    let (Some(rows), Some(most)) = (found["plan"].as_array(), found["max_steps"].as_u64()) else {
        return found;
    };
    json!({"plan_length": rows.len(), "retry_buffer": most - rows.len() as u64, "max_steps": most})
}

/// Single verdicts, each of a run that comes to it.
#[test]
fn golden_units() {
    let program = graph(GRAPH);
    let file = File::open(UNITS);
    file.each_in("units", |unit, ours| {
        let input = unit.at("input");
        let found = match unit.at("fn").text() {
            Some("validate_react_action") => accepted(&file, &program, input.whole()),
            Some("is_duplicate_action") => duplicate(&program, input),
            Some("initialize_react_state") => start(&program, input),
            other => return Err(format!("nobody knows how to judge {other:?}")),
        };
        let ours = ours.whole();
        same(&wanted_of(&found, ours), ours)
    });
}
