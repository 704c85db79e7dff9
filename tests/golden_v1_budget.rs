//! The budget of ReAct v1 against what was recorded of the original: what caps follow, how they are shown, what charges do.
//!
//! The recording has names of its own for caps and counters. Here they are put in ours, and nothing else is done to them.

use serde_json::{Map, Value as Json, json};

use super::golden::{File, Recorded, same};
use super::played::{World, graph};

const GRAPH: &str = "graphs/react/budget-rounds.yaml";

/// Names of the recording, each with ours.
pub(crate) type Names = [(&'static str, &'static str)];

/// Caps.
pub(crate) const CAPS: &Names = &[
    ("max_decision_rounds", "decision_rounds"),
    ("max_tool_calls", "tool_calls"),
    ("max_explore_rounds", "explore_rounds"),
    ("max_exploit_rounds", "exploit_rounds"),
    ("max_render_rounds", "render_rounds"),
    ("max_decision_reruns", "decision_reruns"),
    ("ctx_reads", "context_reads"),
];
const USED: &Names = &[
    ("decision_rounds_used", "decision_rounds"),
    ("tool_calls_used", "tool_calls"),
    ("explore_rounds_used", "explore_rounds"),
    ("exploit_rounds_used", "exploit_rounds"),
    ("render_rounds_used", "render_rounds"),
    ("decision_reruns_used", "decision_reruns"),
    ("context_reads_used", "context_reads"),
];
const STAGE_CAPS: &Names = &[
    ("max_explore", "explore"),
    ("max_exploit", "exploit"),
    ("render", "render"),
    ("ctx_reads", "ctx_reads"),
];
pub(crate) const STAGE_USED: &Names = &[
    ("explore_used", "explore"),
    ("exploit_used", "exploit"),
    ("render_used", "render"),
    ("context_reads_used", "context_reads"),
];
const POLICY: &Names = &[
    ("sb_hint", "sb"),
    ("primary_stage_ids", "primary_stages"),
    ("default_global_max_decision_rounds", "default_decision_rounds"),
    ("default_global_max_tool_calls", "default_tool_calls"),
];

/// The fields of a record that have a name of ours, under that name.
pub(crate) fn renamed(record: Recorded<'_>, names: &Names) -> Json {
    let fields =
        names.iter().filter_map(|(theirs, ours)| Some(((*ours).to_owned(), record.get(theirs)?.clone())));
    Json::Object(fields.collect())
}

/// Something of every stage.
pub(crate) fn of_stages(stages: Recorded<'_>, part: impl Fn(Recorded<'_>) -> Json) -> Json {
    stages.entries().map(|(id, stage)| (id.to_owned(), part(stage))).collect::<Map<_, _>>().into()
}

/// A contract and what the coordinator says, to caps.
#[test]
fn golden_budget_derivation() {
    let graph = graph(GRAPH);
    File::open("kdcube_v1_budget_derivation.json").each(|case, _| {
        let (input, wanted) = (case.at("input"), case.at("output"));
        let input = json!({"slots": input.get("contract"), "policy": renamed(input, POLICY)});
        let output = World::new().inputs(&input).play(&graph).1.output.to_json();
        let found = json!({
            "caps": output["caps"],
            "used": output["used"],
            "stages": output["stages"],
            "used_by_stage": output["used_by_stage"],
            "current_stage": output["current_stage"],
            "must_finish": output["must_finish"],
            "text": output["budget_state"],
        });
        let wanted = json!({
            "caps": renamed(wanted.at("global_budget"), CAPS),
            "used": renamed(wanted.at("global_budget"), USED),
            "stages": of_stages(wanted.at("stages"), |stage| stage.at("caps").whole().clone()),
            "used_by_stage": of_stages(wanted.at("stages"), |stage| renamed(stage.at("usage"), STAGE_USED)),
            "current_stage": wanted.get("current_stage_id"),
            "must_finish": wanted.get("must_finish"),
            "text": case.get("budget_state_text"),
        });
        same(&found, &wanted)
    });
}

/// The budget as the model sees it.
#[test]
fn golden_budget_format() {
    let graph = graph(GRAPH);
    File::open("kdcube_v1_budget_format_83d24a74.json").each(|case, _| {
        let input = case.at("input");
        // What a case leaves out has these values in the original.
        let mut caps = json!({"decision_reruns": 2, "context_reads": 0});
        let given = renamed(input.at("global_budget"), CAPS);
        caps.as_object_mut().expect("caps have names").extend(given.as_object().cloned().unwrap_or_default());
        let stages = input.at("stages");
        let policy =
            json!({"sb": of_stages(stages, |stage| renamed(stage.at("caps"), STAGE_CAPS)), "caps": caps});
        let slots: Json = stages.entries().map(|(id, _)| id).collect();
        let mut world = World::new()
            .input("slots", Some(&slots))
            .input("policy", Some(&policy))
            .at("finished")
            .state("current_stage", input.get("current_stage_id"))
            .state("wrapup_active", input.get("wrapup_active").filter(|active| active.is_boolean()))
            .state("overdraft_used", input.get("exploit_overdraft_used"))
            .state("overdraft_total", input.get("exploit_overdraft_total"))
            .used("stage", &of_stages(stages, |stage| renamed(stage.at("usage"), STAGE_USED)));
        for (budget, used) in renamed(input.at("global_budget"), USED).as_object().into_iter().flatten() {
            world = world.used(budget, used);
        }
        let output = world.play(&graph).1.output.to_json();
        let found = json!({"output": output["budget_state"], "must_finish": output["must_finish"]});
        same(&found, &json!({"output": case.get("output"), "must_finish": case.get("must_finish")}))
    });
}

/// Rounds, looks back, reruns and changes of the stage, with the budget after each.
#[test]
fn golden_budget_operations() {
    let graph = graph(GRAPH);
    File::open("kdcube_v1_budget_ops.json").each(|case, _| {
        let ops: Vec<Recorded<'_>> = case.at("ops").items().collect();
        // Operations are records of the graph, which refuses a key that it does not know.
        let charge = |op: &Recorded<'_>| {
            let mut charge = op.at("args").whole().clone();
            charge["op"] = op.at("op").whole().clone();
            charge
        };
        let charges: Vec<Json> = ops.iter().map(charge).collect();
        let input = case.at("input");
        let input =
            json!({"slots": input.get("contract"), "policy": renamed(input, POLICY), "charges": charges});
        let output = World::new().inputs(&input).play(&graph).1.output.to_json();
        let moment = |moment: &Json| {
            json!({
                "text": moment["text"],
                "must_finish": moment["must_finish"],
                "current_stage": moment["current_stage"],
                "used": moment["used"],
                "stages": moment["stages"],
            })
        };
        let found: Json = output["log"].as_array().into_iter().flatten().map(moment).collect();
        let after = |op: &Recorded<'_>| {
            let after = op.at("after");
            json!({
                "text": after.get("text"),
                "must_finish": after.get("must_finish"),
                "current_stage": after.get("current_stage"),
                "used": renamed(after.at("counters"), USED),
                "stages": of_stages(after.at("stage_usage"), |used| renamed(used, STAGE_USED)),
            })
        };
        same(&found, &ops.iter().map(after).collect())
    });
}
