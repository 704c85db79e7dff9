//! ReAct v1 and its variant: what they differ in, and how they fare among models and tools that answer anything.

use loopwright::check::check_file;
use loopwright::compile::compile;
use loopwright::diff::{Version, diff};
use loopwright::scenario::{PlayEnd, RunFacts};
use loopwright::source::Sources;
use loopwright::value::Value;
use serde_json::{Value as Json, json};

use super::bounds::{Bounded, comes_near};
use super::dice::Dice;
use super::graphs::Repository;
use super::played::{World, fails, says};

fn any(dice: &mut Dice) -> Json {
    dice.of(&[
        json!(null),
        json!(true),
        json!(-7),
        json!(""),
        json!("current_turn.artifacts.a"),
        json!([]),
        json!(["current_turn.artifacts.a", 3, "nowhere", "style"]),
        json!([{"name": "a", "filename": 7}, {"name": "b", "type": "file"}, 4]),
        json!({}),
        json!({"text": "t", "path": 1}),
        json!({"a": {"path": "a.csv", "text": "1"}, "b": null}),
        json!([{"param_name": "q", "path": "current_turn.artifacts.a.value.text"}]),
        json!([{"slot_name": "report", "source_path": "current_turn.artifacts.a", "draft": true}]),
    ])
}

fn mappings(dice: &mut Dice) -> Json {
    let paths = [
        "current_turn.artifacts.a",
        "current_turn.artifacts.b.value.text",
        "current_turn.artifacts.a.value.0",
        "current_turn.slots.report",
        "turn-1.slots.old",
        "turn-1.artifacts.none",
        "...",
        "",
    ];
    let one = |dice: &mut Dice| {
        json!({
            "slot_name": dice.of(&[json!("report"), json!("table"), json!("chart"), json!(1)]),
            "source_path": paths[dice.below(paths.len())],
            "draft": dice.of(&[json!(true), json!(false), json!("yes")]),
        })
    };
    (0..dice.below(4)).map(|_| one(dice)).collect()
}

fn decision(dice: &mut Dice, actions: &[&str], strategies: &[Json]) -> Json {
    let tools = [
        "my.calc",
        "my.calc",
        "generic_tools.web_search",
        "generic_tools.write_pdf",
        "exec_tools.execute_code_python",
        "codegen_tools.codegen_python",
        "no.such",
        "",
    ];
    let mut call = json!({
        "tool_id": tools[dice.below(tools.len())],
        "params": dice.of(&[json!({}), json!({"output_contract": {"b": 1}}), json!(1)]),
        "out_artifacts_spec": dice.of(&[json!([{"name": "a"}]), json!([{"name": "b", "kind": "file"}])]),
    });
    match dice.below(12) {
        0 => call = any(dice),
        1 => call["out_artifacts_spec"] = any(dice),
        2 => call["params"] = any(dice),
        _ => {}
    }
    let map_slots = if dice.below(3) == 0 { any(dice) } else { mappings(dice) };
    json!({
        "action": actions[dice.below(actions.len())],
        "strategy": dice.of(strategies),
        "focus_slot": dice.of(&[json!(null), json!("report"), json!("table"), json!("none")]),
        "next_decision_model": dice.of(&[json!(null), json!("strong"), json!("regular"), json!("weak")]),
        "tool_call": call,
        "fetch_context": any(dice),
        "map_slots": map_slots,
        "show_artifacts": dice.of(&[json!(null), json!(["current_turn.artifacts.a.value"]), json!([".."])]),
        "show_skills": dice.of(&[json!(null), json!(["style"]), json!(["none"])]),
        "completion_summary": dice.of(&[json!(null), json!(" "), json!(null), json!(null)]),
        "clarification_questions": dice.of(&[json!(null), json!([]), json!(["q"])]),
    })
}

/// A world for a run. A stubborn model never ends the turn by itself.
fn world(dice: &mut Dice, stubborn: bool) -> World {
    let (actions, strategies) = if stubborn {
        (
            vec!["call_tool", "call_tool", "decision"],
            vec![json!("exploit"), json!("explore"), json!("exploit")],
        )
    } else {
        (
            vec![
                "call_tool",
                "call_tool",
                "call_tool",
                "decision",
                "complete",
                "exit",
                "clarify",
                "dance",
                "",
            ],
            vec![
                json!(null),
                json!("explore"),
                json!(" EXPLOIT"),
                json!("render"),
                json!("exit"),
                json!("hope"),
            ],
        )
    };
    let caps = json!({
        "decision_rounds": dice.of(&[json!(null), json!(0), json!(1)]),
        "tool_calls": dice.of(&[json!(null), json!(2)]),
        "exploit_rounds": dice.of(&[json!(null), json!(4)]),
        "decision_reruns": dice.of(&[json!(null), json!(0)]),
        "context_reads": dice.of(&[json!(null), json!(9)]),
    });
    let old = json!({"type": "file", "text": "t", "path": "old.pdf", "source_path": "", "draft": false});
    let mut world = World::new()
        .input(
            "contract",
            Some(&dice.of(&[
                json!({}),
                json!({"report": "inline"}),
                json!({"report": "inline", "table": "file"}),
            ])),
        )
        .input("policy", Some(&json!({"sb": any(dice), "caps": caps})))
        .input("skills", Some(&json!({"style": "Be short."})))
        .input("turns", Some(&json!({"turn-1": {"artifacts": {}, "slots": {"old": old}}})))
        .tools([
            "my.calc",
            "generic_tools.web_search",
            "generic_tools.write_pdf",
            "exec_tools.execute_code_python",
            "codegen_tools.codegen_python",
        ]);
    for _ in 0..20 {
        let answer = decision(dice, &actions, &strategies);
        world = match dice.below(20) {
            0 => world.model(says(&json!("no decision at all"))),
            _ => world.model(says(&answer)),
        };
        world = match dice.below(8) {
            0 => world.tool(fails("tool_failed")),
            _ => world.tool(says(&any(dice))),
        };
    }
    world
}

