//! The okso loop among models, planners and tools that answer anything.

use std::collections::BTreeSet;
use std::sync::Mutex;

use loopwright::scenario::{PlayEnd, RunFacts};
use loopwright::value::{Str, Value};
use serde_json::{Value as Json, json};

use super::bounds::{Bounded, comes_near};
use super::cli::Desk;
use super::dice::Dice;
use super::golden::same;
use super::okso_rules::{Given, Loop, Said, schema};
use super::played::{World, fails, says};

const GRAPH: &str = "graphs/okso/react.yaml";

/// No run comes to more attempts than this under the inputs that are made up here, and to more new plans.
const ATTEMPTS: usize = 32;
const PLANS: usize = 3;

fn tool(dice: &mut Dice) -> Json {
    dice.of(&[
        json!("alpha"),
        json!("alpha"),
        json!("beta"),
        json!("gamma"),
        json!("final_answer"),
        // It may be allowed, and is never on offer.
        json!("ghost"),
        json!("nobody"),
    ])
}

fn args(tool: &Json, dice: &mut Dice) -> Json {
    let any = [json!({}), json!({"input": 5}), json!({"n": [1, {"a": null}]}), json!({"input": " "})];
    let fitting = match tool.as_str() {
        Some("alpha") => json!({"n": dice.below(2)}),
        Some("beta") => {
            dice.of(&[json!({"a": 1, "b": [2]}), json!({"b": [2.0], "a": 1.0}), json!({"a": null})])
        }
        Some("final_answer") => dice.of(&[json!({"input": "done"}), json!({"input": ""})]),
        _ => json!({"input": "x"}),
    };
    if dice.below(6) == 0 { dice.of(&any) } else { fitting }
}

fn row(dice: &mut Dice) -> Json {
    let tool = tool(dice);
    let args = args(&tool, dice);
    let whole = json!({"tool": tool, "thought": "as planned", "args": args});
    let short = json!({"tool": tool});
    if dice.below(5) == 0 { short } else { whole }
}

fn rows(dice: &mut Dice, most: usize) -> Json {
    let number = dice.below(most + 1);
    (0..number).map(|_| row(dice)).collect()
}

fn action(dice: &mut Dice) -> Said {
    let tool = tool(dice);
    let args = args(&tool, dice);
    let mut action = json!({"thought": "t", "tool": tool, "args": args});
    match dice.below(20) {
        0 => return Said::Error("unavailable"),
        1 => return Said::Value(dice.of(&[json!("no action"), json!(null), json!([]), json!({}), json!(7)])),
        2 => action["thought"] = dice.of(&[json!(" "), json!(null), json!(3)]),
        3 => action["more"] = json!(1),
        4 => action["args"] = dice.of(&[json!([]), json!(null), json!("{}")]),
        5 => action["tool"] = dice.of(&[json!(null), json!(""), json!(["alpha"])]),
        _ => {}
    }
    Said::Value(action)
}

fn proposal(dice: &mut Dice) -> Said {
    let rows = rows(dice, 4);
    match dice.below(8) {
        0 => Said::Error("unavailable"),
        1 => Said::Value(dice.of(&[
            json!("no plan"),
            json!({}),
            json!([7]),
            json!([{"tool": ""}]),
            json!(null),
        ])),
        2 | 3 => Said::Value(json!({"outline": "another way", "plan": rows})),
        _ => Said::Value(rows),
    }
}

fn outcome(dice: &mut Dice) -> Said {
    match dice.below(10) {
        0 => Said::Error("denied"),
        1 => Said::Error(if dice.below(2) == 0 { "tool_failed" } else { "timeout" }),
        2 => Said::Value(dice.of(&[json!(null), json!("text"), json!({"stdout": "x", "exit_code": null})])),
        3 | 4 => Said::Value(json!({"stdout": "", "stderr": "broken", "exit_code": 2})),
        _ => Said::Value(json!({"stdout": "x".repeat(dice.below(400)), "stderr": "", "exit_code": 0})),
    }
}

