//! A run by the version of the graph that it goes by: as a scenario, and drawn.

use serde_json::{Value, json};

use super::world::{PAIR, SLOW, Served, TALK, answer_path};

fn stopped(served: &Served, run: &str) {
    let question = served.asking("talk", run)["asks"][0].clone();
    let client = served.client().with("if-match", "*");
    client.post(&answer_path(run, &question), &json!({"answer": "stop"})).is(202);
    served.having(run, |shown| shown["status"] == "ended");
}

#[test]
fn a_run_is_a_scenario_that_passes() {
    let served = Served::of(&[("talk.yaml", TALK), ("slow.yaml", SLOW)], "");
    let client = served.client();
    stopped(&served, "over");
    served.asking("talk", "open");
    for run in ["over", "open"] {
        let saved = client.get(&format!("/api/v1/runs/{run}/scenario")).is(200);
        let file = format!("{run}.scenarios.yaml");
        let disposition = format!("attachment; filename=\"{file}\"");
        assert_eq!(saved.header("content-disposition"), Some(disposition.as_str()));
        served.desk.write(&format!("web/{file}"), &saved.body);
        let played = served.desk.run(&format!("test web/{file}"));
        assert_eq!(played.code, Some(0), "{}\n{}", saved.body, played.transcript());
    }
    let why = |run: &str| {
        let path = format!("/api/v1/runs/{run}/scenario");
        let problem = client.get(&path).is_problem(409, "not-recorded");
        problem["lost"][0].as_str().map(str::to_owned).expect("it says why")
    };
    client.post("/api/v1/runs", &json!({"graph": "slow", "run": "slow"})).is(202);
    served.having("slow", |shown| shown["lanes"][0]["node"] == "wait");
    assert_eq!(why("slow"), "it goes on; a run is recorded where it ended or waits for a person");
    client.post("/api/v1/runs/slow/cancel", &json!({"reason": "enough"})).is(202);
    served.having("slow", |shown| shown["outcome"].is_string());
    assert_eq!(why("slow"), "it was ended from outside (enough)");
    client.get("/api/v1/runs/none/scenario").is_problem(404, "not-found");
}

#[test]
fn a_run_is_drawn_as_it_was_when_its_graph_was_edited_since() {
    let mut served = Served::of(&[("talk.yaml", TALK), ("pair.yaml", PAIR)], "");
    stopped(&served, "old");
    served.kill();
    served.desk.write(
        "web/talk.yaml",
        &TALK.replace("end: {kind", "finished: {kind").replace("to: end", "to: finished"),
    );
    served.again("");
    stopped(&served, "new");
    served.asking("pair", "two");
    let client = served.client();
    let drawn = |path: &str| client.get(path).is(200).body;
    let old = drawn("/api/v1/runs/old/drawing");
    assert!(old.starts_with("stateDiagram-v2") && !old.contains("finished"), "{old}");
    let now = drawn("/api/v1/runs/new/drawing");
    assert_eq!((now.contains("finished"), &now), (true, &drawn("/api/v1/graphs/talk/drawing")));
    // Files that a graph names are those that were stored with the run.
    assert!(drawn("/api/v1/runs/two/drawing?as=dot").contains("digraph"));
    assert!(drawn("/api/v1/runs/old/drawing?view=short").contains("stateDiagram"));
    client.get("/api/v1/runs/old/drawing?view=none").is_problem(422, "refused");
    client.get("/api/v1/runs/none/drawing").is_problem(404, "not-found");
    let shown = client.get("/api/v1/runs/old").json();
    assert_eq!(shown["served_as"], Value::Null);
    let refused = client.get("/api/v1/runs/old/scenario").is_problem(409, "not-recorded");
    assert_eq!(refused["lost"], json!(["talk.yaml is not the graph any more that the run began with"]));
}