/// What the properties of the graph say, read from what it told while it ran.
fn keeps_its_word(facts: &RunFacts) -> Result<(), String> {
    let events = facts.events.iter().map(Value::to_json);
    let rows: Vec<Json> =
        events.filter(|event| event["name"] == "node_done").map(|event| event["payload"].clone()).collect();
    for row in &rows {
        let standing = &row["standing"];
        if row["node"] == "tool_execution" && standing["is_wrapup"] == true {
            return Err(format!("a tool ran in the wrap-up: {row}"));
        }
        if row["node"] != "exit" && !standing["exit_reason"].is_null() {
            return Err(format!("the exit reason is set too early: {row}"));
        }
    }
    for pair in rows.windows(2) {
        let [before, after] = [&pair[0], &pair[1]].map(|row| row["standing"]["counters"].as_object());
        for (name, used) in before.into_iter().flatten() {
            let later = after.and_then(|after| after.get(name)).and_then(Json::as_i64);
            if later < used.as_i64() {
                return Err(format!("{name} is used less than before: {}", pair[1]));
            }
        }
    }
    if facts.path.last().is_some_and(|name| name == "exit") {
        Ok(())
    } else {
        Err(format!("the run does not end at the exit: {:?}", facts.path))
    }
}

/// Whatever comes, the loop ends at its own exit, never by a fault of its own text, and within its bound.
fn runs(file: &str, number: u64) {
    Bounded::of(file).holds(number, |program, seed| {
        let (run, facts) = world(&mut Dice::new(seed), seed % 8 < 4).play(program);
        assert!(matches!(run.ended, PlayEnd::Done(_)), "{seed}: {:?}", run.ended);
        let output = facts.output.to_json();
        assert!(output["exit_reason"] != "error", "{seed}: {output}");
        keeps_its_word(&facts).unwrap_or_else(|fault| panic!("{seed}: {fault}"));
        run
    });
}

#[test]
fn ten_thousand_runs_end_at_the_exit_within_the_bound() {
    runs("graphs/react/v1.yaml", 10_000);
}

#[test]
fn runs_of_the_code_end_at_the_exit_within_the_bound() {
    runs("graphs/react/v1_code.yaml", 10_000);
}

/// The longest of the scenarios takes at least four fifths of the transitions that `check` allows for.
#[test]
fn the_longest_way_comes_near_the_bound() {
    comes_near("graphs/react/v1.yaml", "the longest way");
}

/// Where the program behaves otherwise than its description: the place in the graph, and the row of the page that decides it.
const DECIDED: [(&str, &str); 7] = [
    ("graph", ""),
    ("title", ""),
    ("nodes.begin.edges[1]", "the wrap-up begins"),
    ("nodes.gate.edges[0].when", "the gate in the wrap-up"),
    ("nodes.overdraft_available.edges[0]", "the wrap-up begins"),
    ("nodes.out_of_budget.edges[0].to", "the budget is used up, and there is no overdraft"),
    ("let.kept", "the reason of a decision that is stopped"),
];

#[test]
fn the_variant_differs_as_decided_and_in_nothing_else() {
    let mut sources = Sources::new();
    let [described, program] = ["graphs/react/v1.yaml", "graphs/react/v1_code.yaml"].map(|path| {
        let checked = check_file(&mut sources, &mut Repository::whole(), path);
        let model = checked.model.expect("the graph has a model");
        (compile(&model).expect("the graph compiles"), model, checked.trees)
    });
    let [before, after] =
        [&described, &program].map(|(program, model, trees)| Version { model, program, trees, bound: None });
    let found = diff(&before, &after);
    let places: Vec<&str> = found.changes.iter().map(|change| change.path.as_str()).collect();
    assert_eq!(places, DECIDED.map(|(place, _)| place));
    let page = include_str!("../docs/graphs/react-v1.md");
    for (place, row) in DECIDED.iter().filter(|(_, row)| !row.is_empty()) {
        assert!(page.contains(&format!("\n| {row} |")), "{place} is not told on the page");
    }
}
