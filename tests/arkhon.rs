//! Arkhon-Rheo among models, tools and people that answer anything.

use std::fmt::Write as _;

use loopwright::check::bound;
use loopwright::machine::Beginning;
use loopwright::program::Program;
use loopwright::scenario::{PlayEnd, PlayedRun, RunFacts};
use serde_json::{Value as Json, json};

use super::bounds::Bounded;
use super::dice::Dice;
use super::played::{World, fails, model, says};

const GRAPHS: [&str; 6] = ["main", "thought", "action", "auth", "main_flow", "error_handling"];

fn path(graph: &str) -> String {
    format!("graphs/arkhon/{graph}.loop")
}

/// What `check` says about how long they take.
#[test]
fn each_graph_has_a_bound() {
    let mut said = String::new();
    for graph in GRAPHS {
        let model = model(&path(graph));
        let bound = bound(&model, &Beginning::default()).expect("the loop ends");
        writeln!(said, "{graph}").expect("a text takes all");
        for (what, amount) in bound.amounts() {
            writeln!(said, "  {what}: {amount}").expect("a text takes all");
        }
    }
    println!("{said}");
    insta::assert_snapshot!(said);
}

fn any(dice: &mut Dice) -> Json {
    dice.of(&[
        json!(null),
        json!(true),
        json!(-7),
        json!(1.5),
        json!(""),
        json!("something"),
        json!("{\"half\": "),
        json!([]),
        json!([1, "a"]),
        json!({}),
        json!({"q": "x", "deep": [{"a": null}]}),
    ])
}

/// What a model replies: a thought, or something else. A stubborn one never has the answer.
fn reply(dice: &mut Dice, stubborn: bool) -> Json {
    let thought =
        ["look it up", "I guess so", "probably", "FINAL ANSWER early", "final answer", "", " ", "42"];
    let mut text = thought[dice.below(thought.len())];
    if stubborn && text.contains("FINAL") {
        text = "go on";
    }
    match dice.below(9) {
        0 => any(dice),
        1 => json!({"thought": any(dice), "action": any(dice), "more": 1}),
        2 => json!(text),
        _ => {
            let action =
                dice.of(&[json!(null), json!("search"), json!("nowhere"), json!("broken"), json!("")]);
            let input = dice.of(&[json!(null), json!({}), json!({"q": "x"}), json!({"q": 5})]);
            json!({"thought": text, "action": action, "action_input": input})
        }
    }
}

fn rule(dice: &mut Dice) -> Json {
    let names = ["max_depth", "forbid_guessing", "cost_limit", "require_tool_use"];
    json!({
        "rule": names[dice.below(names.len())],
        "severity": dice.of(&[json!(null), json!("retryable"), json!("terminal")]),
        "phrases": dice.of(&[json!(null), json!([]), json!(["probably", "go on"])]),
        "value": dice.of(&[json!(null), json!(0), json!(3), json!(0.25)]),
    })
}

fn tool_reply(world: World, dice: &mut Dice) -> World {
    let kinds = ["unavailable", "unavailable", "tool_failed", "denied", "rate_limited", "too_large"];
    if dice.below(2) == 0 {
        world.tool(fails(kinds[dice.below(kinds.len())]))
    } else {
        world.tool(says(&any(dice)))
    }
}

/// Tools of which one wants an argument.
fn tools(world: World) -> World {
    let schema = json!({"type": "object", "required": ["q"], "properties": {"q": {"type": "string"}}});
    let open = loopwright::value::Value::from_json(&json!({}));
    let tools =
        [("search", loopwright::value::Value::from_json(&schema)), ("broken", open.clone()), ("step", open)];
    world.catalogue(tools)
}

