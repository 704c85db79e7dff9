//! A graph that is called, which does what a case says.

use serde_json::{Value as Json, json};

use super::super::golden::Recorded;
use super::super::played::{World, compiled, says};
use super::{state, way};

/// The node that calls it.
pub(super) const CALL: &str = "auth_subgraph";

/// It stands in for the graph of that name.
const CHILD: &str = "
graph auth
use 'types.loop'
error child_failed recoverable
type Does { error: string?, steps: list<string>, metadata: map<any>, terminated: bool }
input { user: string = '', secret: string = '' }
state {
  does: Does = Does{steps: [], metadata: {}, terminated: false}
  steps: list<Step> = []
  metadata: map<any> = {}
  terminated: bool = false
}
start act
tool act {
  tool child
  args { user: user, secret: secret }
  into does
  then {
    for thought in does.steps { steps += Step{id: size(steps), thought: thought} }
    metadata = does.metadata
    terminated = does.terminated
  }
  -> fails when does.error != null
  -> end
}
action fails { fail child_failed does.error ?? '' }
final end outcome terminated ? 'terminated' : 'done'
output { steps: steps, metadata: metadata, terminated: terminated }
";

/// What the called graph does.
pub(super) struct Does {
    error: Option<String>,
    steps: Vec<String>,
    metadata: Json,
    terminated: bool,
}

impl Does {
    /// What a case says of it. A child that is completed ends by itself, as one does of which nothing is said.
    pub(super) fn of(child: Recorded<'_>) -> Result<Self, String> {
        let error = child.at("error");
        if child.at("completed") == true && !error.is_null() {
            return Err("a child that fails is not completed".to_owned());
        }
        let message = || error.text().map_or_else(|| error.whole().to_string(), str::to_owned);
        Ok(Self {
            error: (!error.is_null()).then(message),
            steps: steps(child.at("steps"))?,
            metadata: child.get("metadata").cloned().unwrap_or_else(|| json!({})),
            terminated: child.at("terminated") == true,
        })
    }

    /// One that ends with these metadata after so many steps.
    pub(super) fn ends(metadata: &Json, steps: u64, terminated: bool) -> Self {
        Self { error: None, steps: numbered(steps), metadata: metadata.clone(), terminated }
    }
}

fn numbered(count: u64) -> Vec<String> {
    (0..count).map(|n| format!("c{n}")).collect()
}

/// The steps of a child: how many there are, or each with its thought.
fn steps(steps: Recorded<'_>) -> Result<Vec<String>, String> {
    if steps.is_list() {
        let thought =
            |step: Recorded<'_>| step.text().or_else(|| step.at("thought").text()).map(str::to_owned);
        let thoughts: Option<Vec<String>> = steps.items().map(thought).collect();
        return thoughts.ok_or_else(|| "a step of the child has no thought".to_owned());
    }
    match steps.count() {
        Some(count) => Ok(numbered(count)),
        None if steps.is_null() => Ok(Vec::new()),
        None => Err("`steps` of the child are a number or a list".to_owned()),
    }
}

/// A call of the graph, with a `done` and an `error` edge: the way, and the state of the caller behind it.
pub(super) fn called(begin: impl Fn(World) -> World, does: &Does) -> (Vec<String>, Json) {
    let files = [
        ("main_flow.loop", include_str!("../../graphs/arkhon/main_flow.loop")),
        ("types.loop", include_str!("../../graphs/arkhon/types.loop")),
        ("prompts/main-flow.md", include_str!("../../graphs/arkhon/prompts/main-flow.md")),
        ("auth.loop", CHILD),
    ];
    let does = json!({
        "error": does.error, "steps": does.steps, "metadata": does.metadata, "terminated": does.terminated
    });
    let world =
        World::new().at(CALL).tools(["child", "process"]).tool(says(&does)).tool(says(&json!("done")));
    let (_, facts) = begin(world).play(&compiled(&files));
    let mut path = way(&facts.leaf_path, &["processed"]);
    // The failure is an end of its own here.
    if path.last().is_some_and(|node| node == "failed") {
        path.push("END".to_owned());
    }
    (path, state(&facts))
}