/// What a run is given. In a stubborn world every tool fails and the planner always has another plan that can be used.
fn given(dice: &mut Dice, stubborn: bool) -> Given {
    let number = |dice: &mut Dice, all: &[i64]| json!(all[dice.below(all.len())]);
    let allowed = [
        json!(["alpha", "beta", "gamma", "ghost", "final_answer"]),
        json!(["alpha", "beta", "gamma", "ghost", "final_answer"]),
        json!(["alpha", "final_answer"]),
        json!(["beta", "alpha"]),
        json!([]),
    ];
    let mut inputs = json!({
        "user_query": "question",
        "plan_entries": rows(dice, 4),
        "allowed_tools": dice.of(&allowed),
        "retry_buffer": number(dice, &[-1, 0, 1, 2, 4]),
        "replan_failure_threshold": number(dice, &[-3, 0, 1, 1, 2, 3]),
        "max_replans": number(dice, &[-1, 0, 1, 2, 3, 3]),
        "max_plan_rows": number(dice, &[-1, 0, 1, 3, 4, 4]),
        "use_model": dice.below(3) > 0,
    });
    let mut planner: Vec<_> = (0..PLANS).map(|_| proposal(dice)).collect();
    let mut executor: Vec<_> = (0..ATTEMPTS).map(|_| action(dice)).collect();
    let mut tools: Vec<_> = (0..ATTEMPTS).map(|_| outcome(dice)).collect();
    if stubborn {
        let row = json!({"tool": "alpha", "args": {"n": 0}, "thought": "again"});
        let most = usize::try_from(inputs["max_plan_rows"].as_i64().unwrap_or_default()).unwrap_or_default();
        planner = vec![Said::Value(vec![row.clone(); most].into()); PLANS];
        tools = vec![Said::Value(json!({"stdout": "", "stderr": "broken", "exit_code": 1})); ATTEMPTS];
        executor = vec![Said::Value(row.clone()); ATTEMPTS];
        inputs["plan_entries"] = vec![row; dice.below(5)].into();
        inputs["allowed_tools"] = json!(["alpha", "final_answer"]);
        inputs["replan_failure_threshold"] = number(dice, &[1, 1, 2]);
    }
    let fallback =
        if dice.below(3) == 0 { Said::Error("unavailable") } else { Said::Value(json!("fallback")) };
    Given { inputs, offered: vec!["alpha", "beta", "gamma"], executor, planner, fallback, tools }
}

fn world(given: &Given) -> World {
    let reply = |said: &Said| match said {
        Said::Value(value) => says(value),
        Said::Error(kind) => fails(kind),
    };
    let offered = given.offered.iter().map(|name| (*name, Value::from_json(&schema(name))));
    let mut world = World::new().inputs(&given.inputs).catalogue(offered);
    let fallback = std::slice::from_ref(&given.fallback);
    let roles = [("executor", &*given.executor), ("planner", &*given.planner), ("fallback", fallback)];
    for (role, all) in roles {
        world = all.iter().fold(world, |world, said| world.model_as(role, reply(said)));
    }
    given.tools.iter().fold(world, |world, said| world.tool(reply(said)))
}

/// What a run came to, in the words of the rules.
fn told(facts: &RunFacts) -> Json {
    let mut found = facts.output.to_json();
    found["latch"] = facts.state.get("latch").map_or(Json::Null, Value::to_json);
    let call = |call: &Value| {
        let call = call.to_json();
        json!({"tool": call["tool"], "args": call["args"]})
    };
    found["calls"] = facts.tool_calls.iter().map(call).collect();
    found
}

/// What holds at the end of every run, whatever came.
fn holds_always(found: &Json, facts: &RunFacts, given: &Given, ceiling: i64) {
    let number = |name: &str| found[name].as_i64().unwrap_or_else(|| panic!("{name} is a number: {found:#}"));
    assert_eq!(number("step") + number("retry_count"), number("attempts"), "{found:#}");
    assert!(number("attempts") <= number("max_steps") && number("max_steps") <= ceiling, "{found:#}");
    let most = given.inputs["max_replans"].as_i64().unwrap_or_default().max(0);
    assert!(number("replans") <= most, "{found:#}");
    let asked = |role: &str| {
        let asked = facts.model_calls.iter().filter(|call| call.to_json()["role"] == role);
        i64::try_from(asked.count()).expect("models are asked a few times")
    };
    assert_eq!(asked("planner"), number("replans"));
    let use_model = given.inputs["use_model"] == true;
    assert_eq!(asked("executor"), if use_model { number("attempts") } else { 0 });
    assert_eq!(asked("fallback"), i64::from(use_model && found["fallback"] == true));
    let attempts = usize::try_from(number("attempts")).expect("attempts are counted from 0");
    assert_eq!(found["history"].as_array().map(Vec::len), Some(attempts), "each attempt is kept: {found:#}");
    assert!(found["final_answer"].as_str().is_some_and(|text| !text.is_empty()), "{found:#}");
    assert_eq!(found["fallback"] == true, facts.outcome.as_ref().map(Str::as_str) == Some("fallback"));
    for call in found["calls"].as_array().into_iter().flatten() {
        let allowed = given.inputs["allowed_tools"].as_array().expect("a list");
        assert!(allowed.contains(&call["tool"]), "{call} is not allowed");
    }
}