/// A world for the main cycle.
fn main_world(dice: &mut Dice, stubborn: bool) -> World {
    let steps = 1 + dice.below(5);
    let rules = dice.below(3);
    let rules: Vec<Json> = (0..rules).map(|_| rule(dice)).collect();
    let mut world = World::new()
        .input("max_steps", Some(&json!(steps)))
        .input("cost_limit", Some(&dice.of(&[json!(0), json!(0.5), json!(9)])))
        .input("rules", Some(&json!(if stubborn && dice.below(2) == 0 { Vec::new() } else { rules })))
        .input("interrupt_every", Some(&json!(dice.below(3))))
        .input("interrupt_before", Some(&dice.of(&[json!([]), json!([1, 3, -2])])))
        .input("max_questions", Some(&json!(dice.below(6))));
    world = tools(world);
    let thoughts = 2 * steps + 10;
    for _ in 0..thoughts * 5 {
        world = match dice.below(25) {
            0 => world.model(fails("unavailable")),
            1 if !stubborn => world.model(fails("denied")),
            _ => world.model(says(&reply(dice, stubborn))).cost(dice.below(40_000_000) as u64),
        };
    }
    for _ in 0..thoughts * 3 {
        world = tool_reply(world, dice);
    }
    for _ in 0..40 {
        let target = dice.of(&[json!(null), json!(-1), json!(0), json!(1), json!(9)]);
        let actions: &[Json] = &[json!("resume"), json!("rollback"), json!("rollback"), json!("abort")];
        let action = dice.of(if stubborn { &actions[..3] } else { actions });
        world = world.person("interrupt_gate", &json!({"action": action, "target_step": target}));
        let verdicts: &[Json] = &[json!("approve"), json!("edit"), json!("reject")];
        let verdict = dice.of(if stubborn { &verdicts[..2] } else { verdicts });
        let text = dice.of(&[json!(null), json!(""), json!("probably this"), json!("that")]);
        world = world.person("human_approval", &json!({"verdict": verdict, "text": text}));
    }
    world
}

/// Ends of the main cycle that are its own.
const ENDS: [&str; 8] = [
    "goal",
    "max_steps",
    "rule_violation",
    "cost_limit",
    "rejected",
    "aborted",
    "fatal_error",
    "questions_exhausted",
];

/// Whatever comes, the cycle ends by one of its own exits, or because its model fails, and within its bound.
#[test]
fn ten_thousand_runs_end_by_their_own_exits_within_the_bound() {
    let others = ["thoughts_exhausted", "invalid_format", "denied", "unavailable"];
    Bounded::of(&path("main")).holds(10_000, |program, seed| {
        let (run, facts) = main_world(&mut Dice::new(seed), seed % 8 < 4).play(program);
        let outcome = ended(&run, &facts, seed);
        assert!(ENDS.contains(&outcome.as_str()) || others.contains(&outcome.as_str()), "{seed}: {outcome}");
        let state = loopwright::value::Value::Map(facts.state.clone()).to_json();
        let ids = state["steps"].as_array().into_iter().flatten().map(|step| step["id"].clone());
        let count = state["steps"].as_array().map_or(0, Vec::len);
        assert_eq!(
            ids.collect::<Json>(),
            (0..count).collect::<Json>(),
            "{seed}: steps are numbered in order"
        );
        run
    });
}

/// A model that thinks of nothing four times in a row, a tool that is never there, and a person who always goes back.
#[test]
fn the_longest_way_comes_near_the_bound() {
    let (steps, thoughts, questions) = (5, 20, 19);
    let mut world = World::new()
        .input("max_steps", Some(&json!(steps)))
        .input("interrupt_every", Some(&json!(1)))
        .input("max_questions", Some(&json!(questions)))
        .tools(["broken"]);
    for _ in 0..thoughts {
        world = (0..4).fold(world, |world, _| world.model(says(&json!(null))));
        world = world.model(says(&json!({"thought": "go on", "action": "broken"})));
        world = (0..3).fold(world, |world, _| world.tool(fails("unavailable")));
    }
    for _ in 0..questions {
        world = world.person("interrupt_gate", &json!({"action": "rollback", "target_step": 0}));
    }
    let bounded = Bounded::of(&path("main"));
    let (run, facts) = world.play(&bounded.program);
    assert_eq!(facts.model_calls.len(), thoughts * 5, "{:?}", facts.outcome);
    let ([taken, ..], [most, ..]) = bounded.held(&run);
    println!("{taken} of at most {most} transitions");
    assert!(taken * 10 >= most * 7, "{taken} of at most {most} transitions");
}

