//! The graphs of Arkhon-Rheo against what was recorded of the seed's snippets and what was decided about them: whole runs, and
//! single snippets, each played at the place of the graph that does its work.
//!
//! Texts of errors are not compared where they come from a stand-in of the recording.

mod cases;
mod child;
mod kept;
mod snippets;

use loopwright::scenario::{PlayedRun, RunFacts, ScriptedReply};
use loopwright::value::{Str, Value};
use serde_json::{Value as Json, json};

use super::golden::Recorded;
use super::played::{World, fails_with, says};

const CASES: &str = "arkhon_scenarios.json";
const SNIPPETS: &str = "arkhon_doc_snippets.json";
const MAIN: &str = "graphs/arkhon/main.loop";

/// The names that the seed's nodes have in the graphs. What has no other name here keeps its own.
const NODES: [(&str, &str); 6] = [
    ("think", "thought"),
    ("weigh", "validate"),
    ("record", "commit"),
    ("end", "END"),
    ("auth_subgraph", "sub"),
    ("process", "next"),
];

/// The fields of the seed's state.
const STATE: [&str; 3] = ["steps", "metadata", "terminated"];

/// Leaves that the seed does not count among the nodes of its cycle.
const WITHIN: [&str; 8] = [
    "begin",
    "interrupt_gate",
    "await_user",
    "rollback",
    "aborted",
    "check_rules",
    "terminate",
    "check_termination",
];

/// The way through the seed's nodes.
fn way(leaves: &[Str], within: &[&str]) -> Vec<String> {
    let named = |leaf: &Str| {
        let other = NODES.iter().find(|(own, _)| leaf == own).map(|(_, name)| (*name).to_owned());
        other.unwrap_or_else(|| leaf.to_string())
    };
    leaves.iter().filter(|leaf| !within.contains(&leaf.as_str())).map(named).collect()
}

/// The way through the main cycle.
fn cycle(facts: &RunFacts) -> Vec<String> {
    way(&facts.leaf_path, &WITHIN)
}

/// The state at the end, by the seed's names.
fn state(facts: &RunFacts) -> Json {
    let mut state = Value::Map(facts.state.clone()).to_json();
    if let Some(failed) = state.as_object_mut().and_then(|state| state.remove("failed")) {
        state["error"] = failed;
    }
    state
}

/// A thought without an action.
fn thought(text: &str) -> ScriptedReply {
    says(&json!({"thought": text}))
}

/// What a tool is answered with. An error is named by its class.
fn outcome(script: Recorded<'_>) -> ScriptedReply {
    match script.at("error").text() {
        None => says(script.at("ok").whole()),
        Some(class) => failure(class, script.at("message").text().unwrap_or("it fails")),
    }
}

/// An error of a class.
fn failure(class: &str, message: &str) -> ScriptedReply {
    let kind = match class {
        "transient" => "unavailable",
        "permanent" | "recoverable" => "tool_failed",
        "fatal" => "denied",
        kind => kind,
    };
    fails_with(kind, message)
}

/// Whether a person's answer was refused: the same question stands again.
fn rejected(facts: &RunFacts) -> bool {
    facts.waiting == ["interrupt_gate"] && facts.questions.len() > 1
}

/// The seconds a run slept, sleep by sleep.
fn waits(run: &PlayedRun) -> Vec<i64> {
    let wait = |event: &loopwright::machine::Event| match event.kind {
        loopwright::machine::EventKind::Waiting { until, .. } => Some((until - event.at) / 1_000_000_000),
        _ => None,
    };
    run.events.iter().filter_map(wait).collect()
}

/// The thoughts of steps.
fn thoughts(steps: &Json) -> Json {
    steps.as_array().into_iter().flatten().map(|step| step["thought"].clone()).collect()
}

/// Steps of which only the thoughts are known.
fn steps(thoughts: impl IntoIterator<Item = Json>) -> Json {
    thoughts.into_iter().enumerate().map(|(id, thought)| json!({"id": id, "thought": thought})).collect()
}

/// The same thoughts `t0`, `t1` and so on as in the recording.
fn numbered(count: u64) -> Json {
    steps((0..count).map(|n| format!("t{n}").into()))
}

/// What is wanted that was not found. `*` stands for any text but an empty one.
fn lacks(found: &Json, wanted: &Json) -> Option<String> {
    match (found, wanted) {
        (Json::Object(found), Json::Object(wanted)) => wanted.iter().find_map(|(key, wanted)| {
            lacks(found.get(key).unwrap_or(&Json::Null), wanted).map(|lack| format!("{key}: {lack}"))
        }),
        (Json::Array(found), Json::Array(wanted)) if found.len() == wanted.len() => {
            found.iter().zip(wanted).find_map(|(found, wanted)| lacks(found, wanted))
        }
        (Json::String(found), Json::String(wanted)) if wanted == "*" => {
            found.is_empty().then(|| "wanted a text, found an empty one".to_owned())
        }
        (Json::Number(one), Json::Number(other)) if one.as_f64() == other.as_f64() => None,
        // Money is a text in JSON.
        (Json::String(found), Json::Number(wanted)) if found.parse().ok() == wanted.as_f64() => None,
        _ if found == wanted => None,
        _ => Some(format!("wanted {wanted}, found {found}")),
    }
}

/// Says what is wrong.
fn holds(found: &Json, wanted: &Json) -> Result<(), String> {
    lacks(found, wanted).map_or(Ok(()), |lack| Err(format!("{lack}\nin {found}")))
}

/// A world that begins in the state of a case.
fn beginning(world: World, initial: Recorded<'_>) -> World {
    STATE.iter().fold(world, |world, name| world.state(name, initial.get(name)))
}

/// The same for a state that a test makes up.
fn beginning_in(world: World, state: &Json) -> World {
    STATE.iter().fold(world, |world, name| world.state(name, state.get(*name)))
}
