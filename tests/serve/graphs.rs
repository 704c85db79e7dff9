//! Graphs of the folder, and texts in, result out.

use serde_json::json;

use super::world::{Served, TALK};
use crate::cli::Desk;

const SCENARIOS: &str = "
graph: talk.yaml
scenarios:
  - name: stops at once
    human: [stop]
    expect: {outcome: end}
";

/// A model says something.
const SPEECH: &str = "
graph: speech
state: {said: string?}
start: say
nodes:
  say: {kind: model, role: ROLE, prompt: \"'Speak.'\", into: said, next: [{to: end}, {to: failed, on: error}]}
  end: {kind: final}
  failed: {kind: final, ok: false}
output: {said: said}
";

#[test]
fn a_graph_is_shown_with_findings_bound_views_and_scenarios() {
    let broken = TALK.replace("graph: talk", "graph: broken").replace("to: end", "to: nowhere");
    let served = Served::of(
        &[
            ("talk.yaml", TALK),
            ("talk.scenarios.yaml", SCENARIOS),
            ("broken.yaml", &broken),
            ("again.yaml", TALK),
        ],
        "",
    );
    let client = served.client();
    let graphs = client.get("/api/v1/graphs").json();
    let names: Vec<_> = graphs["graphs"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|graph| (graph["name"].clone(), graph["runnable"].clone()))
        .collect();
    assert_eq!(
        names,
        [
            (json!("talk"), json!(true)),
            (json!("broken"), json!(false)),
            (json!("talk@web:talk.yaml"), json!(true))
        ]
    );
    let shown = client.get("/api/v1/graphs/talk@web:talk.yaml").json();
    assert_eq!(
        (&shown["title"], &shown["file"], &shown["views"]),
        (&json!("Talk"), &json!("web/talk.yaml"), &json!(["short"]))
    );
    assert_eq!(shown["input"]["properties"]["topic"]["type"], "string");
    assert_eq!(shown["scenarios"]["passed"], 1, "{shown:#}");
    assert!(shown["scenarios"]["coverage"].is_object() && shown["bounds"][0].is_object());
    let broken = client.get("/api/v1/graphs/broken").json();
    let findings = broken["findings"].as_array().expect("a list");
    assert!(findings.iter().any(|finding| finding["severity"] == "error"), "{broken}");
    client.post("/api/v1/runs", &json!({"graph": "broken"})).is_problem(409, "not-run");
    let drawn = client.get("/api/v1/graphs/talk/drawing").is(200);
    assert!(drawn.body.starts_with("stateDiagram-v2"), "{}", drawn.body);
    assert!(client.get("/api/v1/graphs/talk/drawing?as=dot&view=short").is(200).body.contains("digraph"));
    client.get("/api/v1/graphs/talk/drawing?as=png").is_problem(400, "malformed");
    client.get("/api/v1/graphs/talk/drawing?view=none").is_problem(422, "refused");
}

#[test]
fn texts_are_checked_drawn_compared_and_tested() {
    let served = Served::of(&[("talk.yaml", TALK)], "");
    let client = served.client();
    let other = TALK.replace("rounds: 2000", "rounds: 7");
    let checked = client.post("/api/v1/check", &json!({"files": {"a.yaml": TALK}})).is(200).json();
    assert_eq!(checked["ok"], true);
    let drawn =
        client.post("/api/v1/render", &json!({"files": {"a.yaml": TALK}, "as": "flow"})).is(200).json();
    assert!(drawn["text"].as_str().is_some_and(|text| text.starts_with("flowchart")));
    let files = json!({"a.yaml": TALK, "b.yaml": other});
    let changes = client
        .post("/api/v1/diff", &json!({"files": files, "before": "a.yaml", "after": "b.yaml"}))
        .is(200)
        .json();
    assert!(changes["changes"].as_array().is_some_and(|changes| !changes.is_empty()), "{changes}");
    let files = json!({"talk.yaml": TALK, "talk.scenarios.yaml": SCENARIOS});
    let tested = client.post("/api/v1/test", &json!({"files": files})).is(200).json();
    assert_eq!((&tested["ok"], &tested["passed"]), (&json!(true), &json!(1)));
    let refused =
        client.post("/api/v1/render", &json!({"files": {"a.yaml": "graph: a\n"}})).is_problem(422, "unfit");
    assert!(refused["findings"].as_array().is_some_and(|found| !found.is_empty()), "{refused}");
    client.post("/api/v1/check", &json!({"files": {}})).is_problem(422, "refused");
    client.post("/api/v1/check", &json!({})).is_problem(400, "malformed");
}

#[test]
fn a_script_is_for_the_graphs_that_have_its_roles_and_others_are_shown() {
    let desk = Desk::new();
    std::fs::create_dir(desk.folder.path().join("web")).expect("a folder can be made");
    desk.write("web/speech.yaml", &SPEECH.replace("ROLE", "speaker"));
    desk.write("web/story.yaml", &SPEECH.replace("ROLE", "teller").replace("speech", "story"));
    desk.write("web/faulty.yaml", "graph: faulty\nstart: nowhere\n");
    desk.write("speech.script.yaml", "model:\n  speaker: [Hum.]\n");
    let served = Served::on(desk, "--script speech.script.yaml", &[]);
    let client = served.client();
    let list = client.get("/api/v1/graphs").json();
    let runnable: Vec<_> = list["graphs"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|graph| (graph["name"].clone(), graph["runnable"].clone()))
        .collect();
    let wanted = [("faulty", false), ("speech", true), ("story", false)];
    assert_eq!(runnable, wanted.map(|(name, can)| (json!(name), json!(can))));
    for name in ["story", "faulty"] {
        client.get(&format!("/api/v1/graphs/{name}")).is(200);
        client.post("/api/v1/runs", &json!({"graph": name})).is_problem(409, "not-run");
        let said =
            served.said.lines().filter(|line| line.starts_with("note: ") && line.contains(name)).count();
        assert_eq!(said, 1, "{}", served.said);
    }
    client.post("/api/v1/runs", &json!({"graph": "speech", "run": "one"})).is(202);
    assert_eq!(served.having("one", |shown| shown["status"] == "ended")["output"]["said"], "Hum.");
}

/// A graph of two composites with so many steps each.
fn large(steps: usize) -> String {
    let composite = |name: &str, next: &str| {
        let step = |number: usize| {
            let to = if number == steps { format!("{name}_over") } else { format!("{name}_{}", number + 1) };
            format!("      {name}_{number}: {{kind: action, do: n += 1, next: [{{to: {to}}}]}}\n")
        };
        let all: Vec<_> = (1..=steps).map(step).collect();
        format!(
            "  {name}:\n    start: {name}_1\n    next: [{{to: {next}}}]\n    nodes:\n{}      {name}_over: {{kind: final}}\n",
            all.concat()
        )
    };
    let (first, second) = (composite("first", "second"), composite("second", "end"));
    format!(
        "graph: large\nstate: {{n: int = 0}}\nstart: first\nnodes:\n{first}{second}  end: {{kind: final}}\n"
    )
}

#[test]
fn a_large_graph_is_drawn_in_parts() {
    let (large, small) = (large(22), large(3).replace("graph: large", "graph: small"));
    let served = Served::of(&[("large.yaml", &large), ("small.yaml", &small)], "");
    let client = served.client();
    let shown = client.get("/api/v1/graphs/large").json();
    assert_eq!((&shown["findings"], &shown["parts"]), (&json!([]), &json!(["first", "second"])));
    assert_eq!(client.get("/api/v1/graphs/small").json()["parts"], json!(null));
    let nodes = |wanted: &str| {
        let drawn = client.get(&format!("/api/v1/graphs/large/drawing?as=svg{wanted}")).is(200).body;
        (drawn.contains("first_1<"), drawn.contains("second_1<"), drawn.contains(">first<"))
    };
    assert_eq!(nodes(""), (true, true, true));
    assert_eq!(nodes("&depth=1"), (false, false, true));
    assert_eq!(nodes("&node=second"), (false, true, false));
    client.get("/api/v1/graphs/large/drawing?depth=0").is_problem(422, "refused");
}

#[test]
fn words_that_lead_nowhere_are_refused() {
    let desk = Desk::new();
    std::fs::create_dir(desk.folder.path().join("web")).expect("a folder can be made");
    desk.write("web/talk.yaml", TALK);
    for (words, what) in [
        ("serve nowhere", "nowhere"),
        ("serve web --config nope.toml", "nope.toml"),
        ("serve web --mcp-config nope.json", "nope.json"),
        ("serve web --script nope.yaml", "nope.yaml"),
    ] {
        let ran = desk.run(words);
        assert_eq!(
            ran.stderr,
            format!("error: {what}: there is no such file or folder\n"),
            "{}",
            ran.transcript()
        );
        assert_eq!(ran.code, Some(2));
    }
}
