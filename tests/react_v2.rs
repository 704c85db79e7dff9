//! ReAct v2 among models and tools that answer anything.

use loopwright::scenario::{Ended, Suite};
use loopwright::source::Sources;
use serde_json::{Value as Json, json};

use super::bounds::Bounded;
use super::graphs::Repository;
use super::played::{World, fails, says};

/// Numbers that look random and are the same each time.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits fit") % n
    }

    pub(crate) fn of(&mut self, all: &[Json]) -> Json {
        all[self.below(all.len())].clone()
    }
}

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
            "react.write",
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
    let graph = &Bounded::of("graphs/react/v2.yaml");
    let part = |part: u64| {
        let mut nearest = 0;
        for seed in (part..10_000).step_by(4) {
            let (run, facts) = world(&mut Dice(seed), seed % 8 < 4).play(&graph.program);
            assert!(matches!(run.ended, Ended::Done(_)), "{seed}: {:?}", run.ended);
            let output = facts.output.to_json();
            let exits =
                ["complete", "clarify", "max_iterations", "protocol_violation", "tool_error", "error"];
            assert!(exits.contains(&output["exit_reason"].as_str().unwrap_or_default()), "{seed}: {output}");
            assert!(
                output["error"].is_null() || output["error"] == "it fails",
                "{seed}: {}",
                output["error"]
            );
            let ([taken, ..], [most, ..]) = graph.held(&run);
            nearest = nearest.max(taken * 100 / most);
        }
        nearest
    };
    let nearest = std::thread::scope(|scope| {
        let parts = [0, 1, 2, 3].map(|at| scope.spawn(move || part(at)));
        parts.map(|part| part.join().expect("every run holds")).into_iter().max()
    });
    println!("10,000 runs, the longest took {} % of its bound", nearest.unwrap_or_default());
}

/// The longest of the scenarios takes at least four fifths of the transitions that `check` allows for.
#[test]
fn the_longest_way_comes_near_the_bound() {
    let loaded = Suite::load(&mut Sources::new(), &mut Repository::whole(), "graphs/react/v2.scenarios.yaml");
    let suite = loaded.suite.expect("the scenarios can be played");
    let report =
        suite.play_all().find(|report| report.name == "the longest way").expect("there is such a scenario");
    let ([taken, ..], [most, ..]) = Bounded::of("graphs/react/v2.yaml").held(&report.run);
    println!("{taken} of at most {most} transitions");
    assert!(taken * 5 >= most * 4, "{taken} of at most {most} transitions");
}