/// The outcome of a run; it must have ended.
fn ended(run: &PlayedRun, facts: &RunFacts, seed: u64) -> String {
    assert!(matches!(run.ended, PlayEnd::Done(_)), "{seed}: {:?}", run.ended);
    facts.outcome.as_ref().map(ToString::to_string).unwrap_or_default()
}

/// Holds a thousand runs of a graph, and says that they come to all of these ends.
fn thousand(graph: &str, ends: &[&str], world: impl Fn(&mut Dice) -> World + Sync) {
    let seen = std::sync::Mutex::new(std::collections::BTreeSet::new());
    Bounded::of(&path(graph)).holds(1_000, |program: &Program, seed| {
        let (run, facts) = world(&mut Dice::new(seed)).play(program);
        let outcome = ended(&run, &facts, seed);
        seen.lock().expect("no other run failed").insert(outcome);
        run
    });
    let seen = seen.into_inner().expect("every run holds");
    assert_eq!(seen.iter().map(String::as_str).collect::<Vec<_>>(), ends, "{graph}");
}

#[test]
fn thoughts_end_within_their_bound() {
    thousand("thought", &["denied", "end", "invalid_format", "unavailable"], |dice| {
        let mut world = World::new();
        for _ in 0..20 {
            world = match dice.below(12) {
                0 => world.model(fails("unavailable")),
                1 => world.model(fails("denied")),
                2..6 => world.model(says(&any(dice))),
                _ => world.model(says(&json!(null))),
            };
        }
        world
    });
}

#[test]
fn actions_end_within_their_bound() {
    thousand("action", &["end"], |dice| {
        let name = dice.of(&[json!(null), json!("search"), json!("broken"), json!("nowhere"), json!(" ")]);
        let mut world = World::new()
            .input("action", Some(&name))
            .input("action_input", Some(&dice.of(&[json!({}), json!({"q": "x"}), json!({"q": 5})])));
        for _ in 0..4 {
            world = tool_reply(world, dice);
        }
        tools(world)
    });
}

#[test]
fn errors_are_handled_within_the_bound() {
    thousand("error_handling", &["next", "terminated"], |dice| {
        (0..4).fold(tools(World::new()), |world, _| tool_reply(world, dice))
    });
}

/// Credentials that are valid or not, or of a form that nobody knows.
fn check(world: World, dice: &mut Dice) -> World {
    match dice.below(5) {
        0 => world.tool(fails("unavailable")),
        1 => world.tool(says(&any(dice))),
        2 => world.tool(says(&json!({"valid": false}))),
        _ => world.tool(says(&json!({"valid": true, "guest": dice.below(3) == 0}))),
    }
}

const SIGN_IN: [&str; 3] = ["check-credentials", "issue-token", "process"];

#[test]
fn signing_in_ends_within_its_bound() {
    let ends = ["done", "guest", "invalid_output", "not_authenticated", "tool_failed", "unavailable"];
    thousand("auth", &ends, |dice| {
        let world = check(World::new().tools(SIGN_IN), dice);
        if dice.below(4) == 0 { world.tool(fails("tool_failed")) } else { world.tool(says(&any(dice))) }
    });
}

#[test]
fn a_flow_with_a_graph_in_it_ends_within_its_bound() {
    thousand("main_flow", &["end", "failed"], |dice| {
        let mut world = World::new().tools(SIGN_IN).input("user", Some(&json!("ada")));
        world =
            world.model(says(&if dice.below(4) == 0 { any(dice) } else { json!({"thought": "sign in"}) }));
        world = check(world, dice);
        for _ in 0..2 {
            world = tool_reply(world, dice);
        }
        world
    });
}