/// Whatever comes, the loop does what its description says, ends by one of its own exits, never by a fault of its own text, and
/// within its bound.
#[test]
fn ten_thousand_runs_keep_to_the_rules_and_the_bound() {
    let seen: Mutex<BTreeSet<String>> = Mutex::default();
    Bounded::of(GRAPH).holds(10_000, |program, seed| {
        let given = given(&mut Dice::new(seed), seed % 8 < 4 && seed % 3 > 0);
        let (run, facts) = world(&given).play(program);
        assert!(matches!(run.ended, PlayEnd::Done(_)), "{seed}: {:?}", run.ended);
        let rules = Loop::new(&given);
        let (found, ceiling) = (told(&facts), rules.ceiling);
        let wanted = rules.end();
        let kept: Json =
            wanted.as_object().expect("fields").keys().map(|key| (key.clone(), found[key].clone())).collect();
        same(&kept, &wanted).unwrap_or_else(|fault| panic!("{seed}: {given:#?}\n{fault}\n{found:#}"));
        holds_always(&found, &facts, &given, ceiling);
        let mut seen = seen.lock().expect("no other run failed");
        let number = |name: &str| found[name].as_i64().unwrap_or_default();
        seen.insert(format!("{} after {} replans", facts.outcome.unwrap_or_default(), number("replans")));
        seen.insert(format!("reason {}", found["plan_skip_reason"]));
        if number("attempts") == ceiling && number("replans") == 3 {
            seen.insert("at the ceiling".to_owned());
        }
        run
    });
    let seen = seen.into_inner().expect("no run failed");
    let reasons =
        ["", "action_selection_failed", "tool_not_permitted", "duplicate_action", "plan_tool_mismatch"];
    let ends = ["complete", "fallback"]
        .into_iter()
        .flat_map(|end| (0..=3).map(move |replans| format!("{end} after {replans} replans")));
    let all =
        ends.chain(reasons.map(|reason| format!("reason \"{reason}\""))).chain(["at the ceiling".to_owned()]);
    let missing: Vec<_> = all.filter(|one| !seen.contains(one)).collect();
    assert!(missing.is_empty(), "no run came to {missing:?}, only to {seen:?}");
}

/// The longest of the scenarios takes at least four fifths of the transitions that `check` allows for.
#[test]
fn the_longest_way_comes_near_the_bound() {
    comes_near(GRAPH, "the longest way");
}

/// The demo with its real commands: what the original takes from the environment is taken from there, and the command line stands
/// before it.
#[test]
fn variables_set_what_the_demo_may_attempt() {
    let desk = Desk::new();
    desk.trust("graphs/okso");
    let demo = "run graphs/okso/react.yaml --script graphs/okso/react.script.yaml --input @graphs/okso/react.input.json \
                --grant count_lines --format json";
    let run = |words: &str, env: &[(&str, &str)]| {
        let ran = desk.run_with(&format!("{demo} {words}"), env);
        let ended: Json =
            serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}", ran.transcript()));
        let end = json!([ended["outcome"], ended["output"]["max_steps"], ended["output"]["replans"]]);
        (end, ran.stderr.matches("warning[config-variable]").count())
    };
    let buffer = |text| ("REACT_RETRY_BUFFER", text);
    let threshold = |text| ("REACT_REPLAN_FAILURE_THRESHOLD", text);
    assert_eq!(run("", &[]), (json!(["complete", 7, 1]), 0));
    assert_eq!(run("", &[buffer("1")]), (json!(["complete", 6, 1]), 0));
    assert_eq!(run("", &[buffer("0")]), (json!(["fallback", 5, 1]), 0));
    assert_eq!(run("--input retry_buffer=1", &[buffer("0")]), (json!(["complete", 6, 1]), 0));
    assert_eq!(run("", &[buffer("abc"), threshold("-1")]), (json!(["complete", 7, 1]), 1));
    assert_eq!(run("", &[buffer("-1"), threshold("two")]), (json!(["complete", 7, 1]), 1));
    assert_eq!(
        run("--input replan_failure_threshold=2", &[threshold("two")]),
        (json!(["complete", 7, 1]), 0)
    );
    // No new plan: what was planned is tried until the attempts are used up.
    assert_eq!(run("", &[threshold("9")]).0, json!(["fallback", 5, 0]));
}
