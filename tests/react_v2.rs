//! ReAct v2 among models and tools that answer anything.

use loopwright::scenario::PlayEnd;
use serde_json::{Value as Json, json};

use super::bounds::{Bounded, comes_near};
use super::dice::Dice;
use super::played::{World, fails, says};

fn any(dice: &mut Dice) -> Json {
    dice.of(&[
        json!(null),
        json!(true),
        json!(-7),
        json!(1.5),
        json!(""),
        json!(" "),
        json!("ar:turn-1.user.prompt"),
        json!("✓ [1] a\n✗ [2] b — no\n✓ [99999999999999999999] c"),
        json!([]),
        json!(["ar:turn-1.user.prompt", 3, "nowhere", "sk:charts"]),
        json!([{"name": "a", "filename": 7}, {"name": "b"}, 4]),
        json!({}),
        json!({"error": {"deep": [1]}}),
        json!([{"path": "a", "text": "b", "similarity": 0.5}]),
    ])
}

fn params(dice: &mut Dice) -> Json {
    let keys = [
        "path",
        "channel",
        "content",
        "kind",
        "paths",
        "query",
        "top_k",
        "targets",
        "replacement",
        "contract",
        "mode",
        "steps",
    ];
    let mut params = serde_json::Map::new();
    for _ in 0..dice.below(6) {
        params.insert(keys[dice.below(keys.len())].to_owned(), any(dice));
    }
    if dice.below(2) == 0 {
        params.insert(
            "mode".to_owned(),
            dice.of(&[json!("new"), json!("update"), json!("close"), json!("burn")]),
        );
        params.insert("steps".to_owned(), dice.of(&[json!(["a", "b"]), json!([]), json!([1]), json!("a")]));
    }
    Json::Object(params)
}

fn decision(dice: &mut Dice) -> Json {
    let tools = [
        "react.read",
        "react.write",
        "react.plan",
        "react.memory_read",
        "react.memory_hide",
        "my.calc",
        "no.such",
        "exec_tools.execute_code_python",
        "generic_tools.write_pdf",
        "ctx_tools.fetch_ctx",
        "",
    ];
    let mut call = json!({"tool_id": tools[dice.below(tools.len())], "params": params(dice)});
    if dice.below(10) == 0 {
        call = any(dice);
    }
    let actions =
        ["call_tool", "call_tool", "call_tool", "call_tool", "complete", "exit", "clarify", "dance"];
    json!({
        "action": actions[dice.below(actions.len())],
        "strategy": dice.of(&[json!(null), json!("explore"), json!("exploit"), json!("hope")]),
        "notes": dice.of(&[json!(null), json!("✓ [1] a"), json!("✗ [2] b — no"), json!("□ [1]")]),
        "tool_call": call,
        "completion_summary": dice.of(&[json!(null), json!("done"), json!(" ")]),
        "clarification_questions": dice.of(&[json!(null), json!([]), json!(["q"])]),
    })
}

/// A world for a run. A stubborn model never ends the loop by itself.
fn world(dice: &mut Dice, stubborn: bool) -> World {
    let mut world = World::new()
        .input("max_iterations", Some(&json!(dice.below(6))))
        .input("max_tokens", Some(&dice.of(&[json!(0), json!(60), json!(400)])))
        .input("keep_recent_turns", Some(&json!(dice.below(3))))
        .input("plan_steps", Some(&dice.of(&[json!([]), json!(["a", "b"])])))
        .input("skills", Some(&json!({"charts": "Draw axes first."})))
        .tools([
            "my.calc",
            "generic_tools.write_pdf",
            "write_file",
            "react.memory_read",
            "exec_tools.execute_code_python",
        ]);
    for _ in 0..60 {
        let mut answer = decision(dice);
        if stubborn {
            answer["action"] = dice.of(&[json!("call_tool"), json!("call_tool"), json!("dance")]);
        }
        world = match dice.below(12) {
            0 => world.model(fails("context_limit")),
            1 if !stubborn => world.model(says(&json!("no decision at all"))),
            _ => world.model(says(&answer)),
        };
        world = match dice.below(8) {
            0 => world.tool(fails("tool_failed")),
            _ => world.tool(says(&any(dice))),
        };
    }
    world
}

/// Whatever comes, the loop ends by one of its own exits, never by a fault of its own text, and within its bound.
#[test]
fn ten_thousand_runs_end_by_their_own_exits_within_the_bound() {
    Bounded::of("graphs/react/v2.yaml").holds(10_000, |program, seed| {
        let (run, facts) = world(&mut Dice::new(seed), seed % 8 < 4).play(program);
        assert!(matches!(run.ended, PlayEnd::Done(_)), "{seed}: {:?}", run.ended);
        let output = facts.output.to_json();
        let exits = ["complete", "clarify", "max_iterations", "protocol_violation", "tool_error", "error"];
        assert!(exits.contains(&output["exit_reason"].as_str().unwrap_or_default()), "{seed}: {output}");
        assert!(output["error"].is_null() || output["error"] == "it fails", "{seed}: {}", output["error"]);
        run
    });
}

/// The longest of the scenarios takes at least four fifths of the transitions that `check` allows for.
#[test]
fn the_longest_way_comes_near_the_bound() {
    comes_near("graphs/react/v2.yaml", "the longest way");
}
