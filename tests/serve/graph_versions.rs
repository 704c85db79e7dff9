//! Versions of a graph: the one that is served, and those that runs went by.

use std::fs;

use serde_json::{Value, json};

use super::client::Client;
use super::world::{PAIR, Served, TALK};

/// The versions of a graph: digest, whether it is served, number of runs.
fn versions(client: &Client, graph: &str) -> Vec<(String, bool, u64)> {
    let shown = client.get(&format!("/api/v1/graphs/{graph}/versions")).is(200).json();
    assert_eq!(shown["more"], false, "{shown}");
    let version = |version: &Value| {
        let runs = version["runs"].as_u64().expect("a number");
        assert_eq!(
            (runs > 0, runs > 0),
            (version["first"].is_string(), version["last"].is_string()),
            "{version}"
        );
        let digest = version["digest"].as_str().expect("a digest").to_owned();
        (digest, version["served"] == true, runs)
    };
    shown["versions"].as_array().expect("a list").iter().map(version).collect()
}

#[test]
fn versions_that_runs_went_by_are_listed_and_compared() {
    let mut served = Served::of(&[("talk.yaml", TALK), ("pair.yaml", PAIR)], "");
    let client = served.client();
    let known = versions(&client, "talk");
    let first = known[0].0.clone();
    assert_eq!(known, [(first.clone(), true, 0)]);
    for (graph, run) in [("talk", "one"), ("talk", "two"), ("pair", "both")] {
        client.post("/api/v1/runs", &json!({"graph": graph, "run": run})).is(202);
    }
    let pair = versions(&client, "pair").remove(0).0;
    served.kill();
    let other = TALK.replace("rounds: 2000", "rounds: 7").replace("title: Talk", "title: Short talk");
    fs::write(served.desk.folder.path().join("web/talk.yaml"), other).expect("it can be written");
    served.again("");
    let client = served.client();
    client.post("/api/v1/runs", &json!({"graph": "talk", "run": "three"})).is(202);
    let known = versions(&client, "talk");
    let second = known[0].0.clone();
    assert_eq!(known, [(second.clone(), true, 1), (first.clone(), false, 2)]);
    let changes = client.get(&format!("/api/v1/graphs/talk/diff?from={first}&to={second}")).is(200).json();
    assert_eq!((&changes["before"]["digest"], &changes["after"]["digest"]), (&json!(first), &json!(second)));
    let limit = &changes["changes"]
        .as_array()
        .expect("a list")
        .iter()
        .find(|one| one["path"] == "budgets.rounds.limit");
    let limit = limit.unwrap_or_else(|| panic!("{changes:#}"));
    assert_eq!((&limit["before"]["text"], &limit["after"]["text"]), (&json!("2000"), &json!("7")));
    assert_eq!(
        (&limit["before"]["at"]["file"], &limit["after"]["at"]["file"]),
        (&json!("web/talk.yaml"), &json!("web/talk.yaml"))
    );
    assert_eq!(changes["counts"]["shown"], 1, "{changes:#}");
    // A version is more than one file.
    let now = versions(&client, "pair").remove(0).0;
    let changes = client.get(&format!("/api/v1/graphs/pair/diff?from={pair}&to={now}")).is(200).json();
    assert_eq!(changes["changes"].as_array().map(Vec::len), Some(2), "{changes:#}");
    let same = client.get(&format!("/api/v1/graphs/talk/diff?from={first}&to={first}")).is(200).json();
    assert_eq!((&same["same_program"], &same["changes"]), (&json!(true), &json!([])));
    client.get(&format!("/api/v1/graphs/talk/diff?from={first}&to=none")).is_problem(404, "not-found");
    client.get(&format!("/api/v1/graphs/talk/diff?from={first}")).is_problem(400, "malformed");
    client.get("/api/v1/graphs/none/versions").is_problem(404, "not-found");
    client.get(&format!("/api/v1/graphs/none/diff?from={first}&to={second}")).is_problem(404, "not-found");
}
